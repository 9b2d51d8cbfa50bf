import APNsWire
import Basics
import Foundation
import TestSupport
import Testing

@Suite("Answers to pushes")
struct PushBodyTests {
  private func body(_ bytes: [UInt8]) -> PushBody? { PushBody(bytes.indices, in: bytes.span.bytes) }

  @Test(
    "a body is read if it is what the service sends",
    arguments: [
      (#"{"reason":"BadDeviceToken"}"#, "BadDeviceToken", nil),
      (#"{"reason":"Unregistered","timestamp":1700000000123}"#, "Unregistered", 1_700_000_000_123),
      (#" { "timestamp" : 0 , "x":[{"reason":"no"},{}], "reason":"ExpiredToken" } "#, "ExpiredToken", 0),
      (#"{"timestamp":1700000000123}"#, nil, 1_700_000_000_123),
      // The last millisecond of the year 9999.
      (#"{"timestamp":253402300799999}"#, nil, 253_402_300_799_999),
    ] as [(String, String?, Int64?)])
  func answers(text: String, reason: String?, timestamp: Int64?) throws {
    let bytes = Array(text.utf8)
    let answer = try #require(body(bytes))
    #expect(answer.reason.map { String(decoding: bytes[$0], as: UTF8.self) } == reason)
    #expect(answer.timestamp == timestamp)
  }

  @Test(
    "anything else is no answer",
    arguments: [
      "", "null", "[1,2,3]", "{}", #"{"x":1}"#, #"{"reason":5}"#, #"{"reason":null}"#,
      #"{"reason":"A","reason":"A"}"#,
      #"{"reason":"A","timestamp":"1"}"#, #"{"reason":"A","timestamp":-1}"#,
      #"{"reason":"A","timestamp":1.5}"#,
      #"{"reason":"A","timestamp":1e3}"#, #"{"timestamp":253402300800000}"#,
      #"{"timestamp":999999999999999999}"#, #"{"timestamp":9223372036854775807}"#,
      #"{"timestamp":9223372036854775808}"#, #"{"timestamp":1:}"#, #"{"timestamp":1/}"#,
      #"{"reason":"A","timestamp":99999999999999999999}"#,
      #"{"reason":"\u0055"}"#,
      #"{"reason":"A""#, #"{"reason":{"reason":"A"}}"#, "<html>", #"{"reason":"A"}x"#,
    ])
  func others(text: String) {
    #expect(body(Array(text.utf8)) == nil)
  }

  @Test(
    "a lost status is that of the reason, if it is certain",
    arguments: [
      (#"{"reason":"BadDeviceToken"}"#, 400), (#"{"reason":"Unregistered"}"#, 410),
      (#"{"timestamp":1}"#, 410),
      (#"{"reason":"Unknown","timestamp":1}"#, 410), (#"{"reason":"Unknown"}"#, nil),
      (#"{"reason":"BadPath","timestamp":1}"#, nil), (#"{"reason":"Shutdown"}"#, 503),
      (#"{"reason":"BadEnvironmentKeyIdInToken"}"#, 403), (#"{"reason":"BadEnvironmentKeyInToken"}"#, 403),
      (#"{"reason":"ChannelNotRegistered"}"#, 400), (#"{"reason":"TopicMismatch"}"#, 403),
      (#"{"reason":"Service Unavailable"}"#, 503),
    ] as [(String, UInt16?)])
  func statuses(text: String, status: UInt16?) throws {
    let bytes = Array(text.utf8)
    let answer = try #require(body(bytes))
    let found = PushReason.status(of: answer, in: bytes.span.bytes)
    #expect(found == status)
  }

  /// `| 404 | `BadPath` |`, and so on.
  static let documented: [(status: UInt16, reason: String)] = {
    let page = try? Data(contentsOf: Fixtures.url("../../docs/spec/pushes.md"))
    return String(decoding: page ?? Data(), as: UTF8.self).split(separator: "\n").flatMap { line in
      let cells = line.split(separator: "|")
      guard cells.count == 2, let status = UInt16(cells[0].trimmingCharacters(in: .whitespaces)) else {
        return [(status: UInt16, reason: String)]()
      }
      return cells[1].matches(of: /`([A-Za-z ]+)`/).map { (status, String($0.output.1)) }
    }
  }()

  @Test("each reason of docs/spec/pushes.md#reasons has its status", arguments: documented)
  func reasons(status: UInt16, reason: String) {
    let bytes = Array(reason.utf8)
    #expect(PushReason.status(of: bytes.indices, in: bytes.span.bytes) == status)
    #expect(PushReason.status(of: 0..<bytes.count - 1, in: bytes.span.bytes) == nil)
  }

  @Test func reasonsAreThere() {
    #expect(Self.documented.count == PushReason.statuses.reduce(0) { $0 + $1.reasons.count })
    #expect(Set(Self.documented.map(\.status)) == [400, 403, 404, 405, 410, 413, 429, 500, 503])
  }

  /// docs/spec/pushes.md#outcomes.
  static let outcomes: [(service: ServiceRequest, status: UInt16?, outcome: PushOutcome)] = [
    (.push, 200, .accepted), (.push, 410, .invalidated), (.push, 201, .rejected), (.push, 409, .rejected),
    (.push, 411, .rejected), (.push, nil, .unknown), (.broadcast, 200, .accepted),
    (.broadcast, 410, .rejected), (.broadcast, 299, .rejected), (.create, 201, .accepted),
    (.delete, 204, .accepted), (.read, 299, .accepted), (.list, 300, .rejected), (.channel, 410, .rejected),
    (.channel, nil, .unknown),
  ]

  @Test("outcomes, each of which is counted apart", arguments: outcomes)
  func outcome(_ service: ServiceRequest, _ status: UInt16?, _ outcome: PushOutcome) {
    var fields = PushFields()
    (fields.service, fields.status) = (service, status)
    #expect(fields.outcome == outcome)
    var counts = PushCounts()
    counts.count(fields)
    for other in PushOutcome.allCases { #expect(counts[other] == (other == outcome ? 1 : 0)) }
  }

  @Test("flags are listed in the order of their codes, each with a bit of its own") func flags() {
    let (flags, codes) = (PushFlags.all.map(\.flag), PushFlags.all.map(\.code))
    #expect(codes == codes.sorted() && Set(codes).count == codes.count)
    #expect(flags.reduce(0) { $0 + $1.rawValue.nonzeroBitCount } == flags.count)
    #expect(PushFlags(flags).rawValue.nonzeroBitCount == flags.count && !PushFlags(flags).contains(.refused))
    for (flag, code) in PushFlags.all { #expect(flag.codes == [code]) }
  }

  /// docs/spec/pushes.md#outcomes.
  @Test("what to send again") func resend() {
    func needsResend(_ status: UInt16?, _ flags: PushFlags = []) -> Bool {
      var fields = PushFields()
      (fields.status, fields.flags) = (status, flags)
      return fields.needsResend
    }
    for status in [429, 500, 503] as [UInt16] { #expect(needsResend(status)) }
    for status in [nil, 200, 400, 403, 404, 405, 410, 413, 430, 501, 504] as [UInt16?] {
      #expect(!needsResend(status) && needsResend(status, .goaway) && needsResend(status, .refused))
      #expect(!needsResend(status, .streamReset))
    }
  }

  @Test(
    "tokens",
    arguments: [
      (String(repeating: "aB", count: 32), 32, []), ("00", 1, .unexpectedTokenLength),
      ("", nil, .tokenNotHex),
      ("abc", nil, .tokenNotHex), ("zz", nil, .tokenNotHex),
    ] as [(String, Int?, PushFlags)])
  func tokens(text: String, length: Int?, flags: PushFlags) throws {
    var buffer = Array(text.utf8)
    var fields = PushFields()
    fields[.tokenText] = buffer.indices
    fields.settleToken(in: &buffer, .standard)
    #expect(fields[.token]?.count == length && fields.flags == flags)
    var (named, texts) = (PushFields(), Array(text.utf8))
    named[.tokenText] = texts.indices
    named.settleToken(in: &texts, try #require(TokenLengths([1...1, 32...32])))
    #expect(named.flags == flags.subtracting(.unexpectedTokenLength))
    #expect((fields[.tokenText] == nil) == (length != nil))
    #expect(fields[.token].map { Hex.string(buffer[$0]) } ?? text == text.lowercased())
  }
}
