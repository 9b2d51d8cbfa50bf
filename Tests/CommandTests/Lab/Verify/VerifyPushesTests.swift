import CommandTestSupport
import Foundation
import Testing

/// `verify --reader-of pushes`: clients of today's service. HTTP/2 is that of curl.
@Suite("Clients of pushes")
struct VerifyPushesTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
    let answers = [
      #"{"token":"aa11","status":200}"#, #"{"token":"bb22","status":400,"reason":"BadDeviceToken"}"#,
      #"{"token":"cc33","status":410,"reason":"Unregistered","timestamp":1700000000123}"#,
      #"{"token":"dd44","status":410,"reason":"ExpiredToken","timestamp":1700000000456}"#,
    ]
    let log = Array((answers.joined(separator: "\n") + "\n").utf8)
    try directory.makeCase("log", log, input: "input.ndjson")
    try directory.expectExport("log")
  }

  @Test("a right client is right", arguments: ["tcp", "tls"])
  func right(_ over: String) throws {
    let outcome = try directory.testReader(
      "--reader-of", "pushes", "--over", over, "--reader", Readers.pushes)
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
    let certificates = over == "tls" ? ", 3 of 3 certificates refused" : ""
    #expect(
      outcome.messages.last
        == "read 1 case: 1 of 1 stream right\(certificates), 0 not judged, 0 broken cases")
  }

  @Test("a client that does not look at the certificate")
  func insecure() throws {
    let client = try changed(#""--cacert", CA]"#, #""--insecure"]"#)
    let outcomes = try directory.certificates(["--reader-of", "pushes", "--reader", client], code: 1)
    #expect(Set(outcomes.values) == ["completed"] && outcomes.count == 3)
  }

  /// The right client with a change.
  private func changed(_ old: String, _ new: String) throws -> String {
    let path = Repository.path(of: "samples/readers/push_client.py")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try #require(text.contains(old))
    try directory.write(text.replacingOccurrences(of: old, with: new), to: "client.py")
    return "python3 client.py"
  }

  /// A error, and the first difference.
  struct Fault: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var old: String
    var new: String
    var expected: String?
    var emitted: String?
    var reason: String
  }

  @Test(
    "faults of clients",
    arguments: [
      Fault(
        testDescription: "seconds instead of milliseconds", old: #"answer.get("timestamp", "")"#,
        new: #"(answer.get("timestamp") or 0) // 1000 or """#,
        expected: "cc33,410,Unregistered,1700000000123", emitted: "cc33,410,Unregistered,1700000000",
        reason: "the timestamp differs from the one in the body, which is in milliseconds"),
      Fault(
        testDescription: "no look at the body", old: "json.loads(body) if body else {}", new: "{}",
        expected: "bb22,400,BadDeviceToken,", emitted: "bb22,400,,",
        reason: "the reason differs from the one in the body"),
      Fault(
        testDescription: "success for everything", old: #"("" if status == "000" else status)"#, new: "200",
        expected: "bb22,400,BadDeviceToken,", emitted: "bb22,200,BadDeviceToken,",
        reason: "the status is that of no answer to this token"),
      Fault(
        testDescription: "no push at all", old: "for line in sys.stdin:",
        new: "push = lambda token: (200, '', '')\nfor line in sys.stdin:", expected: nil,
        emitted: "aa11,200,,", reason: "the client reported a token that it sent no push to"),
      Fault(
        testDescription: "the last token left out", old: "for line in sys.stdin:",
        new: "for line in list(sys.stdin)[:-1]:", expected: "dd44,,,", emitted: nil,
        reason: "the reader ended, and never reported 1 token"),
      Fault(
        testDescription: "a token twice", old: "for line in sys.stdin:",
        new: "for line in 2 * list(sys.stdin):", expected: nil, emitted: "aa11,200,,",
        reason: "the token was reported before"),
      Fault(
        testDescription: "the answer to another token", old: "print(line.strip(), *push(line.strip())",
        new: "print(line.strip(), *push({'bb22': 'cc33', 'cc33': 'bb22'}.get(line.strip(), line.strip()))",
        expected: nil, emitted: "bb22,410,Unregistered,1700000000123",
        reason: "the client reported a token that it sent no push to"),
    ])
  func errors(_ error: Fault) throws {
    let client = try changed(error.old, error.new)
    let readings = try directory.readings(["--reader-of", "pushes", "--reader", client], code: 1)
    let difference = try #require(readings.first?["first_difference"] as? Evidence.Object)
    #expect(difference["expected"] as? String == error.expected)
    #expect(difference["emitted"] as? String == error.emitted)
    #expect(difference["reason"] as? String == error.reason)
  }

  @Test("lines that are no records")
  func rubbish() throws {
    let readings = try directory.readings(["--reader-of", "pushes", "--reader", "cat"], code: 1)
    #expect(readings.first?["ending"] as? String == "the reader never connected")
    let difference = try #require(readings.first?["first_difference"] as? Evidence.Object)
    #expect(difference["emitted"] as? String == "'aa11'")
  }

  @Test("no answers to pushes that were never sent")
  func neverSent() throws {
    let readings = try directory.readings(["--reader-of", "pushes", "--reader", "sed 's/$/,,,/'"], code: 1)
    #expect(readings.first?["correct"] as? Int == 0)
  }

  @Test("pushes need a server")
  func usage() throws {
    let outcome = try directory.testReader("--reader-of", "pushes", "--over", "stdin", "--reader", "cat")
    #expect(outcome.code == 64)
    #expect(outcome.messages.first == "--reader-of pushes needs a server: use --over tcp or tls")
  }
}
