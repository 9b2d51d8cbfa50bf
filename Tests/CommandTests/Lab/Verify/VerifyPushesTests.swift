import CommandTestSupport
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

  /// A change of the client, and the first difference: expected, emitted, and a part of the reason.
  static let faults: [(old: String, new: String, expected: String?, emitted: String?, reason: String)] = [
    (
      // Seconds instead of milliseconds.
      #"answer.get("timestamp", "")"#, #"(answer.get("timestamp") or 0) // 1000 or """#,
      "cc33,410,Unregistered,1700000000123", "cc33,410,Unregistered,1700000000", "the timestamp differs"
    ),
    (
      "json.loads(body) if body else {}", "{}", "bb22,400,BadDeviceToken,", "bb22,400,,", "the reason differs"
    ),
    (
      #"("" if status == "000" else status)"#, "200", "bb22,400,BadDeviceToken,", "bb22,200,BadDeviceToken,",
      "the status is that of no answer"
    ),
    (
      // No push at all.
      "for line in sys.stdin:", "push = lambda token: (200, '', '')\nfor line in sys.stdin:", nil,
      "aa11,200,,", "a token that it sent no push to"
    ),
    ("for line in sys.stdin:", "for line in list(sys.stdin)[:-1]:", "dd44,,,", nil, "never reported 1 token"),
    ("for line in sys.stdin:", "for line in 2 * list(sys.stdin):", nil, "aa11,200,,", "was reported before"),
    (
      // The answer to another token.
      "print(line.strip(), *push(line.strip())",
      "print(line.strip(), *push({'bb22': 'cc33', 'cc33': 'bb22'}.get(line.strip(), line.strip()))", nil,
      "bb22,410,Unregistered,1700000000123", "a token that it sent no push to"
    ),
  ]

  private func reading(_ client: String) throws -> Evidence.Object {
    try #require(try directory.readings(["--reader-of", "pushes", "--reader", client], code: 1).first)
  }

  @Test("faults of clients", arguments: faults)
  func errors(_ old: String, _ new: String, _ expected: String?, _ emitted: String?, _ reason: String) throws
  {
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
