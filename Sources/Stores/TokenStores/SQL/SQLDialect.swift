package struct SQLDialect: Sendable {
  /// Whether several programs may write at once: all but SQLite.
  var isShared = true
  /// The mark of identifiers.
  var quote: Character = "\""
  /// A backslash in a text.
  var backslash = "\\"
  /// What begins a statement that inserts rows.
  var insertion = "INSERT INTO"
  /// What follows the values of a SELECT with a condition and without a table.
  var noTable = ""
  /// What names the table of a DELETE with another name.
  var deletedTable = ""
  var scriptCommand: String
  /// The prefix of a parameter's number.
  var parameter: String
  /// The types of columns, without lengths, by the kind that they are read as. SQLite reads all as any kind: those
  /// that store tokens.
  var types: [SQLKind: [String]]
  /// The types of other numbers, which store times, too.
  var fractions: [String] = []
  var deviceTokens: String
  /// The form of that table's times.
  var times = TimeForm.seconds
  /// The types of that table's columns. Messages name the first one.
  var deviceTypes: (texts: [String], token: String, time: String)
  var journal: JournalTypes

  func kind(of type: String) -> SQLKind { types.first { $0.value.contains(type) }?.key ?? .other }

  func quoted(_ name: String) -> String {
    "\(quote)\(name.replacing(String(quote), with: "\(quote)\(quote)"))\(quote)"
  }

  func list(_ columns: [TableColumn]) -> String { columns.map { quoted($0.name) }.joined(separator: ", ") }
  /// The value of a column of a row `t`.
  func value(_ column: TableColumn) -> String { column.expression ?? "t.\(quoted(column.name))" }

  /// The names of identifiers that are quoted and joined by commas; more than those if a name has a comma between quotes.
  func unquoted(_ list: String) -> [String] {
    list.dropFirst().dropLast().split(separator: "\(quote),\(quote)")
      .map { String($0).replacing("\(quote)\(quote)", with: "\(quote)") }
  }

  func literal(_ text: String) -> String {
    "'\(text.replacing("\\", with: backslash).replacing("'", with: "''"))'"
  }

  func parameter(_ number: Int) -> String { "\(parameter)\(number)" }
}

struct JournalTypes: Sendable {
  /// Of a number that the database assigns.
  var id: String
  var text: String
  var bytes: String
  /// Of times, the kind that they are read as, and an expression that makes one of UNIX seconds.
  var time: (name: String, kind: SQLKind, of: @Sendable (String) -> String) = ("BIGINT", .integer, { $0 })
  var hasReferences = true
  /// Whether rows of changes are numbered across replays, and a replay has the number of its first one, as in SQLite.
  var numbersChanges = false
  /// What follows the columns.
  var rest = ""
  /// An alteration of the table of changes: tokens do not compress, so compression is disabled.
  var storage: String?

  func name(_ kind: SQLKind) -> String {
    switch kind {
    case .integer: "BIGINT"
    case .bytes: bytes
    case .moment: time.name
    case .text, .clock, .other, .any: text
    }
  }

  func kind(_ kind: SQLKind) -> SQLKind { kind == .moment ? time.kind : kind }
}

/// A statement in which each parameter is a control character and its number. Databases that do not support parameters
/// there get literals instead.
enum MarkedSQL {
  static let begin = "\u{1}"

  static func replaced(_ sql: String, by text: (Int) -> String) -> String {
    let parts = sql.split(separator: begin, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { done, part in
      let digits = part.prefix { $0.isASCII && $0.isNumber }
      return done + text(Int(digits) ?? 0) + part[digits.endIndex...]
    }
  }

  static func filled(_ sql: String, _ parameters: [SQLValue], _ literal: (SQLValue) -> String) -> String {
    replaced(sql) { literal(parameters.indices.contains($0 - 1) ? parameters[$0 - 1] : .null) }
  }
}
