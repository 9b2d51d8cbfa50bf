import APNsWire
import Basics
import PacketCapture

/// Adds the feedback records of an analysis to a token table.
package final class TokenCollector: EvidenceSink {
  package let table: TokenTable
  private let flaggedCount: Bool
  /// The names of the origins' inputs; nil if the table keeps no origins.
  package let origins: TokenOrigins?

  /// - Parameter flaggedCount: whether the times of flagged records count.
  package init(_ table: TokenTable, flaggedCount: Bool, origins: TokenOrigins? = nil) {
    (self.table, self.flaggedCount, self.origins) = (table, flaggedCount, origins)
  }

  package var needs: EvidenceNeeds { origins == nil ? [] : .extents }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    let counts = flaggedCount || records.run.flags.isEmpty
    guard let origins else { return try table.add(records.run, in: bytes, counts: counts) }
    try records.eachExtent { part in
      let origin = origins.origin(part.labels, part.run.offset)
      try table.add(part.run, in: bytes, counts: counts, from: origin, in: part.origin)
    }
  }
}

/// The names of the inputs of token origins.
package final class TokenOrigins {
  /// The names in reports, by input number.
  package private(set) var sources: [String] = []
  private var numbers: [String: UInt32] = [:]
  private var last: (source: String, input: UInt32) = ("", .max)

  package init() {}

  /// The number of an input that has records.
  func number(of source: String) -> UInt32? { numbers[source] }

  func origin(
    _ labels: StreamLabels, _ offset: Int, fileOffset: Int? = nil, packet: Int? = nil
  ) -> TokenOrigin {
    if last.input == .max || last.source != labels.source {
      let number = numbers[labels.source] ?? UInt32(clamping: sources.count)
      if number == sources.count {
        sources.append(labels.source)
        numbers[labels.source] = number
      }
      last = (labels.source, number)
    }
    var origin = TokenOrigin(
      input: last.input, stream: UInt32(clamping: labels.stream), offset: UInt64(clamping: offset))
    if let fileOffset { origin.fileOffset = UInt64(clamping: fileOffset) }
    origin.packet = UInt32(clamping: packet ?? 0)
    return origin
  }
}

extension PacketReference {
  /// Its capture time in whole seconds since 1970; nil unless it is plausible.
  func seconds(in plausibleTimes: ClosedRange<UInt32>) -> UInt32? {
    time.flatMap { UInt32(exactly: $0.seconds) }.flatMap { plausibleTimes.contains($0) ? $0 : nil }
  }
}

/// Adds the tokens that a gateway reported as invalid to a token table: those of responses with status 8 whose
/// request is found. The token is invalidated at the capture time of the response.
package final class RejectionCollector: EvidenceSink {
  private let table: TokenTable
  private let flaggedCount: Bool
  /// Number of responses added.
  package private(set) var count = 0
  /// Number of responses skipped because their capture time is missing or implausible.
  package private(set) var skippedCount = 0
  /// Plausible capture times, in seconds since 1970.
  private let plausibleTimes: ClosedRange<UInt32>
  private let origins: TokenOrigins?

  /// - Parameters:
  ///   - flaggedCount: whether responses count if they have a flag, or if their request's token is doubtful.
  ///   - now: the latest plausible time, in seconds since 1970. A capture time in the future would keep a token
  ///     invalidated even if it is registered again.
  ///   - origins: as for `TokenCollector`.
  package init(_ table: TokenTable, flaggedCount: Bool, now: UInt32, origins: TokenOrigins? = nil) {
    self.table = table
    self.origins = origins
    plausibleTimes = min(FeedbackRules.serviceStart, now)...now
    self.flaggedCount = flaggedCount
  }

  package var needs: EvidenceNeeds { .gatewayRecords }

  package func response(_ response: ResponseRecord) throws {
    guard response.response.status == ErrorStatus.invalidToken.rawValue, let request = response.request,
      let token = request.token, !token.isEmpty
    else { return }
    guard let time = response.packet?.seconds(in: plausibleTimes) else {
      skippedCount += 1
      return
    }
    let flags = response.flags.union(request.flags.intersection(.tokenFlags))
    let counts = flaggedCount || flags.isEmpty
    let origin = origins?.origin(
      response.labels, response.offset, fileOffset: response.fileOffset, packet: response.packet?.number)
    try table.add(token.span.bytes, at: (time, 0), flags: flags, counts: counts, from: origin)
    count += 1
  }
}
