import CommandTestSupport
import TestSupport
import Testing

/// `verify --reader-of pushes`: clients of today's service. HTTP/2 is that of curl.
@Suite("Clients of pushes") struct VerifyPushesTests {
  private let directory = TestDirectory()

  init() throws {
    let answers = """
      {"token":"aa11","status":200}
      {"token":"bb22","status":400,"reason":"BadDeviceToken"}
      {"token":"cc33","status":410,"reason":"Unregistered","timestamp":1700000000123}
      {"token":"dd44","status":410,"reason":"ExpiredToken","timestamp":1700000000456}

      """
    try directory.addCase("log", Array(answers.utf8), input: "input.ndjson")
  }

  @Test("a right client is right", arguments: ["tcp", "tls"]) func right(_ over: String) throws {
    let outcome = try directory.testReader(
      "--reader-of", "pushes", "--over", over, "--reader", Readers.pushes)
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
    let certificates = over == "tls" ? ", 3 of 3 certificates refused" : ""
    #expect(
      outcome.messages.last == "read 1 case: 1 of 1 stream right\(certificates), 0 not judged, 0 broken cases"
    )
  }

  @Test("a client that does not look at the certificate") func insecure() throws {
    let client = try directory.changed("push_client.py", #""--cacert", CA]"#, #""--insecure"]"#)
    let outcomes = try directory.certificates(["--reader-of", "pushes", "--reader", client], code: 1)
    #expect(Set(outcomes.values) == ["completed"] && outcomes.count == 3)
  }

  private func reading(_ client: String) throws -> Evidence.Object {
    try #require(try directory.readings(["--reader-of", "pushes", "--reader", client], code: 1).first)
  }

  /// A change of the client, and the first difference: expected, emitted, and a part of the reason.
  @Test(
    "faults of clients",
    arguments: Fixtures.rows("faults of clients of pushes", in: "lab-cases")
      as [(String, String, String, String?, String?, String)])
  func errors(
    _ fault: String, _ old: String, _ new: String, _ expected: String?, _ emitted: String?, _ reason: String
  ) throws {
    let reading = try reading(directory.changed("push_client.py", old, new))
    let difference = try #require(reading["first_difference"] as? Evidence.Object)
    #expect(difference["expected"] as? String == expected && difference["emitted"] as? String == emitted)
    #expect((difference["reason"] as? String)?.contains(reason) == true)
  }

  @Test("lines that are no records") func rubbish() throws {
    let reading = try reading("cat")
    #expect(reading["ending"] as? String == "the reader never connected")
    let difference = try #require(reading["first_difference"] as? Evidence.Object)
    #expect(difference["emitted"] as? String == "'aa11'")
  }

  @Test("no answers to pushes that were never sent") func neverSent() throws {
    #expect(try reading("sed 's/$/,,,/'")["correct"] as? Int == 0)
  }
}
