import Basics
import Reports

/// A column of a written store.
package enum StoreColumn: String, CaseIterable {
  case token
  case registeredAt = "registered_at"
  case invalidatedAt = "invalidated_at"
  case app
  case environment
}

/// Writes rows of a token store, with a choice of columns and forms.
package struct TokenRowWriter {
  package var columns: [StoreColumn] = [.app, .environment, .token, .registeredAt, .invalidatedAt]
  package var tokenForm = TokenForm.hex
  /// Nil is RFC 3339 in UTC, and the number of a time beyond 32 bits.
  package var timeForm: TimeForm?

  package init() {}
  package var names: [String] { columns.map(\.rawValue) }

  /// - Throws: a `CommandError` for a time that the form cannot represent: another program may have written it.
  package func write(
    _ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState, to rows: RowWriter
  ) throws {
    let token = tokenForm.text(of: token)
    try rows.write(
      try columns.map { column in
        switch column {
        case .token: .string(token)
        case .registeredAt: JSONValue(try time(state.registeredAt, column, of: token))
        case .invalidatedAt: JSONValue(try time(state.invalidatedAt, column, of: token))
        case .app: .string(owner.app)
        case .environment: .string(owner.environment.rawValue)
        }
      })
  }

  private func time(_ seconds: Int64?, _ column: StoreColumn, of token: String) throws -> String? {
    guard let seconds, let timeForm else { return Self.time(seconds) }
    guard let text = timeForm.text(of: seconds) else {
      throw CommandError(
        "token \(token): its \(column.rawValue) is \(seconds), which the form \(timeForm.name) "
          + "cannot represent: correct the row, or choose --time-form seconds")
    }
    return text
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
  /// Milliseconds are written if there are some.
  package static func time(_ seconds: Int64?, milliseconds: UInt16 = 0) -> String? {
    guard let seconds else { return nil }
    guard milliseconds > 0 else { return UInt32(exactly: seconds).map(UTCTime.text) ?? String(seconds) }
    return CaptureTime(seconds: seconds, fraction: UInt64(milliseconds), digits: 3).text ?? String(seconds)
  }

  /// Writes the rows of a store. Returns the error of unreadable rows, after the others were written.
  package func write(
    _ selection: TokenSelection, of store: TokenStore, in filter: AppEnvironmentFilter, to rows: RowWriter
  ) throws -> NamedStoreError? {
    do {
      try store.list(selection, in: filter) { try write($0, $1, $2, to: rows) }
      return nil
    } catch let error as NamedStoreError {
      guard case .unreadableRows = error.reason else { throw error }
      return error
    }
  }
}
