import Basics
import PacketCapture

/// A stream whose first bytes decide whether it is TLS. Until then it is held.
final class OpeningStream {
  enum DetectedProtocol: Equatable {
    case undecided, other
    /// What clients say in clear, and TLS may follow.
    case dialogue
    case tls(client: Side)
  }

  /// What is known of a direction.
  private struct Half {
    /// The first bytes, up to a gap.
    var head: [UInt8] = []
    var isCut = false
    var isMidstream = false
    /// The index in `head` of the hello after a dialogue; none begins before `searched`.
    private(set) var hello: Int?
    private var searched = 0

    /// Returns whether a client sends the hello, if one is found now.
    mutating func findHello() -> Bool? {
      while hello == nil, searched + Opening.helloLength <= head.count {
        if let isClient = Opening.hello(head[searched...]) {
          hello = searched
          return isClient
        }
        searched += 1
      }
      return nil
    }
  }

  /// Bytes of a direction whose beginning is missing that are searched for two records in a row: two of the longest
  /// records, and their headers.
  private static let searchLength = 2 * (5 + (1 << 14) + 2048) + 5
  /// Bytes of a direction that are searched for a hello after a dialogue, and those of both that are held for it.
  private static let dialogueLength = 1 << 14
  static let waitLength = 1 << 16

  let identity: StreamIdentity
  let slot: Int32
  private(set) var held = EventBatch()
  private(set) var bytes = 0
  /// The client, once it is known that this is TLS.
  private(set) var client: Side?
  private var first = Half()
  private var second = Half()
  private var isDialogue = false

  init(_ identity: StreamIdentity, slot: Int32) { (self.identity, self.slot) = (identity, slot) }

  private subscript(side: Side) -> Half {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }

  /// Whether the beginning of a direction was not captured.
  func isMidstream(_ side: Side) -> Bool { self[side].isMidstream }

  // MARK: - Input

  func note(_ finding: StreamFinding) {
    if finding.code == .midstreamStart, let side = finding.side { self[side].isMidstream = true }
  }

  func hold(_ gap: StreamGap, from side: Side) {
    held.gap(gap, slot: slot, side: side)
    if self[side].head.isEmpty { self[side].isMidstream = true } else { self[side].isCut = true }
  }

  func hold(_ bytes: [UInt8], origins: [SourceExtent], from side: Side) {
    self.bytes += bytes.count
    held.bytes(bytes, slot: slot, side: side, origins: origins)
    if !self[side].isCut, self[side].head.count < Self.searchLength { self[side].head += bytes }
  }

  func release(into output: inout EventBatch) {
    for event in held.events {
      if case .bytes(let event) = event, case .chunk(let index) = event.storage {
        output.bytes(
          held.chunks[Int(index)], slot: slot, side: event.side, origins: Array(held.origins[event.origins]))
      } else if case .gap(_, let side, let index) = event {
        output.gap(held.gaps[Int(index)], slot: slot, side: side)
      }
    }
  }

  // MARK: - The decision

  /// By the bytes that are held.
  func verdict(from side: Side) -> DetectedProtocol {
    if !isDialogue {
      let verdict = verdict(on: self[side].head.span.bytes, from: side)
      if case .tls(let client) = verdict { self.client = client }
      isDialogue = verdict == .dialogue
      guard isDialogue else { return verdict }
    }
    for side in Side.allCases {
      if let isClient = self[side].findHello() { client = isClient ? side : side.other }
    }
    let halves = Side.allCases.map { self[$0] }.filter { $0.hello == nil }
    let isOver = halves.isEmpty || halves.contains { $0.isCut || $0.head.count >= Self.dialogueLength }
    guard isOver || bytes >= Self.waitLength else { return .undecided }
    return client.map { .tls(client: $0) } ?? .other
  }

  func verdict(on head: RawSpan, from side: Side) -> DetectedProtocol {
    guard head.byteCount >= Opening.length else { return self[side].isCut ? .other : .undecided }
    return head.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { head in
        if let isClient = Opening.isClient(head) { return .tls(client: isClient ? side : side.other) }
        if Opening.recordLength(head) != nil { return .tls(client: identity.server.other) }
        guard self[side].isMidstream else { return Self.beginsDialogue(head) ? .dialogue : .other }
        if Self.firstRecord(in: head) != nil { return .tls(client: identity.server.other) }
        return head.count < Self.searchLength ? .undecided : .other
      }
    }
  }

  /// SOCKS, the PROXY protocol, or text that is no request of HTTP but CONNECT (docs/spec/captures.md#which-streams).
  private static func beginsDialogue(_ opening: UnsafeBufferPointer<UInt8>) -> Bool {
    let head = Array(opening.prefix(Opening.length))
    switch (head[0], head[1]) {
    case (4, 1...2), (0, 0x5a...0x5d), (5, 0...9), (5, 0xff): return true
    case (13, 10) where head[4...] == [0, 13]: return true
    default:
      let others = ["GET ", "POST", "HEAD", "PUT ", "DELE", "PATC", "OPTI", "PRI "]
      return head.allSatisfy { (0x20...0x7e).contains($0) || [9, 10, 13].contains($0) }
        && !others.contains { head.starts(with: $0.utf8) }
    }
  }

  /// Where two records follow one another.
  private static func firstRecord(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    func length(_ index: Int) -> Int? { Opening.recordLength(UnsafeBufferPointer(rebasing: bytes[index...])) }
    return bytes.indices.first { index in
      guard let first = length(index), index + first < bytes.count else { return false }
      return length(index + first) != nil
    }
  }

  // MARK: - Where TLS begins

  /// Of the first bytes of a direction.
  private func origin(of side: Side) -> SourceExtent? {
    for case .bytes(let event) in held.events where event.side == side {
      return held.origins[Int(event.firstOrigin)]
    }
    return nil
  }

  /// The offset of the direction at which it does.
  func start(of side: Side) -> Int {
    let half = self[side]
    guard isDialogue, let origin = origin(of: side) else { return 0 }
    return origin.streamOffset
      + (half.hello ?? half.head.withUnsafeBufferPointer(Self.firstRecord) ?? half.head.count)
  }

  /// The client's hello; nil if not all of it is there.
  var clientHello: ClientHello? {
    client.flatMap { ClientHello(opening: self[$0].head[(self[$0].hello ?? 0)...]) }
  }

  /// The finding of the bytes before TLS.
  /// - Parameter passesOn: whether they are passed on with the others.
  func finding(of side: Side, passesOn: Bool) -> StreamFinding? {
    let start = start(of: side)
    guard let origin = origin(of: side), start > origin.streamOffset else { return nil }
    let count = start - origin.streamOffset
    return StreamFinding(
      .plaintextBeforeTLS, stream: identity.number, side: side, offset: passesOn ? 0 : nil,
      length: passesOn ? start : count, fileOffset: origin.fileOffset, packet: origin.packet,
      message: "\(Count.of(count, "byte")) in clear before TLS, not decoded")
  }
}

/// The first bytes of a direction.
private enum Opening {
  /// The bytes that `isClient(_:)` and `recordLength(_:)` need.
  static let length = 6
  /// The bytes that `hello(_:)` needs.
  static let helloLength = 11

  /// Bytes of the record that begins so, its header included; nil where none does.
  static func recordLength(_ opening: UnsafeBufferPointer<UInt8>) -> Int? {
    guard opening.count >= RecordHeader.length, let start = opening.baseAddress else { return nil }
    return RecordHeader(start, version: nil)?.recordLength
  }

  /// Whether a client sends a direction that begins so; nil where it is no handshake of TLS.
  static func isClient(_ opening: some Collection<UInt8>) -> Bool? {
    let bytes = Array(opening.prefix(length))
    if bytes[0] == RecordHeader.ContentType.handshake, bytes[1] == 3, bytes[2] <= 4 {
      return bytes[5] == 1 ? true : bytes[5] == 2 ? false : nil
    }
    return bytes[0] & 0x80 != 0 && bytes[2] == 1 && bytes[3] == 3 ? true : nil
  }

  /// The same of a hello that begins so. It is strict enough for a search in other bytes.
  static func hello(_ opening: ArraySlice<UInt8>) -> Bool? {
    let bytes = Array(opening.prefix(helloLength))
    guard let isClient = isClient(bytes) else { return nil }
    if bytes[0] == RecordHeader.ContentType.handshake {
      return bytes[2] <= 3 && bytes[6] == 0 && bytes[9] == 3 && bytes[10] <= 3 ? isClient : nil
    }
    // SSL 2.0: its three lengths add up.
    let length = 9 + [5, 7, 9].reduce(0) { $0 + (Int(bytes[$1]) << 8 | Int(bytes[$1 + 1])) }
    return Int(bytes[0] & 0x7f) << 8 | Int(bytes[1]) == length && bytes[4] <= 3 ? isClient : nil
  }
}

extension ClientHello {
  /// - Parameter opening: the direction's first bytes, from its first record on. Nil unless that has a whole hello.
  fileprivate init?(opening: ArraySlice<UInt8>) {
    guard let length = opening.withUnsafeBufferPointer(Opening.recordLength) else {
      self.init(ssl2: opening.dropFirst(2))
      return
    }
    guard opening.count >= length, opening.dropFirst(RecordHeader.length).first == 1 else { return nil }
    self.init(opening.prefix(length).dropFirst(RecordHeader.length + 4))
  }
}

extension ByteEvent {
  var origins: Range<Int> { Int(firstOrigin)..<Int(firstOrigin &+ originCount) }
}
