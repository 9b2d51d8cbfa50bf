import APNsWire
import Basics
import PacketCapture

/// Findings of the source in undecided bytes. They are kept so that the evidence of a direction is emitted in the order
/// of its offsets (docs/spec/interface.md#order-of-records).
struct PendingFindings {
  /// The maximum number of kept findings. Further ones are emitted at once, out of order.
  private static let maxCount = 4096

  /// In the order of their offsets, then of their arrival.
  private var findings: [StreamFinding] = []

  var first: StreamFinding? { findings.first }

  /// Keeps `finding` if its offset is not before `covered`, the first undecided byte; else returns false.
  mutating func keep(_ finding: StreamFinding, from covered: Int) -> Bool {
    guard let offset = finding.offset, offset >= covered, findings.count < Self.maxCount else { return false }
    findings.insert(finding, at: findings.partitioningIndex { ($0.offset ?? .max) > offset })
    return true
  }

  @inline(__always)
  mutating func removeFirst(before offset: Int) -> StreamFinding? {
    guard let first = findings.first?.offset, first < offset else { return nil }
    return findings.removeFirst()
  }
}

/// Orders and emits the findings of decoders and of the source.
extension StreamAnalysis {
  /// Emits the kept findings up to `offset`. Returns the offset of the next one, up to which records may be
  /// emitted. Called for each run of records; usually there are no findings.
  func emitPending(through offset: Int, of direction: inout DirectionAnalysis) throws -> Int {
    try emitPending(before: offset &+ 1, of: &direction)
    return direction.pendingFindings.first?.offset ?? .max
  }

  /// Emits the kept findings before `offset`, whose bytes are all decided.
  @inline(__always)
  func emitPending(before offset: Int, of direction: inout DirectionAnalysis) throws {
    while let finding = direction.pendingFindings.removeFirst(before: offset) { try report(finding) }
  }

  func reportUndecodable(
    _ command: UInt8, at offset: Int, of content: DirectionContent, in direction: inout DirectionAnalysis
  ) throws {
    let message: Message =
      switch (content, command) {
      case (.responses, _): "byte \(command) is not the command of an error response (8)"
      case (_, 0), (_, 1):
        "command \(command) with a length above the limit (--max-token-length, --max-payload)"
          + (command == 0 ? ", or with both lengths 0" : "")
      case (_, 2): "command 2 with a frame of more than \(RequestRules.longestItems) bytes"
      default: "byte \(command) is not the command of a request (0 to 2)"
      }
    let code = content == .requests && command <= 2 ? FindingCode.malformedFrame : .unknownCommand
    let origin = direction.trail.origin(at: offset)
    try report(direction.finding(code, offset, 1, origin, message), in: &direction)
  }

  func reportSkipped(
    _ offset: Int, _ length: Int, of content: DirectionContent, in direction: inout DirectionAnalysis
  ) throws {
    log.summary.skippedBytes &+= length
    let isShortRest = content == .feedback && length < Tuple.headerLength && offset + length == direction.end
    let message: Message =
      isShortRest
      ? "\(Count.of(length, "byte")) left over: too few to show whether a tuple begins here"
      : "\(Count.of(length, "byte")) skipped: no plausible \(content.recordName) begins here"
    let origin = direction.endSkip(at: offset)
    try report(direction.finding(.skippedBytes, offset, length, origin, message), in: &direction)
  }

  func noteSeparator(_ offset: Int, _ length: Int, in direction: inout DirectionAnalysis) {
    log.summary.recordBytes &+= length
    let extras = direction.makeExtras()
    let known = extras.separators ?? (0, 0, direction.trail.origin(at: offset)?.fileOffset(of: offset))
    extras.separators = (known.count + 1, known.bytes + length, known.fileOffset)
  }

  func reportSeparators(of direction: borrowing DirectionAnalysis) throws {
    guard let separators = direction.extras?.separators else { return }
    try report(
      StreamFinding(
        .separatingBytes, side: direction.side, fileOffset: separators.fileOffset,
        message: "\(Count.of(separators.bytes, "byte")) at "
          + "\(Count.of(separators.count, "location")) between tuples: no damage, and no part of them"))
  }

  func reportTruncated(
    _ offset: Int, _ length: Int, of content: DirectionContent, in direction: inout DirectionAnalysis
  ) throws {
    log.summary.truncatedBytes &+= length
    let origin = direction.trail.origin(at: offset)
    let message: Message =
      "truncated \(content.recordName): the data ends after \(Count.of(length, "byte")) of it"
    try report(direction.finding(.truncatedRecord, offset, length, origin, message), in: &direction)
  }

  func message(of gap: StreamGap) -> Message {
    let bytes = "\(gap.isUpperBound ? "at most " : "")\(Count.of(gap.length, "byte")) of the stream"
    return switch gap.cause {
    case .missing: "\(bytes) missing"
    case .unverified: "\(bytes) left out: the MAC of their TLS records is wrong"
    case .cut: "\(bytes) missing: it ends within a TLS record"
    }
  }

  func reportUnrelated(_ stream: StreamReport) throws {
    var message: Message = "TLS on a port of another service: not decoded (--keys decrypts it)"
    if case .other(let reason) = stream.service { message = reason }
    try report(StreamFinding(.unrelatedTLS, side: nil, packet: stream.firstPacket, message: message))
  }

  func reportCiphertext(_ direction: inout DirectionAnalysis) throws {
    let missing = direction.gapBytes > 0 ? "; \(Count.of(direction.gapBytes, "byte")) missing" : ""
    let (offset, first) = (direction.bytesBeforeTLS, direction.first?.value)
    try report(
      StreamFinding(
        .encryptedStream, side: direction.side, offset: offset, length: direction.end &- offset,
        fileOffset: first?.fileOffset, packet: first?.packet,
        message: "TLS ciphertext: the stream cannot be decoded without its keys (--keys)\(missing)"),
      in: &direction)
  }

  /// Reports a finding about bytes of the direction, after the kept ones before it.
  func report(_ finding: StreamFinding, in direction: inout DirectionAnalysis) throws {
    if let offset = finding.offset { try emitPending(before: offset &+ 1, of: &direction) }
    try report(finding)
  }

  /// Emits a finding, or keeps it until the roles are settled and the requests and responses of lower offsets are
  /// emitted.
  func report(_ finding: StreamFinding) throws {
    guard isSettled else {
      unsettled.append(finding)
      if unsettled.count > Self.maxUnsettled { try settle() }
      return
    }
    try beginExcerpt(of: finding)
    if let side = finding.side, try gateway?.value.takes(finding, from: role(of: side)) == true { return }
    try emit(finding)
  }

  func emit(_ finding: StreamFinding) throws {
    findings &+= 1
    try log.add(located(finding))
  }

  func beginExcerpt(of finding: StreamFinding) throws {
    guard !excerpts.isEmpty, let excerpt = log.beginExcerpt(of: located(finding)) else { return }
    if excerpt.range != nil, let side = finding.side {
      excerpts(of: side)?.begin(excerpt)
    } else {
      try log.add { try $0.excerpt(excerpt) }
    }
  }

  private func located(_ finding: StreamFinding) -> Finding {
    Finding(
      source: log.source(finding.packet?.input ?? 0), stream: identity.number,
      direction: finding.side.map { role(of: $0) }, offset: finding.offset, length: finding.length,
      packet: finding.packet?.number, fileOffset: finding.fileOffset, code: finding.code,
      message: finding.message)
  }
}
