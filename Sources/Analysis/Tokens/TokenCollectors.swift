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

/// Feeds a token table with the tokens that a gateway called invalid: responses with status 8 whose request is found.
/// Such a token is dead from the time on at which its response was captured.
package final class RejectionCollector: EvidenceSink {
  private let table: TokenTable
  private let flaggedCount: Bool
  /// Responses that were taken.
  package private(set) var count = 0
  /// Those that no time is known of, or none that can be believed.
  package private(set) var timeless = 0
  /// When such a response can have been captured, in seconds since 1970.
  private let believedTimes: ClosedRange<UInt32>

  /// - Parameters:
  ///   - flaggedCount: whether those with a flag count, their own or one that makes the request's token
  ///     doubtful.
  ///   - now: seconds since 1970. A clock that was ahead of it would make a token dead for all that comes.
  package init(_ table: TokenTable, flaggedCount: Bool, now: UInt32) {
    self.table = table
    believedTimes = min(FeedbackRules.serviceStart, now)...now
    self.flaggedCount = flaggedCount
  }

  package var needs: EvidenceNeeds { .gatewayRecords }

  package func response(_ response: ResponseRecord) throws {
    guard response.response.status == ErrorStatus.invalidToken.rawValue, let request = response.request,
      let token = request.token, !token.isEmpty
    else { return }
    guard let seconds = response.packet?.time?.seconds, let time = UInt32(exactly: seconds),
      believedTimes.contains(time)
    else {
      timeless += 1
      return
    }
    let flags = response.flags.union(request.flags.intersection(.tokenDoubts))
    try table.add(token.span.bytes, time: time, flags: flags, counts: flaggedCount || flags.isEmpty)
    count += 1
  }
}
