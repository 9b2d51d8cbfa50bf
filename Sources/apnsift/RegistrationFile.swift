import StreamSources
import WireBytes

/// Registrations as CSV: the header line `token,registered_at`, then a token a line; an empty time is now.
enum RegistrationFile {
  private static let columns = ["token", "registered_at"]

  static func read(_ path: String, now: UInt32, _ visit: (RawSpan, UInt32) throws -> Void) throws {
    do {
      var lines = try LineReader(path)
      let header = try lines.next() ?? ""
      guard fields(header) == columns else {
        throw InputFault(
          "expected the header line token,registered_at, found '\(header.prefix(80))'", line: 1)
      }
      while let line = try lines.next() {
        if line.isEmpty { continue }
        let (token, time) = try parse(line, at: lines.lineNumber)
        try visit(token.span.bytes, time ?? now)
      }
    } catch let fault as InputFault {
      let place = fault.line.map { "line \($0): " } ?? ""
      throw Failure("\(path): \(place)\(fault.message); nothing was registered")
    }
  }

  private static func fields(_ line: String) -> [String] {
    line.split(separator: ",", omittingEmptySubsequences: false).map { field in
      let isQuoted = field.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"")
      return String(isQuoted ? field.dropFirst().dropLast() : field)
    }
  }

  /// The token of a line, and its time unless that is empty.
  private static func parse(_ line: String, at number: Int) throws -> (token: [UInt8], time: UInt32?) {
    let fields = fields(line)
    guard (1...columns.count).contains(fields.count) else {
      throw InputFault("expected token,registered_at, found \(fields.count) fields", line: number)
    }
    guard !fields[0].isEmpty, let token = Hex.bytes(fields[0]) else {
      throw InputFault("expected a token in hex, found '\(fields[0])'", line: number)
    }
    guard fields.count > 1, !fields[1].isEmpty else { return (token, nil) }
    guard let time = UTCTime.parse(fields[1]) else {
      throw InputFault(
        "expected seconds since 1970 or a time like 2013-05-01T09:30:00Z, found '\(fields[1])'", line: number)
    }
    return (token, time)
  }
}
