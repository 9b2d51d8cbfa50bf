import Basics
import Reports

/// A column of an exported store.
package enum StoreColumn: String, CaseIterable {
  case token
  case registeredAt = "registered_at"
  case invalidatedAt = "invalidated_at"
  case app
  case environment
}

/// The rows of a store as CSV, in a choice of forms.
package struct StoreCSV {
  private let columns: [StoreColumn]
  private let tokenForm: TokenForm
  private let timeForm: TimeForm
  private let delimiter: UInt8

  package init(_ columns: [StoreColumn], tokenForm: TokenForm, timeForm: TimeForm, delimiter: UInt8) {
    (self.columns, self.tokenForm, self.timeForm) = (columns, tokenForm, timeForm)
    self.delimiter = delimiter
  }

  /// The line with the columns' names.
  package var header: String { CSVText.line(columns.map(\.rawValue), delimiter: delimiter) }

  package func line(_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> String {
    let token = tokenForm.text(of: token)
    let fields = try columns.map { column in
      switch column {
      case .token: token
      case .registeredAt: try text(state.registeredAt, column, of: token)
      case .invalidatedAt: try text(state.invalidatedAt, column, of: token)
      case .app: owner.app
      case .environment: owner.environment.rawValue
      }
    }
    return CSVText.line(fields, delimiter: delimiter)
  }

  /// Another program may have written a time that the form cannot represent.
  private func text(_ seconds: Int64?, _ column: StoreColumn, of token: String) throws -> String {
    guard let seconds else { return "" }
    guard let text = timeForm.text(of: seconds) else {
      throw Failure(
        "token \(token): its \(column.rawValue) is \(seconds), which the form \(timeForm.name) "
          + "cannot represent: correct the row, or choose --time-form seconds")
    }
    return text
  }
}

extension TokenStore {
  /// Visits the rows like `list`. Returns the error of unreadable rows, after the others were visited.
  package func listUnderstood(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws -> StoreError? {
    do {
      try list(selection, in: filter, visit: visit)
      return nil
    } catch let error as StoreError {
      guard case .unreadableRows = error.fault else { throw error }
      return error
    }
  }
}
