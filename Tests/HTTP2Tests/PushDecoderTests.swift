import APNsPushes
import APNsWire
import TestSupport
import Testing

private typealias Bytes = HTTP2Bytes

/// docs/spec/pushes.md#connections. The expected pushes follow from the specification.
@Suite("Pushes from the bytes of a connection") struct PushDecoderTests {
  private static let token = String(repeating: "a1", count: 32)
  private static let junk = [UInt8](repeating: 0xff, count: 20)
  private static let gone = #"{"reason":"Unregistered","timestamp":1700000000123}"#

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What comes after SETTINGS of both sides.
    var client, server: [UInt8]
    /// `stream token status reason timestamp flags`, without what is not known.
    var pushes: [String]
    /// `sender kind offset+length`; offsets count from the end of the SETTINGS.
    var rest: [String]

    init(_ sentence: String, _ client: [UInt8], _ server: [UInt8], _ pushes: [String], _ rest: [String] = [])
    {
      (testDescription, self.client, self.server) = (sentence, client, server)
      (self.pushes, self.rest) = (pushes, rest)
    }

    var allOfClient: [UInt8] { Bytes.preface + Bytes.settings + client }
    var allOfServer: [UInt8] { Bytes.settings + server }
  }

  static let cases = [
    Case(
      "one that is accepted and one whose token is gone", Bytes.request(1, token) + Bytes.request(3, token),
      Bytes.response(3, "410", body: gone) + Bytes.response(1, "200"),
      ["1 \(token) 200", "3 \(token) 410 Unregistered 1700000000123"]),
    Case(
      "a request without a response proves nothing", Bytes.request(1, token), [], ["1 \(token) no-response"]),
    Case(
      "a response without its request", [], Bytes.response(7, "400", body: #"{"reason":"BadTopic"}"#),
      ["7 400 BadTopic uncorrelated"]),
    Case(
      "bytes that are no frames, before whole ones", junk + Bytes.request(1, token) + Bytes.settings,
      Bytes.response(1, "200"), ["1 \(token) 200"], ["client skipped 0+20"]),
    Case(
      "bytes that are no frames, in an answer", Bytes.request(1, token),
      Bytes.frame(1, 4, stream: 1, Bytes.block([(":status", "400")])) + junk
        + Bytes.frame(0, 1, stream: 1, [1]) + Bytes.settings + Bytes.settings,
      ["1 \(token) 400 body-lost"], ["server skipped 22+20"]),
    Case(
      "frames that are cut", Bytes.request(1, token) + Bytes.request(3, token).dropLast(2),
      Bytes.response(1, "200") + Bytes.response(3, "200").dropLast(2),
      ["1 \(token) 200", "3 \(token) no-response"], ["server truncated 36+34", "client truncated 277+9"]),
    Case(
      "a frame that the other side's SETTINGS allow",
      Bytes.settings
        + Bytes.frame(10, 0, stream: 0, Array(repeating: 0, count: 20_000)) + Bytes.request(1, token),
      Bytes.frame(4, 0, stream: 0, [0, 5, 0, 0, 128, 0]) + Bytes.response(1, "200"), ["1 \(token) 200"]),
    Case(
      "a header block that is cut", Bytes.frame(1, 1, stream: 1, Bytes.requestBlock(token)), [], [],
      ["client truncated 0+133"]),
    Case(
      "header blocks that are cut before a frame, and before bytes that are none",
      blocks(1, [9], end: false) + Bytes.request(3, token) + blocks(5, [9], end: false) + junk
        + Bytes.request(7, token) + Bytes.settings, Bytes.response(3, "200") + Bytes.response(7, "200"),
      ["3 \(token) 200", "7 \(token) 200"],
      ["client truncated 0+142", "client truncated 286+142", "client skipped 428+20"]),
    Case(
      "a header block in three frames", blocks(1, [9, 0], end: true) + Bytes.frame(0, 1, stream: 1, []),
      Bytes.response(1, "200"), ["1 \(token) 200"]),
    Case(
      "a header block in frames of which the last is missing", blocks(1, [9], end: false), [], [],
      ["client truncated 0+142"]),
    Case(
      "a continuation of nothing", Bytes.frame(9, 4, stream: 1, [0x88]) + Bytes.request(1, token),
      Bytes.response(1, "200"), ["1 \(token) 200"], ["client unreadable 0+10"]),
    Case(
      "GOAWAY excludes what comes after its stream",
      Bytes.request(1, token) + Bytes.request(3, token) + Bytes.request(5, token),
      Bytes.frame(7, 0, stream: 0, Bytes.bytes(5) + Bytes.bytes(0))
        + Bytes.frame(
          7, 0, stream: 0, Bytes.bytes(1) + Bytes.bytes(0) + Array(#"{"reason":"Shutdown"}"#.utf8))
        + Bytes.response(1, "200"),
      ["1 \(token) 200", "3 \(token) Shutdown goaway no-response", "5 \(token) Shutdown goaway no-response"]),
    Case(
      "a stream that the server resets", Bytes.request(1, token), Bytes.reset(1, code: 8),
      ["1 \(token) no-response stream-reset"]),
    Case(
      "a request that the client resets",
      Bytes.frame(1, 4, stream: 1, Bytes.requestBlock(token))
        + Bytes.reset(1, code: 8), [], ["1 \(token) no-response stream-reset"]),
    Case(
      "a header block that is not compressed as it should be", Bytes.frame(1, 5, stream: 1, [0x80]),
      Bytes.response(1, "200"), ["1 200 uncorrelated"], ["client unreadable 0+10"]),
  ]

  /// The header block of a request in frames that are cut after `cuts` more bytes each.
  private static func blocks(_ stream: UInt32, _ cuts: [Int], end: Bool) -> [UInt8] {
    var rest = Bytes.requestBlock(token)[...]
    var frames: [UInt8] = []
    for count in cuts {
      frames += Bytes.frame(frames.isEmpty ? 1 : 9, 0, stream: stream, Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return frames + Bytes.frame(9, end ? 4 : 0, stream: stream, Array(rest))
  }

  @Test("of a whole connection", arguments: cases) func whole(_ test: Case) {
    let found = PushDecoder.decode(client: test.allOfClient, server: test.allOfServer)
    #expect(found.records.map(\.text) == test.pushes)
    #expect(found.rest.map(\.text) == test.rest)
  }

  @Test("in chunks of any size, the client's first or the server's", arguments: cases) func chunks(
    _ test: Case
  ) {
    for (size, clientIsFirst) in (1...40).flatMap({ [($0, true), ($0, false)] }) {
      var decoder = PushDecoder()
      var found = Decoded<Push>()
      let sides: [(Direction, [UInt8])] = [(.client, test.allOfClient), (.server, test.allOfServer)]
      for start in stride(from: 0, to: max(sides[0].1.count, sides[1].1.count), by: size) {
        for (direction, bytes) in clientIsFirst ? sides : sides.reversed() where start < bytes.count {
          let chunk = Array(bytes[start..<min(start + size, bytes.count)])
          decoder.decode(chunk.span.bytes, from: direction, into: &found)
        }
      }
      decoder.finish(into: &found)
      #expect(found.records.map(\.text).sorted() == test.pushes, "in chunks of \(size)")
      #expect(found.rest.map(\.text) == test.rest)
    }
  }

  @Test("topic, id and offsets") func fields() throws {
    let push = try #require(
      PushDecoder.decode(
        client: Bytes.preface + Bytes.settings + Bytes.request(1, Self.token),
        server: Bytes.settings + Bytes.response(1, "200")
      ).records.first)
    #expect(push.topic == "com.example.app" && push.apnsID == "4711")
    #expect(push.requestOffset == 33 && push.responseOffset == 9)
  }

  @Test("with more open pushes than the limit, the oldest ends without its response") func limit() {
    var decoder = PushDecoder(maxPending: 1)
    var found = Decoded<Push>()
    let client = Bytes.preface + Bytes.settings + Bytes.request(1, Self.token) + Bytes.request(3, Self.token)
    decoder.decode(client.span.bytes, from: .client, into: &found)
    #expect(found.records.map(\.text) == ["1 \(Self.token) no-response"])
  }
}

extension Push {
  fileprivate var text: String {
    let hex = token.map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    let words = [hex, status.map { "\($0)" }, reason, timestamp.map { "\($0)" }].compactMap { $0 }
    return (["\(http2Stream)"] + words + flags.codes).joined(separator: " ")
  }
}

extension UndecodedBytes {
  fileprivate var text: String {
    "\(direction) \(kind) \(offset - (direction == .client ? 33 : 9))+\(length)"
  }
}
