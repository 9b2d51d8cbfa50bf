import APNsWire
import WireBytes

/// Feeds a token table with the records of an analysis.
package final class TokenCollector: EvidenceSink {
  package let table: TokenTable
  private let flaggedCount: Bool
  /// Where the inputs of origins are named; nil where the table keeps none.
  package let origins: TokenOrigins?

  /// - Parameter flaggedCount: whether the times of flagged records count.
  package init(_ table: TokenTable, flaggedCount: Bool, origins: TokenOrigins? = nil) {
    self.table = table
    self.flaggedCount = flaggedCount
    self.origins = origins
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    let counts = flaggedCount || records.run.flags.isEmpty
    guard let origins else { return try table.add(records.run, in: bytes, counts: counts) }
    let origin = origins.origin(records.labels, UInt64(clamping: records.run.offset))
    try table.add(records.run, in: bytes, counts: counts, from: origin)
  }
}

/// The names of the inputs that origins of tokens are in.
package final class TokenOrigins {
  /// As reports name them.
  package private(set) var sources: [String] = []
  private var last: (source: String, input: UInt32) = ("", .max)

  package init() {}

  func origin(_ labels: StreamLabels, _ offset: UInt64) -> TokenOrigin {
    if last.input == .max || last.source != labels.source {
      let known = sources.firstIndex(of: labels.source)
      if known == nil { sources.append(labels.source) }
      last = (labels.source, UInt32(clamping: known ?? sources.count - 1))
    }
    return TokenOrigin(input: last.input, stream: UInt32(clamping: labels.stream), offset: offset)
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
  private let origins: TokenOrigins?

  /// - Parameters:
  ///   - flaggedCount: whether those with a flag count, their own or one that makes the request's token
  ///     doubtful.
  ///   - now: seconds since 1970. A clock that was ahead of it would make a token dead for all that comes.
  ///   - origins: as of `TokenCollector`.
  package init(_ table: TokenTable, flaggedCount: Bool, now: UInt32, origins: TokenOrigins? = nil) {
    self.table = table
    self.origins = origins
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
    let counts = flaggedCount || flags.isEmpty
    if let origins {
      let origin = origins.origin(response.labels, UInt64(clamping: response.offset))
      try table.add(token.span.bytes, time: time, flags: flags, counts: counts, from: origin)
    } else {
      try table.add(token.span.bytes, time: time, flags: flags, counts: counts)
    }
    count += 1
  }
}
