/// The differences of one database from the others.
package struct SQLDialect: Sendable {
  /// The mark of identifiers.
  package var quote: Character
  /// The prefix of a parameter's number.
  package var parameter: String
  /// The definition of the table `device_tokens`, and the form of its times.
  package var deviceTokens: (definition: String, time: TimeForm)
  /// The types of that table's columns in messages.
  package var typeNames: (text: String, bytes: String, time: String)
  package var journal: JournalLayout

  package init(
    quote: Character = "\"", parameter: String, deviceTokens: (definition: String, time: TimeForm),
    typeNames: (text: String, bytes: String, time: String), journal: JournalLayout
  ) {
    (self.quote, self.parameter, self.deviceTokens) = (quote, parameter, deviceTokens)
    (self.typeNames, self.journal) = (typeNames, journal)
  }

  /// `name` as a quoted identifier.
  package func quoted(_ name: String) -> String {
    "\(quote)\(name.replacing(String(quote), with: "\(quote)\(quote)"))\(quote)"
  }

  package func parameter(_ number: Int) -> String { "\(parameter)\(number)" }
}

/// The differences of a journal in one database from the others.
package struct JournalLayout: Sendable {
  /// The time of a replay: an expression that makes it of UNIX seconds, and the kind of its column.
  package var time: (write: @Sendable (String) -> String, kind: SQLKind)
  /// The column in whose order inputs were added.
  package var inputOrder: String
  /// Whether rows of changes are numbered across replays, and a replay has the number of its first one; otherwise they
  /// have the replay's number and are numbered in it from 0.
  package var numbersChanges: Bool
  /// Reads the number of the last row that this session inserted; nil if INSERT … RETURNING returns it.
  package var lastNumber: String?

  package init(
    time: (write: @Sendable (String) -> String, kind: SQLKind), inputOrder: String, numbersChanges: Bool,
    lastNumber: String? = nil
  ) {
    (self.time, self.inputOrder, self.numbersChanges) = (time, inputOrder, numbersChanges)
    self.lastNumber = lastNumber
  }

  /// How many rows of changes are read at once.
  static let rowsAtOnce = 64

  /// Reads the next rows of a replay's changes: number and packed changes.
  /// - Parameters:
  ///   - id: the parameter with the replay's number.
  ///   - next: the parameter with the first row's number.
  func read(_ changes: String, _ replays: String, id: String, next: String) -> String {
    let rows =
      numbersChanges
      ? "SELECT id, packed FROM \(changes) WHERE \(isOf(id, replays)) AND id >= \(next) ORDER BY id"
      : "SELECT part, packed FROM \(changes) WHERE replay = \(id) AND part >= \(next) ORDER BY part"
    return "\(rows) LIMIT \(Self.rowsAtOnce)"
  }

  func forget(_ changes: String, _ replays: String) -> String {
    "DELETE FROM \(changes) WHERE \(numbersChanges ? isOf("?1", replays) : "replay = ?1")"
  }

  /// The changes of one replay have consecutive numbers, because no two replays write at once.
  private func isOf(_ id: String, _ replays: String) -> String {
    """
    id >= (SELECT first_change FROM \(replays) WHERE id = \(id))
      AND id < coalesce((SELECT min(first_change) FROM \(replays) WHERE id > \(id)), 9223372036854775807)
    """
  }
}

/// A statement in which each parameter is a control character and its number. Databases that do not support parameters
/// there get literals instead.
package enum MarkedSQL {
  package static let begin = "\u{1}"

  /// `sql` with each parameter replaced.
  package static func replaced(_ sql: String, by text: (Int) -> String) -> String {
    let parts = sql.split(separator: begin, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { done, part in
      let digits = part.prefix { $0.isASCII && $0.isNumber }
      return done + text(Int(digits) ?? 0) + part[digits.endIndex...]
    }
  }

  /// `sql` with the literal of each parameter.
  package static func filled(
    _ sql: String, _ parameters: [SQLValue], _ literal: (SQLValue) -> String
  ) -> String {
    replaced(sql) { literal(parameters.indices.contains($0 - 1) ? parameters[$0 - 1] : .null) }
  }
}
