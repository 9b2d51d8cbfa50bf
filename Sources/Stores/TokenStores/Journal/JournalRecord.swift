/// The description of a replay or undo in a journal.
package struct JournalEntry: Equatable, Sendable {
  /// UNIX seconds.
  package var at: Int64
  /// Of apnsift.
  package var version: String
  package var inputs: [ReplayedInput]
  /// The options as JSON.
  package var options: String
  /// Records of all inputs.
  package var tuples: Int
  /// Tokens whose records all have flags.
  package var rejected: Int
  /// The mapping of the table that was changed, as JSON; nil for `device_tokens`.
  package var mapping: String?

  package init(
    at: Int64, version: String, inputs: [ReplayedInput], options: String, tuples: Int, rejected: Int,
    mapping: String? = nil
  ) {
    (self.at, self.version, self.inputs, self.options, self.tuples) = (at, version, inputs, options, tuples)
    (self.rejected, self.mapping) = (rejected, mapping)
  }
}

/// An input at the time of its replay.
package struct ReplayedInput: Equatable, Sendable {
  package var source: String
  /// 64 hex digits.
  package var sha256: String
  package var bytes: Int

  package init(source: String, sha256: String, bytes: Int) {
    (self.source, self.sha256, self.bytes) = (source, sha256, bytes)
  }
}

package struct JournalRecord: Equatable, Sendable {
  /// From 1, in the order of the transactions.
  package var id: Int
  package var owner: AppEnvironment
  package var entry: JournalEntry
  /// How many tokens had each outcome; for an undo, `updated` counts the restored rows.
  package var counts: ReplayCounts
  package var rows: Int
  /// The replay that this undoes; nil for a replay.
  package var undoes: Int?
  /// The undo of this replay; nil if it was not undone.
  package var undoneBy: Int?
  /// Whether the outcome is still unknown, in a journal file.
  package var isPending = false
  /// Whether its last transaction did not happen yet: of several, see `ReplayOptions.batch`.
  package var isUnfinished: Bool { entry.version.isEmpty && undoes == nil && undoneBy == nil }
  /// Whether it is a replay that changed rows and was not undone.
  package var isStanding: Bool { undoes == nil && undoneBy == nil && rows > 0 }
}

/// One row that a replay changed.
package struct JournalChange: Equatable, Sendable {
  package var token: [UInt8]
  package var outcome: ReplayOutcome
  /// Nil if the replay inserted the row.
  package var before: TokenState?
  package var after: TokenState
  /// Of the reported time, 0 to 999; the journal has none.
  package var milliseconds: UInt16 = 0
  /// The row's primary key as text; nil for `device_tokens`, whose rows are identified by their tokens.
  package var key: String?
  /// The record that decided the change; nil if unknown.
  package var origin: RecordOrigin?

  package init(
    token: [UInt8], outcome: ReplayOutcome, before: TokenState?, after: TokenState,
    origin: RecordOrigin? = nil
  ) {
    (self.token, self.outcome, self.before, self.after) = (token, outcome, before, after)
    self.origin = origin
  }
}

package struct UndoAnswer: Sendable {
  /// The undo's own number in the journal; 0 if it is not recorded.
  package var id = 0
  package var restored = 0
  package var left: [SkippedRow: Int] = [:]
  /// Columns of removed rows that the table has no more.
  package var dropped: Set<String> = []
  /// The first few skipped rows, with the reason.
  package var sample: [(token: [UInt8], reason: SkippedRow)] = []

  package static let sampleLength = 5

  /// Whether no row could be restored. Then nothing is recorded, so that the undo can be repeated.
  package var isVain: Bool { restored == 0 && !left.isEmpty }

  mutating func leave(_ token: [UInt8], _ reason: SkippedRow) {
    left[reason, default: 0] += 1
    if sample.count < Self.sampleLength { sample.append((token, reason)) }
  }
}

/// Why an undo skips a row: the row changed since the replay.
package enum SkippedRow: String, CaseIterable, Sendable {
  case gone
  case registeredSince = "registered since"
  case invalidatedSince = "dead since another time"
  case revived = "alive again"
  /// The token that the replay removed has a row again, or a unique index has another row instead.
  case back = "there again"
}
