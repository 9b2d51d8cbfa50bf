import APNsWire
import Basics
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
      #"{"reason":"A","timestamp":1e3}"#, #"{"reason":"A","timestamp":99999999999999999999}"#,
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

  @Test(
    "tokens",
    arguments: [
      (String(repeating: "aB", count: 32), 32, []), ("00", 1, .unexpectedTokenLength),
      ("", nil, .tokenNotHex),
      ("abc", nil, .tokenNotHex), ("zz", nil, .tokenNotHex),
    ] as [(String, Int?, PushFlags)])
  func tokens(text: String, length: Int?, flags: PushFlags) {
    var buffer = Array(text.utf8)
    var fields = PushFields()
    fields[.tokenText] = buffer.indices
    fields.settleToken(in: &buffer)
    #expect(fields[.token]?.count == length && fields.flags == flags)
    #expect((fields[.tokenText] == nil) == (length != nil))
    #expect(fields[.token].map { Hex.string(buffer[$0]) } ?? text == text.lowercased())
  }
}
