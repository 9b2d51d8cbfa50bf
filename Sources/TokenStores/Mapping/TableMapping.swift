/// How a table that somebody else made holds tokens: its columns, the forms of their values, and what a death does to a
/// row (docs/stores.md, "Your own table").
package struct TableMapping: Hashable, Sendable {
  /// The schema that the table is in; nil where the database's own search finds it.
  package var schema: String?
  package var table: String
  package var token: TokenColumn
  /// Nil where all rows are of the app that a command names.
  package var app: String?
  /// Nil where all rows are of the environment that a command names.
  package var environment: EnvironmentColumn?
  /// When a device was last registered. Nil where the table does not say: then nothing keeps a device that came back.
  package var registered: TimeColumn?
  package var action: DeathAction
  /// Whether it is apnsift's own table, whose rows are known by app, environment and token.
  package private(set) var isDeviceTokens = false

  package init(
    schema: String? = nil, table: String, token: TokenColumn, app: String? = nil,
    environment: EnvironmentColumn? = nil, registered: TimeColumn? = nil, action: DeathAction
  ) {
    self.schema = schema
    self.table = table
    self.token = token
    self.app = app
    self.environment = environment
    self.registered = registered
    self.action = action
  }

  /// apnsift's own table.
  /// - Parameter times: how its columns hold times.
  package static func deviceTokens(times: TimeForm) -> TableMapping {
    var mapping = TableMapping(
      table: "device_tokens", token: TokenColumn(name: "token", form: .bytes), app: "app",
      environment: EnvironmentColumn(name: "environment"),
      registered: TimeColumn(name: "registered_at", form: times),
      action: .mark(TimeColumn(name: "invalidated_at", form: times)))
    mapping.isDeviceTokens = true
    return mapping
  }

  /// The table as messages name it.
  package var name: String { schema.map { "\($0).\(table)" } ?? table }

  /// The fault of a table that the mapping does not fit.
  package func misfit(_ subject: String, _ expected: String, _ found: String) -> StoreFault {
    isDeviceTokens
      ? .wrongShape(subject: subject, expected: expected, found: found)
      : .misfit(table: name, subject: subject, expected: expected, found: found)
  }
}

package struct TokenColumn: Hashable, Sendable {
  package var name: String
  package var form: TokenForm

  package init(name: String, form: TokenForm) {
    self.name = name
    self.form = form
  }
}

package struct TimeColumn: Hashable, Sendable {
  package var name: String
  package var form: TimeForm

  package init(name: String, form: TimeForm) {
    self.name = name
    self.form = form
  }
}

package struct EnvironmentColumn: Hashable, Sendable {
  package var name: String
  /// What the column holds for each environment, as text.
  package var production: String
  package var sandbox: String

  package init(name: String, production: String = "production", sandbox: String = "sandbox") {
    self.name = name
    self.production = production
    self.sandbox = sandbox
  }

  package func value(of environment: Environment) -> String {
    switch environment {
    case .production: production
    case .sandbox: sandbox
    }
  }
}

/// What a death does to a row.
package enum DeathAction: Hashable, Sendable {
  /// Writes the time into a column, which is null while the token is alive.
  case mark(TimeColumn)
  /// Writes `dead`, as text, into a column. `alive` is what a registration writes; nil where none may.
  case flag(column: String, dead: String, alive: String?)
  /// Removes the row.
  case delete
}

extension DeathAction {
  /// The column that a death writes.
  package var column: String? {
    switch self {
    case .mark(let time): time.name
    case .flag(let column, _, _): column
    case .delete: nil
    }
  }
}
