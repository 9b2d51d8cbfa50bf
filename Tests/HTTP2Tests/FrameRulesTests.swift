import APNsWire
import TestSupport
import Testing

private typealias Bytes = HTTP2Bytes

/// What RFC 9113, section 6, and docs/spec/pushes.md#frames say of each type of frame.
@Suite("Rules of frames") struct FrameRulesTests {
  /// The streams whose frames have a type.
  enum Streams: Sendable { case connection, requests, any, all }

  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var type: UInt8
    /// All flags that are defined.
    var flags: UInt8
    var streams: Streams
    /// Lengths that are valid, and some that are not, in bytes.
    var lengths, otherLengths: [Int]

    init(
      _ name: String, _ type: UInt8, flags: UInt8, _ streams: Streams, _ lengths: [Int], others: [Int] = []
    ) {
      (testDescription, self.type, self.flags) = (name, type, flags)
      (self.streams, self.lengths, otherLengths) = (streams, lengths, others)
    }

    /// A stream that is valid.
    var stream: UInt32 { streams == .connection ? 0 : 1 }
  }

  static let kinds = [
    Kind("DATA (6.1)", 0, flags: 0x09, .requests, [1, 16_384], others: [16_385]),
    Kind("HEADERS (6.2)", 1, flags: 0x2d, .requests, [1, 16_384], others: [16_385]),
    Kind("PRIORITY (6.3)", 2, flags: 0, .any, [5], others: [0, 4, 6]),
    Kind("RST_STREAM (6.4)", 3, flags: 0, .any, [4], others: [0, 3, 5]),
    Kind("SETTINGS (6.5)", 4, flags: 0x01, .connection, [0, 6, 12], others: [1, 5, 7]),
    Kind("PUSH_PROMISE (6.6)", 5, flags: 0x0c, .requests, [4, 5], others: [0, 3]),
    Kind("PING (6.7)", 6, flags: 0x01, .connection, [8], others: [0, 7, 9]),
    Kind("GOAWAY (6.8)", 7, flags: 0, .connection, [8, 9], others: [0, 7]),
    Kind("WINDOW_UPDATE (6.9)", 8, flags: 0, .all, [4], others: [0, 3, 5]),
    Kind("CONTINUATION (6.10)", 9, flags: 0x04, .requests, [0, 1, 16_384], others: [16_385]),
  ]

  private static let ping = Bytes.frame(6, 0, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8])

  private static let pings = ping + ping + ping

  private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ length: Int) -> [UInt8] {
    Bytes.frame(type, flags, stream: stream, [UInt8](repeating: 0xff, count: length))
  }

  /// Whether a frame is read after another one, and whether decoding begins with it.
  private func roles(_ frame: [UInt8]) -> [Bool] {
    let after = frameSteps(Bytes.settings + frame + Self.pings, .server)
    let alone = frameSteps(frame, .server, beginsStream: false)
    let skips = [
      after[2] == .skipped(offset: 9, length: frame.count),
      alone == [.skipped(offset: 0, length: frame.count)],
    ]
    let reads = [after[2].isFrame(frame.count), alone.count == 1 && alone[0].isFrame(frame.count)]
    #expect(reads == skips.map(!), "either it is read or it is skipped")
    return reads
  }

  @Test("lengths", arguments: kinds) func lengths(_ kind: Kind) {
    for length in kind.lengths { #expect(roles(frame(kind.type, 0, kind.stream, length)) == [true, true]) }
    for length in kind.otherLengths {
      #expect(roles(frame(kind.type, 0, kind.stream, length)) == [false, false], "of \(length) bytes")
    }
  }

  @Test("streams", arguments: kinds) func streams(_ kind: Kind) {
    for stream in [0, 1, 2, 3, 0x7fff_fffe, 0x7fff_ffff] as [UInt32] {
      let isValid =
        switch kind.streams {
        case .connection: stream == 0
        case .requests, .any: stream > 0
        case .all: true
        }
      // Those that the server would open have even numbers, and there are none.
      let isPlausible = isValid && (kind.streams != .requests || stream % 2 == 1)
      let found = roles(frame(kind.type, 0, stream, kind.lengths[0]))
      #expect(found == [isValid, isPlausible], "stream \(stream)")
    }
  }

  @Test("flags: those that are not defined are ignored, but start nothing", arguments: kinds)
  func flags(_ kind: Kind) {
    for flag in (0..<8).map({ UInt8(1) << $0 }) where !(kind.type == 4 && flag == 1) {
      let found = roles(frame(kind.type, flag, kind.stream, kind.lengths[0]))
      #expect(found == [true, kind.flags & flag > 0], "flag \(flag)")
    }
  }

  @Test("the reserved bit is ignored, but starts nothing", arguments: kinds) func reservedBit(_ kind: Kind) {
    let bytes = frame(kind.type, 0, kind.stream | 1 << 31, kind.lengths[0])
    #expect(roles(bytes) == [true, false])
    #expect(frameSteps(Bytes.settings + bytes, .server).frames.last?[2] == Int(kind.stream))
  }

  @Test(arguments: Fixtures.rows("roles", in: "http2-rules") as [(String, UInt8, UInt8, UInt32, Int, [Bool])])
  func rule(
    _ sentence: String, _ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ length: Int, _ expected: [Bool]
  ) {
    #expect(roles(frame(type, flags, stream, length)) == expected)
  }

  // MARK: - Sequences

  @Test("decoding starts with three plausible frames, or with fewer up to the end") func starts() {
    let other = Bytes.frame(10, 0, stream: 0, [])
    func steps(_ bytes: [UInt8]) -> [FrameEvidence] { frameSteps(bytes, .client, beginsStream: false) }
    #expect(steps(Self.pings + other).filter { $0.isFrame(17) }.count == 3)
    #expect(steps(Self.ping + Self.ping).filter { $0.isFrame(17) }.count == 2)
    #expect(steps(Self.ping + Self.ping + other) == [.skipped(offset: 0, length: 43)])
    // The second one is cut off.
    #expect(steps(Self.ping + Self.ping.dropLast()) == [.skipped(offset: 0, length: 33)])
  }

  @Test("a frame one byte after bytes that are none") func oneByte() {
    let steps = frameSteps(Bytes.settings + [0xff] + Self.pings, .server)
    #expect(steps[2] == .skipped(offset: 9, length: 1))
    #expect(steps[3...].map { $0.isFrame(17) } == [true, true, true])
  }

  @Test(
    "what a peer's SETTINGS_MAX_FRAME_SIZE allows, up to 1 MiB",
    arguments: Fixtures.rows("limits", in: "http2-rules") as [(Int, Int, Bool)])
  func limit(_ allowed: Int, _ length: Int, _ isRead: Bool) {
    let bytes = Bytes.settings + frame(0, 0, 1, length) + Self.pings
    var decoder = FrameDecoder(.server)
    decoder.allow(payload: allowed)
    var lengths: [Int] = []
    decoder.decode(whole: bytes.span.bytes) { step, _ in
      if case .record(.frame(let frame)) = step { lengths.append(frame.length) }
    }
    #expect(lengths == [9] + (isRead ? [9 + length] : []) + [17, 17, 17])
  }

  // MARK: - Openings

  private static let request = Array("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n".utf8)
  private static let answer = Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8)
  private static let junk = [UInt8](repeating: 0xff, count: 5)

  private func openings(_ bytes: [UInt8], _ sender: Direction) -> [FrameRecord] {
    var decoder = FrameDecoder(sender)
    var found: [FrameRecord] = []
    decoder.decode(whole: bytes.span.bytes) { step, _ in
      if case .record(.opening(let offset, let length)) = step {
        found.append(.opening(offset: offset, length: length))
      }
    }
    return found
  }

  @Test("a second preface, after damage, opens another connection without an upgrade") func secondOpening() {
    let second = Self.junk + Bytes.preface + Bytes.settings
    let first = Self.request + Bytes.preface + Bytes.settings
    #expect(
      openings(first + second, .client) == [
        .opening(offset: 0, length: 24 + Self.request.count),
        .opening(offset: first.count + 5, length: 24),
      ])
    // A request that no preface followed is no part of the one that comes later.
    let none = Self.request + Self.pings
    #expect(openings(none + second, .client) == [.opening(offset: none.count + 5, length: 24)])
  }

  @Test("a server opens once") func serverOpening() {
    let bytes = Self.answer + Bytes.settings + Self.pings + Self.junk + Self.pings
    #expect(openings(bytes, .server) == [.opening(offset: 0, length: Self.answer.count)])
    #expect(
      frameSteps(bytes, .server)[5] == .skipped(offset: Self.answer.count + 60, length: 5))
    #expect(openings(Bytes.settings, .server) == [.opening(offset: 0, length: 0)])
  }

  // MARK: - Contents

  @Test(
    "without padding and what is before a header block",
    arguments: Fixtures.rows("contents", in: "http2-rules") as [(String, UInt8, UInt8, [UInt8], [UInt8]?)])
  func content(_ sentence: String, _ type: UInt8, _ flags: UInt8, _ payload: [UInt8], _ content: [UInt8]?)
    throws
  {
    let bytes = Bytes.settings + Bytes.frame(type, flags, stream: type == 7 ? 0 : 1, payload)
    var decoder = FrameDecoder(.server)
    var found: [[UInt8]?] = []
    decoder.decode(whole: bytes.span.bytes) { step, run in
      guard case .record(.frame(let frame)) = step else { return }
      found.append(frame.content(in: run).map { run.extracting($0).withUnsafeBytes { Array($0) } })
    }
    #expect(found == [[], content])
  }
}

extension FrameEvidence {
  fileprivate func isFrame(_ length: Int) -> Bool {
    if case .frame(let numbers, _) = self { numbers[4] == length } else { false }
  }
}
