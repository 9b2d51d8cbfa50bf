/// What a replay, or the undo of one, is recorded with in a store's journal.
package struct JournalEntry: Equatable, Sendable {
  /// UNIX seconds.
  package var at: Int64
  /// The version of apnsift.
  package var version: String
  package var inputs: [ReplayedInput]
  /// The options as JSON.
  package var options: String
  /// Records of all inputs.
  package var tuples: Int
  /// Tokens all of whose records carry flags.
  package var rejected: Int
  /// The mapping of the table that was changed, as JSON; nil for `device_tokens`.
  package var mapping: String?

  package init(
    at: Int64, version: String, inputs: [ReplayedInput], options: String, tuples: Int, rejected: Int,
    mapping: String? = nil
  ) {
    self.at = at
    self.version = version
    self.inputs = inputs
    self.options = options
    self.tuples = tuples
    self.rejected = rejected
    self.mapping = mapping
  }
}

/// An input, as it was when it was replayed.
package struct ReplayedInput: Equatable, Sendable {
  package var source: String
  /// 64 hex digits.
  package var sha256: String
  package var bytes: Int

  package init(source: String, sha256: String, bytes: Int) {
    self.source = source
    self.sha256 = sha256
    self.bytes = bytes
  }
}

/// A replay, or the undo of one, as the journal has it.
package struct JournalRecord: Equatable, Sendable {
  /// From 1, in the order of the transactions.
  package var id: Int
  package var owner: AppEnvironment
  package var entry: JournalEntry
  /// How many tokens had each outcome; of an undo, `updated` counts the rows that it restored.
  package var counts: ReplayCounts
  /// How many rows were written; nil where version 0.1 recorded it.
  package var rows: Int?
  /// The replay that this undoes; nil for a replay.
  package var undoes: Int?
  /// The undo of this replay; nil while it stands.
  package var undoneBy: Int?
  /// Whether it is not known yet if it was done: of a journal in a file of its own alone.
  package var isPending = false
}

/// One row that a replay changed.
package struct JournalChange: Equatable, Sendable {
  package var token: [UInt8]
  package var outcome: ReplayOutcome
  /// Nil where the replay inserted the row.
  package var before: TokenState?
  package var after: TokenState
  /// The row's primary key as text; nil for `device_tokens`, whose rows are known by their tokens.
  package var key: String?
  /// The record that decided; nil where nobody knows, as in journals of version 0.1.
  package var origin: RecordOrigin?

  package init(
    token: [UInt8], outcome: ReplayOutcome, before: TokenState?, after: TokenState, key: String? = nil,
    origin: RecordOrigin? = nil
  ) {
    (self.token, self.outcome, self.before, self.after) = (token, outcome, before, after)
    (self.key, self.origin) = (key, origin)
  }
}

/// What an undo did.
package struct UndoAnswer: Equatable, Sendable {
  /// The undo's own number in the journal.
  package var id = 0
  package var restored = 0
  package var left: [LeftRow: Int] = [:]
  /// The first few rows that were left, with the reason.
  package var sample: [(token: [UInt8], reason: LeftRow)] = []

  package static let sampleLength = 5

  package init() {}

  package mutating func leave(_ token: [UInt8], _ reason: LeftRow) {
    left[reason, default: 0] += 1
    if sample.count < Self.sampleLength { sample.append((token, reason)) }
  }

  package static func == (left: UndoAnswer, right: UndoAnswer) -> Bool {
    left.id == right.id && left.restored == right.restored && left.left == right.left
      && left.sample.elementsEqual(right.sample) { $0.token == $1.token && $0.reason == $1.reason }
  }
}

/// Why an undo leaves a row as it is: it is not as the replay left it.
package enum LeftRow: String, CaseIterable, Sendable {
  case gone
  case registeredSince = "registered since"
  case diedLater = "dead since another time"
  case revived = "alive again"
  /// A row that the replay removed has come back by itself.
  case back = "there again"
}
