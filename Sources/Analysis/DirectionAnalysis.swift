import APNsWire
import PacketCapture
import WireBytes

/// One direction of a stream: tells what it is by its first bytes, and has it decoded if that is known here.
///
/// A direction is a chain of runs with gaps between them; its first run decides.
final class DirectionAnalysis {
  enum Content {
    case undecided, ciphertext, other
    case decoded(any RunDirection)
  }

  private unowned let stream: StreamAnalysis
  private let side: Side
  private(set) var content = Content.undecided
  /// The first run's bytes while they are too few to tell what it is.
  private var opening: [UInt8] = []
  var trail = OriginTrail()
  private(set) var bytes = 0
  private(set) var gapBytes = 0
  /// Whether its first byte is the first that was sent: not so where the capture began later.
  private var beginsStream = true
  /// Offset where the first run begins.
  private var start = 0
  /// Offset behind the last byte or gap.
  private var end = 0
  /// What the source found in bytes that are not decided yet.
  private var early = EarlyFindings()
  /// Where the direction's first byte stands in the file, or the mark of the gap that it begins with.
  private var first: (fileOffset: Int?, packet: PacketReference?)?

  init(of stream: StreamAnalysis, side: Side) {
    self.stream = stream
    self.side = side
  }

  var role: Direction { stream.role(of: side) }

  var log: EvidenceLog { stream.log }

  var records: Int {
    if case .decoded(let decoded) = content { decoded.records } else { 0 }
  }

  /// Whether it carries what servers send, feedback or error responses; nil until its bytes have told.
  var carriesAnswers: Bool? {
    switch content {
    case .undecided: nil
    case .decoded(let decoded): !(decoded is RequestDirection)
    case .ciphertext, .other: false
    }
  }

  /// Offset from 0 up to which all has been said of the direction's bytes; where bytes are being skipped, that of the
  /// first of them. Nil where nothing is decoded.
  var coveredOffset: Int? {
    switch content {
    case .undecided: start
    case .decoded(let decoded): decoded.coveredOffset
    case .ciphertext, .other: nil
    }
  }

  /// Whether it is known to carry what clients send to gateways.
  var carriesRequests: Bool {
    if case .decoded(let decoded) = content { decoded is RequestDirection } else { false }
  }

  func labels(_ origin: ByteOrigin) -> StreamLabels { stream.labels(input: origin.packet?.input ?? 0) }

  // MARK: - Events

  func append(_ bytes: RawSpan, origins: Span<ByteOrigin>) throws {
    if first == nil, !origins.isEmpty { first = (origins[0].fileOffset, origins[0].packet) }
    end &+= bytes.byteCount
    self.bytes &+= bytes.byteCount
    switch content {
    case .decoded(let decoded):
      trail.append(origins, end: end)
      try decoded.decode(bytes, of: self)
      try releaseEarly(before: decoded.coveredOffset)
    case .undecided:
      trail.append(origins, end: end)
      bytes.withUnsafeBytes { opening.append(contentsOf: $0) }
      if opening.count >= stream.headLength(side) { try decide() }
    case .ciphertext, .other:
      break
    }
  }

  func gap(_ gap: StreamGap) throws {
    if first == nil { first = (gap.fileOffset, gap.packet) }
    gapBytes &+= gap.length
    try endRun()
    end = gap.offset &+ gap.length
    // One finding stands for all of a ciphertext, and it comes last, when its length is known.
    if case .ciphertext = content { return }
    try find(
      .streamGap, offset: gap.offset, length: gap.length, fileOffset: gap.fileOffset, packet: gap.packet,
      "\(Count.of(gap.length, "byte")) of the stream missing here")
    if case .decoded(let decoded) = content { decoded.beginRun(at: end) } else { start = end }
    beginsStream = false
  }

  /// The source found something; it waits for its turn where bytes before it are not decided yet.
  func anomaly(_ finding: StreamFinding) throws {
    let covered =
      switch content {
      case .decoded(let decoded): decoded.coveredOffset
      case .undecided: start
      case .ciphertext, .other: Int.max
      }
    if early.take(finding, from: covered) { return }
    try stream.find(finding)
  }

  /// What the source found up to `offset` comes next, then records from there on: up to the offset that this returns,
  /// before which it found nothing more. Asked for each run of records: mostly there is nothing at all.
  func endOfTurn(from offset: Int) throws -> Int {
    guard early.first != nil else { return .max }
    try releaseEarly(before: offset &+ 1)
    return early.first?.offset ?? .max
  }

  /// All before `offset` was said: what the source found there comes next.
  func releaseEarly(before offset: Int) throws {
    while let finding = early.removeFirst(before: offset) { try stream.find(finding) }
  }

  /// The capture lacks the beginning.
  func beginInMidstream() { beginsStream = false }

  func close() throws {
    try endRun()
    try releaseEarly(before: .max)
    log.summary.gapBytes &+= gapBytes
    if case .decoded = content {
      log.summary.streamBytes &+= bytes
    } else {
      log.summary.undecodedBytes &+= bytes
    }
    guard case .ciphertext = content else { return }
    let missing = gapBytes > 0 ? "; \(Count.of(gapBytes, "byte")) of it missing" : ""
    try find(
      .encryptedStream, offset: 0, length: end, fileOffset: first?.fileOffset, packet: first?.packet,
      "the stream is TLS ciphertext: nothing in it can be decoded without its keys\(missing)")
  }

  // MARK: - What it is

  private func endRun() throws {
    if case .undecided = content, !opening.isEmpty { try decide() }
    if case .decoded(let decoded) = content { try decoded.endRun(of: self) }
    try releaseEarly(before: end)
  }

  /// Tells what the direction is by the first bytes of its first run, and lets those go their way.
  private func decide() throws {
    let head = opening
    opening = []
    if Ciphertext.begins(head) {
      content = .ciphertext
    } else if let carried = stream.content(of: head, from: side) {
      try stream.recognised(carried, from: side)
      let decoded = stream.decoding(carried, offset: start, beginsStream: beginsStream)
      content = .decoded(decoded)
      try decoded.decode(head.span.bytes, of: self)
      return try releaseEarly(before: decoded.coveredOffset)
    } else {
      content = .other
    }
    trail = OriginTrail()
  }

  // MARK: - Findings

  func find(
    _ code: FindingCode, offset: Int?, length: Int?, origin: ByteOrigin?, _ message: String
  ) throws {
    try find(
      code, offset: offset, length: length,
      fileOffset: origin.flatMap { origin in offset.map { origin.fileOffset(of: $0) } },
      packet: origin?.packet, message)
  }

  func find(
    _ code: FindingCode, offset: Int?, length: Int?, fileOffset: Int?, packet: PacketReference?,
    _ message: String
  ) throws {
    if let offset { try releaseEarly(before: offset &+ 1) }
    try stream.find(
      StreamFinding(
        code: code, side: side, offset: offset, length: length, fileOffset: fileOffset, packet: packet,
        message: message))
  }
}
