import Basics

/// The columns of a table of tokens, the forms of their values, and the effect of an invalidation on a row
/// (docs/stores.md, "Your own table").
package struct TableMapping: Hashable, Sendable {
  /// Nil if the database's search path finds the table.
  package var schema: String?
  package var table: String
  package var token: TokenColumn
  /// Nil if all rows belong to the app that a command names.
  package var app: ColumnReference?
  /// Nil if all rows belong to the environment that a command names.
  package var environment: EnvironmentColumn?
  /// When a device was last registered. Without it, a device that came back is invalidated, too.
  package var registered: TimeColumn?
  package var action: InvalidationAction
  /// Further columns that an invalidation writes.
  package var settings: [ColumnSetting] = []
  /// Whether an invalid row gets the time of a later invalidation.
  package var keepsLatest = false
  /// Whether tokens that the table does not have are inserted.
  package var inserts = false
  /// Whether it is apnsift's own table, with the key app, environment and token.
  package private(set) var isDeviceTokens = false

  package init(
    schema: String? = nil, table: String, token: TokenColumn, app: ColumnReference? = nil,
    environment: EnvironmentColumn? = nil, registered: TimeColumn? = nil, action: InvalidationAction
  ) {
    (self.schema, self.table, self.token, self.app) = (schema, table, token, app)
    (self.environment, self.registered, self.action) = (environment, registered, action)
  }

  /// apnsift's own table.
  /// - Parameter times: the form of its times.
  package static func deviceTokens(times: TimeForm) -> TableMapping {
    var mapping = TableMapping(
      table: "device_tokens", token: TokenColumn(name: "token", form: .bytes), app: "app",
      environment: EnvironmentColumn(name: "environment"),
      registered: TimeColumn(name: "registered_at", form: times),
      action: .mark(TimeColumn(name: "invalidated_at", form: times)))
    (mapping.isDeviceTokens, mapping.inserts, mapping.keepsLatest) = (true, true, true)
    return mapping
  }

  /// What an invalidation writes; the first column says whether a row is invalid.
  var writes: [ColumnSetting] {
    switch action {
    case .mark(let time): [ColumnSetting(column: time.name.text, value: .time(time.form))] + settings
    case .flag(let column, let dead, let alive):
      [ColumnSetting(column: column, value: .text(dead: dead, alive: alive))] + settings
    case .delete: []
    }
  }

  var written: [String] { writes.map(\.column) }
  var read: [ColumnReference] { [token.name, app, environment?.name, registered?.name].compactMap { $0 } }
  /// The statements that a replay runs.
  var events: [String] { action == .delete ? ["DELETE"] : inserts ? ["INSERT", "UPDATE"] : ["UPDATE"] }
  /// The name in messages.
  package var name: String { schema.map { "\($0).\(table)" } ?? table }

  package func misfit(_ subject: Message, _ expected: Message, _ found: Message) -> StoreError {
    .misfit(name, subject, expected: expected, found: found)
  }
}

/// A column, or for reading an SQL expression over the columns of a row.
package struct ColumnReference: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The column's name, or the expression.
  package var text: String
  package var isExpression: Bool

  package init(_ text: String, isExpression: Bool = false) {
    (self.text, self.isExpression) = (text, isExpression)
  }

  package init(stringLiteral name: String) { self.init(name) }
}

/// A column, and the form of its values.
package struct FormedColumn<Form: Hashable & Sendable>: Hashable, Sendable {
  package var name: ColumnReference
  package var form: Form

  package init(name: ColumnReference, form: Form) { (self.name, self.form) = (name, form) }
}

package typealias TokenColumn = FormedColumn<TokenForm>
package typealias TimeColumn = FormedColumn<TimeForm>

package struct EnvironmentColumn: Hashable, Sendable {
  package var name: ColumnReference
  /// The column's text for each environment.
  package var production: String
  package var sandbox: String

  package init(name: ColumnReference, production: String = "production", sandbox: String = "sandbox") {
    (self.name, self.production, self.sandbox) = (name, production, sandbox)
  }

  func value(of environment: Environment) -> String { environment == .sandbox ? sandbox : production }
}

/// The effect of an invalidation on a row.
package enum InvalidationAction: Hashable, Sendable {
  /// Writes the time into a column, which is null while the token is valid.
  case mark(TimeColumn)
  /// Writes the text `dead` into a column. A registration writes `alive`, or nothing if it is nil.
  case flag(column: String, dead: String, alive: String?)
  case delete
}

/// A column that an invalidation writes.
package struct ColumnSetting: Hashable, Sendable {
  package var column: String
  package var value: WrittenValue<String>

  package init(column: String, value: WrittenValue<String>) { (self.column, self.value) = (column, value) }
}

/// What an invalidation writes into a column: texts as a mapping has them, or as the column stores them.
package enum WrittenValue<Text: Hashable & Sendable>: Hashable, Sendable {
  /// A registration that makes the token valid again writes `alive`, or nothing if it is nil.
  case text(dead: Text, alive: Text?)
  /// The time of the invalidation; null after such a registration.
  case time(TimeForm)

  var form: TimeForm? { if case .time(let form) = self { form } else { nil } }
}
