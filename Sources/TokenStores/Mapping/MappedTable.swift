/// A table of others as its database found it: expressions over a row `t` of it, which both databases evaluate to the
/// same values. So the statements that use them are written once (docs/decisions/0022).
package struct MappedTable: Sendable {
  /// The table, quoted.
  package var name: String
  /// What tells rows apart while they stay as they are, and its type.
  package var place: String
  package var placeType: String
  /// Whether a row is found by it quickly, also after it was written.
  package var placeLasts: Bool
  /// What tells rows apart for ever, as text; nil where the table has no primary key.
  package var key: String?
  package var token: MappedToken
  package var app: MappedOwner?
  package var environment: MappedOwner?
  package var registered: MappedTime?
  package var death: MappedDeath

  package init(
    name: String, place: String, placeType: String, placeLasts: Bool, key: String?, token: MappedToken,
    app: MappedOwner?, environment: MappedOwner?, registered: MappedTime?, death: MappedDeath
  ) {
    self.name = name
    self.place = place
    self.placeType = placeType
    self.placeLasts = placeLasts
    self.key = key
    self.token = token
    self.app = app
    self.environment = environment
    self.registered = registered
    self.death = death
  }
}

extension MappedTable {
  /// - Throws: `StoreFault.misfit` where an undo would not find the rows again.
  package func checkKey(of mapping: TableMapping) throws {
    guard key == nil else { return }
    throw StoreFault.misfit(
      table: mapping.name, subject: "the primary key", expected: "one, by which an undo finds the rows",
      found: "none (--no-journal goes without)")
  }
}

/// The column of tokens.
package struct MappedToken: Sendable {
  /// Its name, quoted.
  package var column: String
  /// The bytes; null where they cannot be read.
  package var bytes: String
  /// The value as text, for messages.
  package var shown: String
  /// How tokens are looked up in an index of the column; nil where none serves, and all rows are read.
  package var lookup: TokenLookup?
  /// Makes a value of the column of bytes.
  package var write: @Sendable (String) -> String

  package init(
    column: String, bytes: String, shown: String, lookup: TokenLookup?,
    write: @escaping @Sendable (String) -> String
  ) {
    self.column = column
    self.bytes = bytes
    self.shown = shown
    self.lookup = lookup
    self.write = write
  }
}

/// How an index finds the row of a token: its values are compared as they are.
package struct TokenLookup: Sendable {
  /// The column, as the index has it.
  package var value: String
  /// Makes its usual value of bytes.
  package var spelling: @Sendable (String) -> String
  /// Whether the value may be another spelling of a token, which the index does not find; nil where there is none.
  package var isOther: String?

  package init(value: String, isOther: String?, spelling: @escaping @Sendable (String) -> String) {
    self.value = value
    self.isOther = isOther
    self.spelling = spelling
  }
}

/// The column of apps, or of environments.
package struct MappedOwner: Sendable {
  package var column: String
  package var text: String
  /// Makes a value of the column of a text.
  package var write: @Sendable (String) -> String

  package init(column: String, text: String, write: @escaping @Sendable (String) -> String) {
    self.column = column
    self.text = text
    self.write = write
  }
}

/// A column of times.
package struct MappedTime: Sendable {
  package var column: String
  /// The value as it stands.
  package var value: String
  /// UNIX seconds, rounded down; null where there is no time, or none that can be read.
  package var seconds: String
  /// Whether something stands there that cannot be read.
  package var isForeign: String
  /// Makes a value of the column of seconds.
  package var write: @Sendable (String) -> String

  package init(
    column: String, value: String, seconds: String, isForeign: String,
    write: @escaping @Sendable (String) -> String
  ) {
    self.column = column
    self.value = value
    self.seconds = seconds
    self.isForeign = isForeign
    self.write = write
  }
}

/// What tells the dead, and what a death writes.
package enum MappedDeath: Sendable {
  /// - Parameter restore: makes a value of the column of one that `value` gave.
  case time(MappedTime, restore: @Sendable (String) -> String)
  /// `dead` and `alive` are values of the column.
  case flag(
    column: String, value: String, isDead: String, dead: String, alive: String?,
    restore: @Sendable (String) -> String)
  /// The row goes; `whole` is all of it in one value.
  case removal(whole: String)

  /// The column that a death writes.
  package var column: String? {
    switch self {
    case .time(let time, _): time.column
    case .flag(let column, _, _, _, _, _): column
    case .removal: nil
    }
  }

  var isRemoval: Bool {
    if case .removal = self { true } else { false }
  }
}
