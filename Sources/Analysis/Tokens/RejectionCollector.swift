import APNsWire

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
  private var tuple: [UInt8] = []

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
    // The table takes feedback tuples: this is the one that would have said the same.
    tuple.removeAll(keepingCapacity: true)
    guard FeedbackEncoder.append(time: time, token: token, to: &tuple) else { return }
    let flags = response.flags.union(request.flags.intersection(.tokenDoubts))
    let run = RecordRun(
      window: .piece, start: 0, offset: response.offset, tokenLength: token.count, count: 1, flags: flags)
    let bytes = tuple
    try table.add(run, in: bytes.span.bytes, counts: flaggedCount || flags.isEmpty)
    count += 1
  }
}
