/// What one database calls otherwise than the others.
package struct SQLDialect: Sendable {
  /// The mark of identifiers.
  package var quote: Character
  /// What stands before the number of a parameter.
  package var parameter: String
  /// What makes the table `device_tokens`, and how its columns of times hold them.
  package var deviceTokens: (definition: String, time: TimeForm)
  /// As messages name the types of that table's columns of texts, tokens and times.
  package var typeNames: (text: String, bytes: String, time: String)
  package var journal: JournalLayout

  package init(
    quote: Character = "\"", parameter: String, deviceTokens: (definition: String, time: TimeForm),
    typeNames: (text: String, bytes: String, time: String), journal: JournalLayout
  ) {
    (self.quote, self.parameter, self.deviceTokens) = (quote, parameter, deviceTokens)
    (self.typeNames, self.journal) = (typeNames, journal)
  }

  /// `name` as an identifier that is taken literally.
  package func quoted(_ name: String) -> String {
    "\(quote)\(name.replacing(String(quote), with: "\(quote)\(quote)"))\(quote)"
  }

  package func parameter(_ number: Int) -> String { "\(parameter)\(number)" }
}

/// How one database lays a journal out otherwise than the others.
package struct JournalLayout: Sendable {
  /// The time of a replay: what makes it of UNIX seconds, and what reads them.
  package var time: (write: @Sendable (String) -> String, read: @Sendable (String) -> String)
  /// The column in whose order inputs were added.
  package var inputOrder: String
  /// Whether rows of changes have numbers of their own, and a replay says that of its first one; else they have the
  /// replay's number and, from 0, their own in it.
  package var numbersChanges: Bool
  /// What reads the number that the last row got which this session inserted; nil where INSERT … RETURNING tells.
  package var lastNumber: String?

  package init(
    time: (write: @Sendable (String) -> String, read: @Sendable (String) -> String), inputOrder: String,
    numbersChanges: Bool, lastNumber: String? = nil
  ) {
    (self.time, self.inputOrder, self.numbersChanges) = (time, inputOrder, numbersChanges)
    self.lastNumber = lastNumber
  }

  /// Rows of changes that are read at once.
  static let rowsAtOnce = 64

  /// The first rows of changes of a replay from a number on: the number and the packed changes.
  /// - Parameters:
  ///   - id: the parameter of the replay's number.
  ///   - next: that of the first row's.
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

  /// Changes of one replay are neighbours: no two write at once. So the numbers of their rows say whose they are.
  private func isOf(_ id: String, _ replays: String) -> String {
    """
    id >= (SELECT first_change FROM \(replays) WHERE id = \(id))
      AND id < coalesce((SELECT min(first_change) FROM \(replays) WHERE id > \(id)), 9223372036854775807)
    """
  }
}

/// A statement in which each parameter is a control character and its number. Databases that take no parameters where the
/// engine has them get literals in their place.
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
