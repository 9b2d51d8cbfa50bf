import Reports
import Basics

/// Writes rows of a token store as CSV, JSON or NDJSON. Times are RFC 3339 in UTC.
package final class TokenRowWriter {
  package enum Format: String, CaseIterable, Sendable {
    case csv, json, ndjson
  }

  private static let columns = ["app", "environment", "token", "registered_at", "invalidated_at"]

  private let format: Format
  private let output: OutputBuffer
  /// Rows written so far.
  package private(set) var count = 0

  package init(_ format: Format, output: OutputBuffer) {
    self.format = format
    self.output = output
  }

  package func begin() throws {
    switch format {
    case .csv: try output.append(CSVText.line(Self.columns))
    case .json: try output.append("[\n")
    case .ndjson: break
    }
  }

  package func write(_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws {
    let token = token.withUnsafeBytes { Hex.string($0) }
    let (app, environment) = (owner.app, owner.environment.rawValue)
    let registered = Self.time(state.registeredAt)
    let invalidated = Self.time(state.invalidatedAt)
    switch format {
    case .csv:
      try output.append(CSVText.line([app, environment, token, registered ?? "", invalidated ?? ""]))
    case .json, .ndjson:
      let row = JSONValue.object([
        ("app", .string(app)), ("environment", .string(environment)), ("token", .string(token)),
        ("registered_at", JSONValue(registered)), ("invalidated_at", JSONValue(invalidated)),
      ])
      let separator = format == .json && count > 0 ? ",\n" : ""
      try output.append(separator + row.text + (format == .json ? "" : "\n"))
    }
    count += 1
  }

  package func end() throws {
    if format == .json { try output.append(count > 0 ? "\n]\n" : "]\n") }
  }

  package static func text(_ row: TokenRow) -> String {
    let app = row.owner.app.isEmpty ? "" : "\(VisibleText.of(row.owner.app)), "
    let registered = time(row.state.registeredAt) ?? "unknown"
    let fate = time(row.state.invalidatedAt).map { "invalidated at \($0)" } ?? "active"
    return """
      \(Hex.string(row.token))
        \(app)\(row.owner.environment): \(fate)
        registered: \(registered)

      """
  }

  /// RFC 3339 for a time of 32 unsigned bits. The column may have any other number, which is returned as it is.
  package static func time(_ seconds: Int64?) -> String? {
    seconds.map { UInt32(exactly: $0).map(UTCTime.text) ?? String($0) }
  }
}
