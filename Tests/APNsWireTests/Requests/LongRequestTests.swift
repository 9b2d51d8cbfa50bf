import APNsWire
import TestSupport
import Testing

/// Long runs: the largest hold-back, and searches over streams of request beginnings.
@Suite("Long streams of requests and responses")
struct LongRequestTests {
  @Test("a long damaged stream, in chunks of many sizes", arguments: [1, 2, 3, 7, 37, 1448, 16_384])
  func damaged(_ size: Int) {
    WatchedDecoding(requests: Self.stream) { size }.expect(Self.whole)
  }

  private static let stream: [UInt8] = {
    var source = DamagedRequests(seed: 2195)
    return source.long(length: 1 << 19)
  }()
  private static let whole = WatchedDecoding(requests: stream) { .max / 2 }.evidence

  @Test("with frames of up to 65,535 bytes", arguments: [3000, 70_000, 300_000])
  func largeFrames(_ most: Int) {
    var source = DamagedRequests(seed: 7)
    var bytes: [UInt8] = []
    for length in [65_497, 30_000, 65_496, 65_497, 65_497] {
      let frame = RequestBytes.framed(RequestBytes.token(), RequestBytes.json(length))
      bytes += frame.dropLast(source.generator.pick([0, 0, 1, 100])) + source.long(length: 5000)
    }
    let whole = WatchedDecoding(requests: bytes) { .max / 2 }
    #expect(whole.breach == nil)
    WatchedDecoding(requests: bytes) { source.generator.pick(1...most) }.expect(whole.evidence)
  }

  /// The worst case of the rules: the last byte of a largest frame begins another largest frame, so that the boundary
  /// between them is not plausible. After both is a command 1 with the longest token, whose last length decides.
  @Test("the hold-back is reached if necessary, and never exceeded", arguments: [1, 97, 1 << 20])
  func holdBack(_ size: Int) {
    let rules = RequestRules.standard
    #expect(rules.holdBack == 2 * 65_540 + 13 + 100)
    let inner = RequestBytes.framed(RequestBytes.token(), RequestBytes.json(65_497))
    let outer = RequestBytes.frame(RequestBytes.token(65_534) + inner.prefix(1))
    let last = RequestBytes.enhanced(RequestBytes.token(100), Array("{}".utf8))
    let decoding = WatchedDecoding(requests: outer + inner.dropFirst() + last, rules: rules) { size }
    #expect(decoding.breach == nil)
    #expect(
      decoding.evidence.text
        == "skipped 0+65539, request 65539+65540 payload-too-large resynchronised, "
        + "request 131079+115 unexpected-token-length")
    if size == 1 { #expect(decoding.mostCarried == rules.holdBack - 2) }
  }

  /// Streams of two million bytes, on which a search that reads bytes more than a few times would take too long.
  static let patterns: [(String, [UInt8])] = [
    ("frames of 65,535 bytes in each other", [2, 0, 0, 0xff, 0xff]),
    ("and with a unknown command", [2, 0, 0, 0xff, 0xff, 9]),
    ("zeros", [0]), ("ones", [1]), ("twos", [2]), ("eights", [8]), ("braces", [0x7b]),
    ("command 0 with tokens of 32", [0, 0, 32]),
    ("command 0 with tokens of 100", [0, 0, 100]),
    ("command 1 with tokens of 100", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100]),
    ("command 0 with payloads of 4096", [0, 0, 0, 16, 0]),
    ("empty frames", [2, 0, 0, 0, 0]),
    ("empty frames and a unknown command", [2, 0, 0, 0, 0, 9]),
    ("frames whose items are empty", RequestBytes.frame(RequestBytes.token(65_535, fill: 0)) + [9]),
    ("frames of unknown items", RequestBytes.frame([UInt8](repeating: 9, count: 3000)) + [9]),
    ("almost starts", [UInt8](RequestBytes.framed().dropLast()) + [0x7c, 9]),
    ("starts without a boundary", RequestBytes.simple() + [9]),
    ("responses but for a unknown command", [8, 0, 0, 0, 0, 0, 9]),
    ("responses of an unknown status", [9, 8, 9, 0, 0, 0, 0]),
  ]

  @Test("searches take linear time: two million bytes of beginnings", arguments: patterns)
  func linear(_ name: String, _ pattern: [UInt8]) {
    let bytes = Array(repeatElement(pattern, count: 2_000_000 / pattern.count + 1).joined())
    for beginsStream in [true, false] {
      let whole = WatchedDecoding(requests: bytes, beginsStream: beginsStream) { bytes.count }
      #expect(whole.breach == nil)
      WatchedDecoding(requests: bytes, beginsStream: beginsStream) { 1000 }.expect(whole.evidence)
    }
    let whole = WatchedDecoding(responses: bytes) { bytes.count }
    #expect(whole.breach == nil)
    WatchedDecoding(responses: bytes) { 1000 }.expect(whole.evidence)
  }
}
