import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

private typealias Bytes = HTTP2Bytes

/// Keeps pushes as `stream token status reason payload flags`, without the flag of the short tokens, and findings as `code`.
private final class PushRecording: EvidenceSink {
  private(set) var pushes: [String] = []
  private(set) var findings: [String] = []

  func pushes(_ pushes: PushRecords, in bytes: RawSpan) {
    for record in pushes.records {
      let fields = record.fields
      func text(_ name: PushFields.Text) -> String? {
        fields[name].map { bytes.extracting($0).withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
      }
      let token =
        fields[.token].map { Hex.string(bytes.extracting($0).withUnsafeBytes { Array($0) }) } ?? text(
          .tokenText) ?? "-"
      let numbers = [fields.status.map(Int.init), fields.payloadLength].map { $0.map(String.init) ?? "-" }
      let flags = PushFlags.all.filter { fields.flags.contains($0.flag) && $0.flag != .unexpectedTokenLength }
        .map(\.code)
      self.pushes.append(
        ([String(fields.http2Stream ?? 0), token, numbers[0], text(.reason) ?? "-", numbers[1]] + flags)
          .joined(separator: " "))
    }
  }

  func finding(_ finding: Finding) { findings.append(finding.code.rawValue) }
}

/// docs/spec/pushes.md#connections. The expected records follow from the specification.
@Suite("Pushes of a connection") struct PushConnectionTests {
  enum Turn: Sendable {
    case client([UInt8])
    case server([UInt8])
    /// Bytes of a side that are missing.
    case lost(Side, Int)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What comes after SETTINGS of both sides.
    var turns: [Turn]
    /// Bytes of the client's preface that are missing.
    var lostPreface: Range<Int>?
    var maxPending = 1000
    /// `stream token status reason payload-length flags`
    var pushes: [String]
    var findings: [String] = []

    init(
      _ sentence: String, _ turns: [Turn], maxPending: Int = 1000, lostPreface: Range<Int>? = nil,
      _ pushes: [String], _ findings: [String] = []
    ) {
      testDescription = sentence
      (self.turns, self.maxPending, self.lostPreface) = (turns, maxPending, lostPreface)
      (self.pushes, self.findings) = (pushes, findings)
    }
  }

  static let exchanges = [
    Case(
      "a request and its response", [.client(Bytes.request(1, "aa")), .server(Bytes.response(1, "200"))],
      ["1 aa 200 - 2"]),
    Case(
      "responses in another order",
      [
        .client(Bytes.request(1, "aa") + Bytes.request(3, "bb")),
        .server(Bytes.response(3, "429", body: #"{"reason":"TooManyRequests"}"#)),
        .server(Bytes.response(1, "200")),
      ], ["3 bb 429 TooManyRequests 2", "1 aa 200 - 2"]),
    Case(
      "a response that is read before its request",
      [.server(Bytes.response(1, "200")), .client(Bytes.request(1, "aa"))], ["1 aa 200 - 2"]),
    Case(
      "another path is no push",
      [
        .client(
          Bytes.frame(1, 0x05, stream: 1, Bytes.requestBlock("aa", path: "/4/broadcasts/"))
            + Bytes.request(3, "bb")), .server(Bytes.response(1, "200") + Bytes.response(3, "200")),
      ], ["3 bb 200 - 2"]),
    Case(
      "an interim response and trailers",
      [
        .client(Bytes.request(1, "aa")),
        .server(
          Bytes.frame(1, 0x04, stream: 1, Bytes.block([(":status", "103")]))
            + Bytes.frame(1, 0x04, stream: 1, Bytes.block([(":status", "200")]))
            + Bytes.frame(1, 0x05, stream: 1, Bytes.block([("x-checksum", "1")]))),
      ], ["1 aa 200 - 2"]),
    Case(
      "a promise of the server is no response",
      [
        .client(Bytes.request(1, "aa")),
        .server(
          Bytes.frame(5, 0x04, stream: 1, Bytes.bytes(2) + Bytes.block([(":status", "404")]))
            + Bytes.response(1, "200")),
      ], ["1 aa 200 - 2"]),
  ]

  static let endings = [
    Case(
      "GOAWAY excludes later streams, and says why",
      [
        .client(Bytes.request(1, "aa") + Bytes.request(3, "bb")),
        .server(Bytes.response(1, "200") + Bytes.goAway(last: 1, #"{"reason":"Shutdown"}"#)),
      ], ["1 aa 200 - 2", "3 bb - Shutdown 2 goaway no-response"]),
    Case(
      "a second GOAWAY lowers the last stream; the first reason counts",
      [
        .client(Bytes.request(1, "aa") + Bytes.request(3, "bb")),
        .server(
          Bytes.goAway(last: 3, #"{"reason":"IdleTimeout"}"#)
            + Bytes.goAway(last: 1, #"{"reason":"Shutdown"}"#)),
      ], ["1 aa - - 2 no-response", "3 bb - IdleTimeout 2 goaway no-response"]),
    Case(
      "GOAWAY with text that is no JSON",
      [.client(Bytes.request(1, "aa")), .server(Bytes.goAway(last: 0, "too_many_pings"))],
      ["1 aa - - 2 goaway no-response"]),
    Case(
      "a stream that the server refuses, and one that the client cancels",
      [
        .client(Bytes.request(1, "aa") + Bytes.request(3, "bb") + Bytes.reset(3, code: 8)),
        .server(Bytes.reset(1, code: 7)),
      ], ["1 aa - - 2 no-response stream-reset", "3 bb - - 2 no-response stream-reset"]),
    Case(
      "more open pushes than the limit: the oldest is written, and its response has no request",
      [
        .client(Bytes.request(1, "aa") + Bytes.request(3, "bb") + Bytes.request(5, "cc")),
        .server(Bytes.response(5, "200") + Bytes.response(3, "200") + Bytes.response(1, "200")),
      ], maxPending: 2,
      ["1 aa - - 2 no-response", "5 cc 200 - 2", "3 bb 200 - 2", "1 - 200 - - uncorrelated"],
      ["pending-limit"]),
  ]

  private static let long = Bytes.block((0..<600).map { ("x-\($0)", String(repeating: "v", count: 120)) })

  static let headerBlocks = [
    Case(
      "a block in three frames",
      [
        .client(
          Bytes.frame(1, 0x01, stream: 1, Array(Bytes.requestBlock("aa").prefix(5)))
            + Bytes.frame(9, 0, stream: 1, Array(Bytes.requestBlock("aa").dropFirst(5).prefix(20)))
            + Bytes.frame(9, 0x04, stream: 1, Array(Bytes.requestBlock("aa").dropFirst(25)))),
        .server(Bytes.response(1, "200")),
      ], ["1 aa 200 - 0"]),
    Case(
      "a block without its end: the next one is read",
      [
        .client(Bytes.frame(1, 0x01, stream: 1, Bytes.requestBlock("aa")) + Bytes.request(3, "bb")),
        .server(Bytes.response(3, "200")),
      ], ["3 bb 200 - 2"], ["truncated-record"]),
    Case(
      "a block without its end at a gap, in a frame and one that continues it",
      [
        .client(
          Bytes.request(1, "aa") + Bytes.frame(1, 0, stream: 3, Bytes.requestBlock("bb"))
            + Bytes.frame(9, 0, stream: 3, Bytes.block([("x", "y")]))), .lost(.first, 9),
        .server(Bytes.response(1, "200")),
      ], ["1 aa 200 - 2"], ["truncated-record", "stream-gap"]),
    Case(
      "a block without its end at the end",
      [.client(Bytes.request(1, "aa") + Bytes.frame(1, 0, stream: 3, Bytes.requestBlock("bb")))],
      ["1 aa - - 2 no-response"], ["truncated-record"]),
    Case(
      "a block that the frame of another stream continues",
      [
        .client(
          Bytes.frame(1, 0x01, stream: 1, Bytes.requestBlock("aa"))
            + Bytes.frame(9, 0x04, stream: 5, Bytes.block([("x", "y")])) + Bytes.request(3, "bb")),
        .server(Bytes.response(3, "200")),
      ], ["3 bb 200 - 2"], ["truncated-record", "malformed-http2"]),
    Case(
      "a response whose block has no end: its status is that of the reason",
      [
        .client(Bytes.request(1, "aa")),
        .server(
          Bytes.frame(1, 0, stream: 1, Bytes.block([(":status", "410")]))
            + Bytes.frame(0, 0x01, stream: 1, Array(#"{"reason":"Unregistered","timestamp":5}"#.utf8))),
      ], ["1 aa 410 Unregistered 2 status-inferred unknown-headers"], ["truncated-record"]),
    Case(
      "a block that is not compressed as it should be",
      [
        .client(Bytes.frame(1, 0x05, stream: 1, [0x80]) + Bytes.request(3, "bb")),
        .server(Bytes.response(1, "200") + Bytes.response(3, "200")),
      ], ["1 - 200 - - uncorrelated", "3 bb 200 - 2"], ["malformed-http2"]),
    Case(
      "a flood of CONTINUATION",
      [
        .client(
          Bytes.frame(1, 0x01, stream: 1, Bytes.requestBlock("aa"))
            + stride(from: 0, to: long.count, by: 16_000).flatMap {
              Bytes.frame(9, 0, stream: 1, Array(long[$0..<min($0 + 16_000, long.count)]))
            } + Bytes.frame(9, 0x04, stream: 1, []) + Bytes.request(3, "bb")),
        .server(Bytes.response(3, "200")),
      ], ["3 bb 200 - 2"], ["malformed-http2"]),
  ]

  static let gaps = [
    Case(
      "a gap in the client's preface", [.client(Bytes.request(1, "aa")), .server(Bytes.response(1, "200"))],
      lostPreface: 7..<14, ["1 aa 200 - 2"], ["skipped-bytes", "stream-gap", "skipped-bytes"]),
    Case(
      "a gap in the body of a request: its length is unknown",
      [
        .client(Bytes.frame(1, 0x04, stream: 1, Bytes.requestBlock("aa"))), .lost(.first, 30),
        .client(Bytes.frame(0, 0x01, stream: 1, [1]) + Bytes.request(3, "bb") + Bytes.request(5, "cc")),
        .server(Bytes.response(1, "200") + Bytes.response(3, "200") + Bytes.response(5, "200")),
      ], ["1 aa 200 - -", "3 bb 200 - 2", "5 cc 200 - 2"], ["stream-gap"]),
    Case(
      "a gap in a header block: its fields are lost",
      [
        .client(Bytes.request(1, "aa") + Bytes.request(3, "bb")),
        .server(Bytes.frame(1, 0, stream: 1, Bytes.block([(":status", "200")]))), .lost(.second, 30),
        .server(Bytes.response(3, "200") + Bytes.response(5, "200") + Bytes.response(7, "200")),
      ],
      ["3 bb 200 - 2", "1 aa - - 2 unknown-headers", "5 - 200 - - uncorrelated", "7 - 200 - - uncorrelated"],
      ["truncated-record", "stream-gap"]),
  ]

  private static let answer = Bytes.response(1, "410", body: #"{"reason":"Unregistered","timestamp":5}"#)
  /// HEADERS without END_STREAM, and its DATA.
  private static let answerHead = Bytes.frame(
    1, 0x04, stream: 1, Bytes.block([(":status", "410"), ("apns-id", "4711")]))

  private static func answers(_ sentence: String, _ turns: [Turn], _ flags: String, _ findings: [String] = [])
    -> Case
  { Case(sentence, [.client(Bytes.request(1, "aa"))] + turns, ["1 aa 410 - 2" + flags], findings) }

  static let bodies = [
    answers(
      "an answer whose body is in a gap",
      [
        .server(answerHead), .lost(.second, answer.count - answerHead.count),
        .server(Bytes.settings + Bytes.settings + Bytes.settings),
      ], " body-lost", ["stream-gap"]),
    answers(
      "a gap in the body",
      [
        .server(Array(answer.prefix(answerHead.count + 20))), .lost(.second, 7),
        .server(Array(answer.dropFirst(answerHead.count + 27))),
      ], " body-lost", ["truncated-record", "stream-gap", "skipped-bytes"]),
    answers("an answer that ends before its body", [.server(answerHead)], " body-lost"),
    answers("an answer without a body", [.server(Bytes.response(1, "410"))], ""),
    answers(
      "an answer that the server ends without a body", [.server(answerHead + Bytes.reset(1, code: 8))],
      " stream-reset"),
    Case(
      "an accepted push needs no body",
      [
        .client(Bytes.request(1, "aa")),
        .server(Bytes.frame(1, 0x04, stream: 1, Bytes.block([(":status", "200"), ("apns-id", "1")]))),
      ], ["1 aa 200 - 2"]),
  ]

  @Test("records and findings", arguments: exchanges + endings + headerBlocks + gaps + bodies) func pushes(
    _ example: Case
  ) throws {
    let recording = PushRecording()
    var options = AnalysisOptions()
    options.gateway.maxPending = example.maxPending
    let analyzer = Analyzer(options, sinks: [recording])
    try analyzer.log.begin(source: "a.pcap")
    let identity = StreamIdentity(number: 0, server: .second, serverEvidence: .handshake)
    try analyzer.opened(identity)
    var ends: [Side: Int] = [:]
    func send(_ bytes: [UInt8], from side: Side) throws {
      let direction = StreamDirection(stream: identity.number, side: side)
      let origin = SourceExtent(streamOffset: ends[side, default: 0], fileOffset: 0, stride: 1)
      try analyzer.bytes(bytes.span.bytes, of: direction, origins: [origin])
      ends[side, default: 0] += bytes.count
    }
    func lose(_ length: Int, from side: Side) throws {
      try analyzer.gap(
        StreamGap(offset: ends[side, default: 0], length: length, fileOffset: 0),
        in: StreamDirection(stream: identity.number, side: side))
      ends[side, default: 0] += length
    }
    if let lost = example.lostPreface {
      try send(Array(Bytes.preface[..<lost.lowerBound]), from: .first)
      try lose(lost.count, from: .first)
      try send(Array(Bytes.preface[lost.upperBound...]), from: .first)
    } else {
      try send(Bytes.preface, from: .first)
    }
    try send(Bytes.settings, from: .first)
    try send(Bytes.settings, from: .second)
    for turn in example.turns {
      switch turn {
      case .client(let bytes): try send(bytes, from: .first)
      case .server(let bytes): try send(bytes, from: .second)
      case .lost(let side, let length): try lose(length, from: side)
      }
    }
    try analyzer.closed(StreamReport(identity))
    try analyzer.log.finish()
    #expect(recording.pushes == example.pushes)
    #expect(recording.findings == example.findings)
  }
}
