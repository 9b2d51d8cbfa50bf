import APNsWire
import PacketCapture
import WireBytes

/// A finding while it is not settled which side is the server.
package struct StreamFinding {
  package var code: FindingCode
  /// Nil where it concerns both directions.
  package var side: Side?
  package var offset: Int?
  package var length: Int?
  package var fileOffset: Int?
  package var packet: PacketReference?
  package var message: String

  package init(
    code: FindingCode, side: Side?, offset: Int? = nil, length: Int? = nil, fileOffset: Int? = nil,
    packet: PacketReference? = nil, message: String
  ) {
    self.code = code
    self.side = side
    self.offset = offset
    self.length = length
    self.fileOffset = fileOffset
    self.packet = packet
    self.message = message
  }
}

/// Findings of a source about bytes that the decoder has not decided: they wait, so that what is said of a direction
/// comes in the order of its offsets (docs/spec/interface.md#order-of-records).
struct EarlyFindings {
  /// More do not wait: those that come then are given at once, out of order.
  private static let maxCount = 4096

  /// In the order of their offsets, those of one offset in the order in which they came.
  private var findings: [StreamFinding] = []

  var first: StreamFinding? { findings.first }

  /// Keeps `finding` where its offset is not before `covered`, up to which all has been said; else false.
  mutating func take(_ finding: StreamFinding, from covered: Int) -> Bool {
    guard let offset = finding.offset, offset >= covered, findings.count < Self.maxCount else { return false }
    var index = findings.count
    while index > 0, let before = findings[index - 1].offset, before > offset { index -= 1 }
    findings.insert(finding, at: index)
    return true
  }

  /// Removes the first finding if its offset is before `offset`.
  mutating func removeFirst(before offset: Int) -> StreamFinding? {
    guard let first = findings.first?.offset, first < offset else { return nil }
    return findings.removeFirst()
  }
}

/// Orders what decoders and the source have found, and emits it.
extension StreamAnalysis {
  /// What the source found up to `offset` comes next, then records from there on: up to the offset that this returns,
  /// before which it found nothing more. Asked for each run of records: mostly there is nothing at all.
  func endOfTurn(of direction: inout DirectionAnalysis, from offset: Int) throws -> Int {
    guard direction.early.first != nil else { return .max }
    try releaseEarly(before: offset &+ 1, of: &direction)
    return direction.early.first?.offset ?? .max
  }

  /// All before `offset` was said: what the source found there comes next.
  func releaseEarly(before offset: Int, of direction: inout DirectionAnalysis) throws {
    while let finding = direction.early.removeFirst(before: offset) { try find(finding) }
  }

  func findUndecodable(
    _ command: UInt8, at offset: Int, of content: DirectionContent, in direction: inout DirectionAnalysis
  ) throws {
    let limits = "lengths beyond the limits (--max-token-length, --max-payload)"
    let message =
      switch (content, command) {
      case (.responses, _): "expected an error response's command, 8, and found \(command)"
      case (_, 0): "a request with command 0 and \(limits), or both 0"
      case (_, 1): "a request with command 1 and \(limits)"
      case (_, 2): "a request with command 2 and a frame of more than \(RequestRules.longestItems) bytes"
      default: "expected a request's command, 0 to 2, and found \(command)"
      }
    try find(
      content == .requests && command <= 2 ? .malformedFrame : .unknownCommand, offset, 1,
      origin: direction.trail.origin(at: offset), message, in: &direction)
  }

  func findSkipped(
    _ offset: Int, _ length: Int, of content: DirectionContent, in direction: inout DirectionAnalysis
  ) throws {
    log.summary.skippedBytes &+= length
    try find(
      .skippedBytes, offset, length, origin: direction.endSkip(at: offset),
      "\(Count.of(length, "byte")) skipped: no \(content.recordName) here can be trusted", in: &direction)
  }

  func findTruncated(
    _ offset: Int, _ length: Int, of content: DirectionContent, in direction: inout DirectionAnalysis
  ) throws {
    log.summary.truncatedBytes &+= length
    let article = content == .responses ? "an" : "a"
    try find(
      .truncatedRecord, offset, length, origin: direction.trail.origin(at: offset),
      "\(Count.of(length, "byte")) at the end: \(article) \(content.recordName) that is cut off",
      in: &direction)
  }

  func findCiphertext(_ direction: inout DirectionAnalysis) throws {
    let missing =
      direction.gapBytes > 0 ? "; \(Count.of(direction.gapBytes, "byte")) of it missing" : ""
    try find(
      .encryptedStream, 0, direction.end, at: direction.firstLocation,
      "the stream is TLS ciphertext: nothing in it can be decoded without its keys\(missing)", in: &direction)
  }

  func find(
    _ code: FindingCode, _ offset: Int, _ length: Int, origin: ByteOrigin?, _ message: String,
    in direction: inout DirectionAnalysis
  ) throws {
    let location = DirectionAnalysis.Location(
      fileOffset: origin?.fileOffset(of: offset), packet: origin?.packet)
    try find(code, offset, length, at: location, message, in: &direction)
  }

  func find(
    _ code: FindingCode, _ offset: Int, _ length: Int, at location: DirectionAnalysis.Location?,
    _ message: String,
    in direction: inout DirectionAnalysis
  ) throws {
    try releaseEarly(before: offset &+ 1, of: &direction)
    try find(
      StreamFinding(
        code: code, side: direction.side, offset: offset, length: length, fileOffset: location?.fileOffset,
        packet: location?.packet, message: message))
  }

  /// Emits a finding, when all that must come before it has: the roles are settled, and requests and responses
  /// of lower offsets have left.
  func find(_ finding: StreamFinding) throws {
    guard isSettled else {
      unsettled.append(finding)
      if unsettled.count > Self.maxUnsettled { try settle() }
      return
    }
    try beginExcerpt(of: finding)
    if let side = finding.side, try gateway?.value.takes(finding, from: role(of: side)) == true { return }
    try report(finding)
  }

  func report(_ finding: StreamFinding) throws {
    findings += 1
    try log.add(placed(finding))
  }

  func beginExcerpt(of finding: StreamFinding) throws {
    guard excerpts != nil, let excerpt = log.beginExcerpt(of: placed(finding)) else { return }
    if excerpt.range != nil, let side = finding.side {
      excerpts(of: side)?.begin(excerpt)
    } else {
      try log.add(excerpt)
    }
  }

  private func placed(_ finding: StreamFinding) -> Finding {
    Finding(
      source: log.source(finding.packet?.input ?? 0), stream: identity.number,
      direction: finding.side.map { role(of: $0) }, offset: finding.offset, length: finding.length,
      packet: finding.packet?.number, fileOffset: finding.fileOffset, code: finding.code,
      message: finding.message)
  }
}
