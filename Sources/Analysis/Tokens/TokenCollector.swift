import APNsWire
import WireBytes

/// Feeds a token table with the records of an analysis.
package final class TokenCollector: EvidenceSink {
  package let table: TokenTable
  private let flaggedCount: Bool

  /// - Parameter flaggedCount: whether the times of flagged records count.
  package init(_ table: TokenTable, flaggedCount: Bool) {
    self.table = table
    self.flaggedCount = flaggedCount
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    try table.add(records.run, in: bytes, counts: flaggedCount || records.run.flags.isEmpty)
  }
}
