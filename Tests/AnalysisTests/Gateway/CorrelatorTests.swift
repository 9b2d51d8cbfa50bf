import APNsWire
import Analysis
import PacketCapture
import TestSupport
import Testing
import WireBytes

/// docs/spec/decoding-rules.md#correlation, with a correlator alone.
@Suite("What leaves a correlator")
struct CorrelatorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var sentence: String
    /// In the order in which it comes: `7` is a request with that identifier, `-` one without, `!8:7` a response
    /// with status 8 that names it, `?` a finding among requests, `!?` one among responses. `@3` says where in the
    /// capture it was, else that is where it comes.
    var said: String
    /// Requests by the first letters of their outcomes, responses by their status and the index of their request.
    var leaves: [String]
    var maxPending = 1_000_000
    var testDescription: String { sentence }
  }

  static let cases: [Case] = [
    Case(sentence: "nothing", said: "", leaves: []),
    Case(sentence: "without a response nothing is known", said: "1 2", leaves: ["uu"]),
    Case(
      sentence: "requests before the named one were accepted, those after it discarded", said: "1 2 3 !8:2",
      leaves: ["!8:1", "ard"]),
    Case(sentence: "status 10 names the last accepted one", said: "1 2 3 !10:2", leaves: ["!10:1", "aad"]),
    Case(sentence: "status 0 decides nothing", said: "1 !0:1", leaves: ["!0:0", "u"]),
    Case(sentence: "an unknown identifier", said: "1 !8:9", leaves: ["!8:- uncorrelated", "u"]),
    Case(
      sentence: "an identifier in the other byte order", said: "1 !8:16777216",
      leaves: ["!8:0 identifier-swapped", "r"]),
    Case(
      sentence: "the first response decides", said: "1 2 !8:1 !8:2",
      leaves: ["!8:0", "!8:1 after-close", "rd"]),
    Case(
      sentence: "the first one in the capture, whichever comes first", said: "1 2 !8:2@9 !8:1@8",
      leaves: ["!8:1 after-close", "!8:0", "rd"]),
    Case(
      sentence: "a request that was captured later cannot be meant", said: "1@1 1@5 !8:1@3",
      leaves: ["!8:0", "rd"]),
    Case(sentence: "0 names the only request", said: "0 - !8:0", leaves: ["!8:0", "rd"]),
    Case(sentence: "but not one of two", said: "0 0 !8:0", leaves: ["!8:- uncorrelated", "uu"]),
    Case(
      sentence: "a finding leaves between the requests beside it", said: "1 ? 2 !8:2",
      leaves: ["!8:1", "a", "?", "r"]),
    Case(sentence: "a finding before all requests does not wait", said: "? 1", leaves: ["now ?", "u"]),
    Case(
      sentence: "a finding leaves between the responses beside it", said: "1 !? !8:1 !? !8:1",
      leaves: ["now !?", "!8:0", "!?", "!8:0 after-close", "r"]),
    Case(
      sentence: "more requests than may wait stay unknown", said: "1 2 3 !8:3",
      leaves: ["limit", "!8:2", "uur"],
      maxPending: 1),
    Case(
      sentence: "also without a response", said: "1 2 3", leaves: ["limit", "uuu"], maxPending: 2),
  ]

  @Test(arguments: cases)
  func leaves(_ example: Case) throws {
    var limits = GatewayLimits()
    limits.maxPending = example.maxPending
    var run = CorrelatorRun(Correlator(GatewayBudget(limits), keepsRecords: true, client: .first))
    for (index, word) in example.said.split(separator: " ").enumerated() {
      let parts = word.split(separator: "@")
      try run.say(parts[0], order: parts.count > 1 ? Int(parts[1]) ?? 0 : index)
    }
    try run.finish()
    #expect(run.left == example.leaves)
    let letters = example.leaves.filter { $0.allSatisfy { "ardu".contains($0) } }.joined()
    let counts = run.correlator.counts
    for outcome in RequestOutcome.allCases {
      #expect(counts[outcome] == letters.count { $0 == outcome.rawValue.first })
    }
    #expect(counts.responses == example.said.split(separator: " ").count { $0.contains(":") })
  }
}

/// Says words to a correlator, and writes down what leaves.
private struct CorrelatorRun {
  var correlator: Correlator
  private(set) var left: [String] = []
  private var clientOffset = 0
  private var serverOffset = 0
  /// Offsets of the requests so far.
  private var requests: [Int] = []

  init(_ correlator: Correlator) { self.correlator = correlator }

  mutating func say(_ word: Substring, order: Int) throws {
    switch word {
    case "?", "!?":
      let finding = StreamFinding(code: .unknownCommand, side: .first, message: String(word))
      if try !correlator.takes(finding, from: word == "?" ? .client : .server) { left.append("now \(word)") }
    case _ where word.hasPrefix("!"):
      let numbers = word.dropFirst().split(separator: ":").compactMap { UInt32($0) }
      try respond(UInt8(numbers[0]), numbers[1], order)
    default: try request(UInt32(word), order)
    }
  }

  private mutating func request(_ identifier: UInt32?, _ order: Int) throws {
    let bytes = GatewayBytes.request(identifier)
    var decoder = RequestDecoder(rules: .standard, offset: clientOffset)
    _ = decoder.next(in: bytes.span.bytes)
    decoder.finish()
    guard case .request(let frame) = decoder.next(in: RawSpan()) else { return }
    requests.append(clientOffset)
    clientOffset += bytes.count
    let known = requests
    var emitted: [String] = []
    try correlator.add(frame, in: bytes.span.bytes, origin: Self.origin, captureOrder: order) {
      emitted.append(Self.text($0, known))
    }
    left += emitted
  }

  private mutating func respond(_ status: UInt8, _ identifier: UInt32, _ order: Int) throws {
    let bytes = GatewayBytes.response(status, identifier)
    var decoder = ResponseDecoder(offset: serverOffset)
    guard case .response(let frame) = decoder.next(in: bytes.span.bytes) else { return }
    serverOffset += bytes.count
    correlator.add(frame, origin: Self.origin, captureOrder: order)
  }

  mutating func finish() throws {
    let known = requests
    var emitted: [String] = []
    try correlator.finish { emitted.append(Self.text($0, known)) }
    left += emitted
  }

  private static let origin = ByteOrigin(streamOffset: 0, fileOffset: 0, stride: 1)

  private static func text(_ outcome: Correlator.Outcome, _ requests: [Int]) -> String {
    switch outcome {
    case .requests(let records, _): return String(records.compactMap(\.outcome.rawValue.first))
    case .response(let response):
      let index = response.request.flatMap { requests.firstIndex(of: $0.offset) }.map(String.init)
      return (["!\(response.response.status):\(index ?? "-")"] + response.flags.codes).joined(separator: " ")
    case .finding(let finding): return finding.message
    case .limit: return "limit"
    }
  }
}
