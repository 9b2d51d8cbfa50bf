import APNsPushes
import APNsWire
import TestSupport
import Testing

private typealias Bytes = HTTP2Bytes

/// Heads of directions that may be cut off anywhere (docs/spec/pushes.md#connections).
@Suite("HTTP/2 by the first bytes") struct HTTP2RecognitionTests {
  private static let ping = Bytes.frame(6, 0, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8])
  private static let settings = Bytes.frame(4, 0, stream: 0, [0, 3, 0, 0, 0, 100])
  private static let request = Array("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n".utf8)
  private static let answer = Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8)
  private static let headers = Bytes.frame(1, 4, stream: 1, [0x88])
  private static let lastData = Bytes.frame(0, 1, stream: 1, [1])
  private static func data(_ byte: UInt8) -> [UInt8] { Bytes.frame(0, 0, stream: 1, [byte]) }

  static let clients: [(sentence: String, head: [UInt8], isClient: Bool)] = [
    ("the preface", Bytes.preface, true),
    ("all of it but the last byte", Bytes.preface.dropLast(), false),
    ("with another last byte", Bytes.preface.dropLast() + [0], false),
    ("after a request", request + Bytes.preface, true),
    ("after a request, all but the last byte", request + Bytes.preface.dropLast(), false),
    ("after a request, with frames", request + Bytes.preface + settings, true),
    ("after 1024 bytes", filled(1024) + Bytes.preface, true),
    ("after 1025 bytes", filled(1025) + Bytes.preface, false),
    ("after a zero byte", [0] + Bytes.preface, false),
    ("a request alone", request + request, false),
    ("frames alone", settings + ping + ping, false), ("nothing", [], false),
  ]

  static let servers: [(sentence: String, head: [UInt8], isServer: Bool)] = [
    ("SETTINGS and two frames", settings + ping + ping + [0xff], true),
    ("SETTINGS and a frame, and the end", settings + ping, true),
    ("SETTINGS and a frame, and a part of another", settings + ping + ping.prefix(8), false),
    ("the third frame is cut after its header", settings + ping + ping.prefix(9), true),
    ("SETTINGS alone", settings, false),
    ("SETTINGS that are cut", settings.dropLast(), false),
    ("a header that is cut", Array(settings.prefix(8)), false),
    ("the second frame is none", settings + [UInt8](repeating: 0xff, count: 17) + ping, false),
    ("the third frame is none", settings + ping + [UInt8](repeating: 0xff, count: 17), false),
    ("an acknowledgement comes first", Bytes.frame(4, 1, stream: 0, []) + settings + ping, false),
    ("PING comes first", ping + settings + ping, false),
    ("an answer to an upgrade before it", answer + settings + ping + ping, true),
    ("the answer alone", answer, false),
    ("the answer, and PING first", answer + ping + settings + ping, false),
    ("another answer", Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + settings + ping + ping, false),
    ("zeros", [UInt8](repeating: 0, count: 512), false), ("nothing", [], false),
  ]

  static let insides: [(sentence: String, head: [UInt8], isInside: Bool)] = [
    ("three frames", headers + data(1) + ping, true), ("two frames", headers + ping, false),
    ("after other bytes", [0xff, 0xff, 0xff] + headers + data(1) + ping, true),
    ("three frames of DATA", data(1) + data(2) + data(3), false),
    ("two of DATA, then HEADERS", data(1) + data(2) + headers, true),
    ("HEADERS, then two of DATA", headers + data(1) + data(2), true),
    ("DATA, HEADERS, DATA", data(1) + headers + data(2), true),
    ("three that are alike", Bytes.settings + Bytes.settings + Bytes.settings, false),
    ("the third is another", Bytes.settings + Bytes.settings + Bytes.frame(4, 1, stream: 0, []), true),
    ("the first is another", Bytes.frame(4, 1, stream: 0, []) + Bytes.settings + Bytes.settings, true),
    ("a message", headers + lastData, true), ("a message that is cut", headers + lastData.dropLast(), false),
    ("a message, and a byte", headers + lastData + [0], false),
    ("a message that goes on", headers + data(1), false),
    ("a message whose HEADERS go on", Bytes.frame(1, 0, stream: 1, [0x88]) + lastData, false),
    ("HEADERS and DATA of two streams", Bytes.frame(1, 4, stream: 3, [0x88]) + lastData, false),
    ("DATA and HEADERS", lastData + headers, false),
    ("zeros", [UInt8](repeating: 0, count: 512), false),
  ]

  /// How many first bytes show whether three frames begin.
  static let startLengths: [(sentence: String, head: [UInt8], length: Int)] = [
    ("nothing", [], 9), ("a header that is cut", Array(headers.prefix(8)), 9), ("no frame", filled(100), 9),
    ("a header", Array(headers.prefix(9)), 19), ("a frame", headers, 19),
    ("no second frame", headers + filled(100), 19),
    ("two headers", headers + data(1).prefix(9), 29),
    ("three frames", headers + data(1) + ping + ping, 29),
    ("no third frame", headers + data(1) + filled(100), 29),
  ]

  /// Of header blocks, static entries of RFC 7541, appendix A: 2 is `:method GET`, 4 `:path /`, 8 `:status 200`, 16 none of
  /// these.
  static let senders: [(sentence: String, head: [UInt8], sender: Direction?)] = [
    ("a method", Bytes.frame(1, 4, stream: 1, [0x82]), .client),
    ("a path", Bytes.frame(1, 4, stream: 1, [0x84]), .client),
    ("a status", Bytes.frame(1, 4, stream: 1, [0x88]), .server),
    ("a promise", Bytes.frame(5, 4, stream: 1, [0, 0, 0, 2, 0x82, 0x84]), .server),
    ("the first that shows it", headers + Bytes.frame(1, 4, stream: 3, [0x82]), .server),
    ("another field", Bytes.frame(1, 4, stream: 1, [0x90]), nil),
    ("a block that is not whole", Bytes.frame(1, 0, stream: 1, [0x82]), nil),
    ("no block", ping, nil), ("no frame", [0xff, 0xff], nil), ("nothing", [], nil),
  ]

  @Test("the sender of a run from the middle", arguments: senders) func sender(
    _ sentence: String, _ head: [UInt8], _ expected: Direction?
  ) {
    let pings = head.isEmpty ? [] : Self.ping + Self.ping
    #expect(HTTP2Recognition.sender(of: (head + pings).span.bytes) == expected)
  }

  private static func filled(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x2d, count: count) }

  @Test("a client", arguments: clients) func client(_ sentence: String, _ head: [UInt8], _ expected: Bool) {
    #expect(HTTP2Recognition.isClient(head.span.bytes) == expected)
  }

  @Test("a server", arguments: servers) func server(_ sentence: String, _ head: [UInt8], _ expected: Bool) {
    #expect(HTTP2Recognition.isServer(head.span.bytes) == expected)
  }

  @Test("in the middle", arguments: insides) func inside(
    _ sentence: String, _ head: [UInt8], _ expected: Bool
  ) {
    #expect(HTTP2Recognition.isInside(head.span.bytes) == expected)
  }

  @Test("how many bytes show three frames", arguments: startLengths)
  func starts(_ sentence: String, _ head: [UInt8], _ expected: Int) {
    #expect(HTTP2Recognition.startLength(head.span.bytes) == expected)
  }

  @Test(
    "how many bytes decide, of a server 512, none where more do not change it",
    arguments: Fixtures.rows("heads", in: "http2-rules") as [(String, Int?)])
  func deciding(_ head: String, _ expected: Int?) {
    #expect(HTTP2Recognition.decidingLength(Array(head.utf8).span.bytes, server: 512) == expected)
  }
}
