import Basics
import CLibpq

/// An error of the server or of libpq.
struct ServerError: TransactionError {
  /// The SQLSTATE, five characters (PostgreSQL's documentation, appendix "PostgreSQL Error Codes"); empty for an error
  /// of libpq.
  var state: String
  /// One line.
  var message: Message
  /// Whether the connection is lost with it.
  var isLost: Bool

  /// States that mean the end of the connection, besides class 08.
  private static let endings = ["57P01", "57P02", "57P03", "57P04", "57P05", "25P03"]

  init(state: String, message: Message, isLost: Bool) {
    self.state = state
    self.message = message
    self.isLost = isLost || state.hasPrefix("08") || Self.endings.contains(state)
  }

  /// The error of `result`; nil is a request that could not be sent.
  init(_ result: OpaquePointer?, of connection: OpaquePointer) {
    let isLost = libpq.PQstatus(connection) == CONNECTION_BAD
    let state = Self.field(0x43, of: result)
    let message = Self.field(0x4D, of: result) ?? Self.line(libpq.PQerrorMessage(connection))
    self.init(state: state?.text ?? "", message: message, isLost: isLost)
  }

  /// A field by its code: `C` is the state, `M` the primary message (postgres_ext.h; Swift does not import the macros
  /// as integers).
  private static func field(_ code: Int32, of result: OpaquePointer?) -> Message? {
    guard let result, let text = libpq.PQresultErrorField(result, code) else { return nil }
    return line(text)
  }

  /// Whether the same transaction, done again from its beginning, may well succeed: a serialization failure or
  /// a deadlock.
  var isContention: Bool { state == "40001" || state == "40P01" }

  /// Also of an exclusion constraint.
  var isUniqueViolation: Bool { state == "23505" || state == "23P01" }
}

extension StoreFault {
  /// The fault of an error of the server.
  ///
  /// - Parameter waited: the lock timeout.
  init(_ error: ServerError, waited: Duration) {
    let message = error.message
    let coded = error.state.isEmpty ? message : "\(message), SQLSTATE \(error.state)"
    if let fault = error.transactionFault {
      self = fault
      return
    }
    switch (error.state, error.state.prefix(2)) {
    case ("55P03", _): self = .locked(waited: waited)
    case ("42501", _): self = .notPermitted(message)
    case ("25006", _): self = .readOnlyServer(message)
    case ("53100", _): self = .full(message)
    // Constraints, views with a check, errors of triggers, a token that is too long for an index, and in mapped tables
    // a text or number that exceeds its column.
    case (_, "23"), (_, "44"), (_, "P0"), (_, "27"), ("54000", _), ("22001", _), ("22003", _):
      self = .refused(coded)
    default: self = .failed(coded)
    }
  }
}
