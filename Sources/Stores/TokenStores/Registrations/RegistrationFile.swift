import Basics
import PacketCapture

/// Registrations as CSV: a header line, then lines with a token and its time, among other columns.
package struct RegistrationFile {
  package var tokenColumn = "token"
  package var registeredColumn = "registered_at"
  package var needsRegisteredColumn = false
  /// Of tokens that `TokenText` does not read, such as short ones in base64.
  package var tokenForm = TokenForm.hex
  /// The time of all tokens of a file without a column of times.
  package var timeWithoutColumn: UInt32?
  /// Nil accepts UNIX seconds and RFC 3339.
  package var timeForm: TimeForm?
  package var delimiter = UInt8(ascii: ",")
  /// Whether a line may lack its last columns, which then are empty.
  package var allowsShortLines = false

  /// The indices of the columns, from 0.
  struct Columns {
    var count: Int
    var token: Int
    var registered: Int?
  }

  func columns(_ header: [String]) throws(InputError) -> Columns {
    func missing(_ name: String, _ option: String) -> InputError {
      let found = header.isEmpty ? "no header line" : "'\(header.joined(separator: ",").prefix(80))'"
      return InputError(
        "expected a header line with the column \(name), found \(found): store import takes another name with "
          + "\(option), and another separator with --delimiter", line: 1)
    }
    func index(of name: String, _ option: String) throws(InputError) -> Int? {
      guard let first = header.firstIndex(of: name) else { return nil }
      guard header.lastIndex(of: name) == first else {
        throw InputError(
          "two columns have the name \(name): rename one, or choose another with \(option)", line: 1)
      }
      return first
    }
    guard let token = try index(of: tokenColumn, "--token-column") else {
      throw missing(tokenColumn, "--token-column")
    }
    let registered = try index(of: registeredColumn, "--registered-column")
    if needsRegisteredColumn, registered == nil { throw missing(registeredColumn, "--registered-column") }
    return Columns(count: header.count, token: token, registered: registered)
  }

  /// The token of a record, and when it was registered; nil if the file does not have it.
  func row(
    _ reader: borrowing CSVReader, _ columns: Columns
  ) throws(InputError) -> (token: [UInt8], time: UInt32?) {
    if let error = reader.error { throw error }
    let isShort = reader.count < columns.count
    guard reader.count <= columns.count, !isShort || (allowsShortLines && columns.token < reader.count) else {
      let expected = Count.of(columns.count, "field")
      throw reader.error(
        "expected \(expected) as in the header line, found \(Count.of(reader.count, "field"))", at: 0)
    }
    let text = reader.field(columns.token)
    guard let token = tokenForm.bytes(of: text) ?? TokenText.bytes(text) else {
      throw reader.error(
        "expected a token (\(TokenText.forms)), found '\(text.prefix(80))'", at: columns.token)
    }
    if let message = Self.message(of: token) {
      throw reader.error(
        message + "; store import --token-column reads another column than \(tokenColumn)", at: columns.token)
    }
    guard let registered = columns.registered else { return (token, timeWithoutColumn) }
    guard registered < reader.count else { return (token, nil) }
    let time = reader.trimmed(registered)
    if time.isEmpty { return (token, nil) }
    guard let seconds = seconds(of: time) else { throw reader.error(notATime(time), at: registered) }
    return (token, seconds)
  }

  /// Why `token` is none: its length is that of the ids of devices (docs/spec/protocol.md), which some tables have instead.
  package static func message(of token: [UInt8]) -> Message? {
    guard token.count == 20 else { return nil }
    return
      "expected a token, found \(Hex.string(token)) of 20 bytes: ids of devices (UDID) have 20, tokens never"
  }

  private func seconds(of time: String) -> UInt32? {
    guard let timeForm else { return UTCTime.parse(time) }
    guard let found = timeForm.time(of: time), timeForm.isLikely(found) else { return nil }
    return UInt32(exactly: found.seconds)
  }

  private func notATime(_ found: String) -> Message {
    guard let timeForm else {
      return "expected seconds since 1970 or a time like 2013-05-01T09:30:00Z, found '\(found.prefix(80))'"
    }
    let example = timeForm.text(of: 1_367_400_600) ?? ""
    return "expected a time from 1970 to 2106 in the form \(timeForm.name), like \(example), found "
      + "'\(found.prefix(80))'"
  }
}
