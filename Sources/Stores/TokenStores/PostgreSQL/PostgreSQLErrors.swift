import Basics
import CLibpq

extension DatabaseError {
  /// The kinds of SQLSTATEs, and of their classes of two characters (PostgreSQL's documentation, appendix "PostgreSQL
  /// Error Codes").
  private static let kinds: [Substring: Kind] = [
    "08": .lost, "57P01": .lost, "57P02": .lost, "57P03": .lost, "57P04": .lost, "57P05": .lost,
    "25P03": .lost, "40001": .contended, "40P01": .contended,
    // Also of an exclusion constraint.
    "23505": .duplicate, "23P01": .duplicate,
    "55P03": .locked, "42501": .notPermitted, "25006": .readOnly, "53100": .full,
    // Constraints, views with a check, errors of triggers, a token that is too long for an index, and in mapped tables
    // a text or number that exceeds its column.
    "23": .refused, "44": .refused, "P0": .refused, "27": .refused, "54000": .refused, "22001": .refused,
    "22003": .refused,
  ]

  /// The error of `result`; nil is a request that could not be sent.
  init(_ result: OpaquePointer?, of connection: OpaquePointer) {
    let state = (Self.field(0x43, of: result)?.text ?? "")[...]
    let message = Self.field(0x4D, of: result) ?? Self.line(libpq.PQerrorMessage(connection))
    let kind = Self.kinds[state] ?? Self.kinds[state.prefix(2)] ?? .failed
    self.init(
      libpq.PQstatus(connection) == CONNECTION_BAD ? .lost : kind, message,
      coded: state.isEmpty ? nil : "\(message), SQLSTATE \(state)")
  }

  /// A field by its code: `C` is the state, `M` the primary message (postgres_ext.h; Swift does not import the macros
  /// as integers).
  private static func field(_ code: Int32, of result: OpaquePointer?) -> Message? {
    guard let result, let text = libpq.PQresultErrorField(result, code) else { return nil }
    return line(text)
  }
}
