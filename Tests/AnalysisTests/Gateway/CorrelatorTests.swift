import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#correlation, with a correlator alone.
@Suite("Output of a correlator")
struct CorrelatorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var sentence: String
    /// In order: `7` is a request with identifier 7, `7=b` one with another token, `-` a request without identifier, `!8:7` a response with
    /// status 8 for identifier 7, `?` a finding among requests, `!?` a finding among responses. `@3` is the
    /// position in the capture, by default the index.
    var input: String
    /// Requests as the first letters of their outcomes, responses with their status and the index of their request.
    var output: [String]
    var maxPending = 1_000_000
    var testDescription: String { sentence }
  }

  static let cases: [Case] = [
    Case(sentence: "nothing", input: "", output: []),
    Case(sentence: "without a response nothing is known", input: "1 2", output: ["uu"]),
    Case(
      sentence: "requests before the named one were accepted, those after it discarded", input: "1 2 3 !8:2",
      output: ["!8:1", "ard"]),
    Case(sentence: "status 10 names the last accepted one", input: "1 2 3 !10:2", output: ["!10:1", "aad"]),
    Case(sentence: "status 0 decides nothing", input: "1 !0:1", output: ["!0:0", "u"]),
    Case(sentence: "an unknown identifier", input: "1 !8:9", output: ["!8:- uncorrelated", "u"]),
    Case(
      sentence: "an identifier in the other byte order", input: "1 !8:16777216",
      output: ["!8:0 identifier-swapped", "r"]),
    Case(
      sentence: "the first response decides", input: "1 2 !8:1 !8:2",
      output: ["!8:0", "!8:1 after-close", "rd"]),
    Case(
      sentence: "the first one in the capture, whichever comes first", input: "1 2 !8:2@9 !8:1@8",
      output: ["!8:1 after-close", "!8:0", "rd"]),
    Case(
      sentence: "of several requests with the same token, the first was refused", input: "5 7 9 7 11 !8:7",
      output: ["!8:1", "arddd"]),
    Case(
      sentence: "of several with other tokens, any may be meant", input: "5 7 9 7=b 11 !8:7",
      output: ["!8:- uncorrelated", "auuud"]),
    Case(
      sentence: "a later response may be about any of them, too", input: "7 9 7=b !8:9 !8:7",
      output: ["!8:1", "!8:- after-close uncorrelated", "ard"]),
    Case(
      sentence: "the first in the stream, not in the capture", input: "1 7@9 7@3 !8:7@10",
      output: ["!8:1", "ard"]),
    Case(
      sentence: "an error without its cause in the request", input: "1 7 7 2 !1:7",
      output: ["!1:- uncorrelated", "auud"]),
    Case(
      sentence: "status 10 names the last accepted of several", input: "1 7 2 7 3 !10:7",
      output: ["!10:- uncorrelated", "aauud"]),
    Case(
      sentence: "several with the byte-swapped identifier", input: "1 7 9 7 !8:117440512",
      output: ["!8:1 identifier-swapped", "ardd"]),
    Case(
      sentence: "a request that left may have had the identifier", input: "1 9 4 !8:4",
      output: ["limit", "!8:- uncorrelated", "uuu"], maxPending: 1),
    Case(
      sentence: "a request that was captured later cannot be meant", input: "1@1 1@5 !8:1@3",
      output: ["!8:0", "rd"]),
    Case(sentence: "0 names the only request", input: "0 - !8:0", output: ["!8:0", "rd"]),
    Case(sentence: "but not one of two", input: "0 0 !8:0", output: ["!8:- uncorrelated", "uu"]),
    Case(
      sentence: "a finding is emitted between the requests around it", input: "1 ? 2 !8:2",
      output: ["!8:1", "a", "?", "r"]),
    Case(sentence: "a finding before all requests does not wait", input: "? 1", output: ["now ?", "u"]),
    Case(
      sentence: "a finding is emitted between the responses around it", input: "1 !? !8:1 !? !8:1",
      output: ["now !?", "!8:0", "!?", "!8:0 after-close", "r"]),
    Case(
      sentence: "requests above the limit stay unknown", input: "1 2 3 !8:3",
      output: ["limit", "!8:2", "uur"],
      maxPending: 1),
    Case(
      sentence: "also without a response", input: "1 2 3", output: ["limit", "uuu"], maxPending: 2),
  ]

  @Test(arguments: cases)
  func outputs(_ example: Case) throws {
    var limits = GatewayLimits()
    limits.maxPending = example.maxPending
    var run = CorrelatorRun(Correlator(GatewayBudget(limits), keepsRecords: true, client: .first))
    for (index, word) in example.input.split(separator: " ").enumerated() {
      let parts = word.split(separator: "@")
      try run.add(parts[0], order: parts.count > 1 ? Int(parts[1]) ?? 0 : index)
    }
    try run.finish()
    #expect(run.output == example.output)
    let letters = example.output.filter { $0.allSatisfy { "ardu".contains($0) } }.joined()
    let counts = run.correlator.counts
    for outcome in RequestOutcome.allCases {
      #expect(counts[outcome] == letters.count { $0 == outcome.rawValue.first })
    }
    #expect(counts.responses == example.input.split(separator: " ").count { $0.contains(":") })
  }
}

/// Passes words to a correlator, and records its output.
private struct CorrelatorRun {
  var correlator: Correlator
  private(set) var output: [String] = []
  private var clientOffset = 0
  private var serverOffset = 0
  /// Offsets of the requests so far.
  private var requests: [Int] = []

  init(_ correlator: Correlator) { self.correlator = correlator }

  mutating func add(_ word: Substring, order: Int) throws {
    switch word {
    case "?", "!?":
      let finding = StreamFinding(.unknownCommand, side: .first, message: .verbatim(String(word)))
      if try !correlator.takes(finding, from: word == "?" ? .client : .server) {
        output.append("now \(word)")
      }
    case _ where word.hasPrefix("!"):
      let numbers = word.dropFirst().split(separator: ":").compactMap { UInt32($0) }
      try respond(UInt8(numbers[0]), numbers[1], order)
    default: try request(word, order)
    }
  }

  private mutating func request(_ word: Substring, _ order: Int) throws {
    let parts = word.split(separator: "=")
    let bytes = GatewayBytes.request(UInt32(parts[0]), tokenFill: parts.count > 1 ? 0xbb : 0xaa)
    var decoder = RequestDecoder(rules: .standard, offset: clientOffset)
    _ = decoder.next(in: bytes.span.bytes)
    decoder.finish()
    guard case .record(let frame) = decoder.next(in: RawSpan()) else { return }
    requests.append(clientOffset)
    clientOffset += bytes.count
    let known = requests
    var emitted: [String] = []
    try correlator.add(frame, in: bytes.span.bytes, origin: Self.origin, captureOrder: order) {
      emitted.append(Self.text($0, known))
    }
    output += emitted
  }

  private mutating func respond(_ status: UInt8, _ identifier: UInt32, _ order: Int) throws {
    let bytes = GatewayBytes.response(status, identifier)
    var decoder = ResponseDecoder(offset: serverOffset)
    guard case .record(let frame) = decoder.next(in: bytes.span.bytes) else { return }
    serverOffset += bytes.count
    correlator.add(frame, origin: Self.origin, captureOrder: order)
  }

  mutating func finish() throws {
    let known = requests
    var emitted: [String] = []
    try correlator.finish { emitted.append(Self.text($0, known)) }
    output += emitted
  }

  private static let origin = SourceExtent(streamOffset: 0, fileOffset: 0, stride: 1)

  private static func text(_ outcome: Correlator.CorrelatedRequests, _ requests: [Int]) -> String {
    switch outcome {
    case .requests(let records, _): return String(records.compactMap(\.outcome.rawValue.first))
    case .response(let frame, _, let request):
      let index = request.flatMap { requests.firstIndex(of: $0.offset) }.map(String.init)
      return (["!\(frame.response.status):\(index ?? "-")"] + frame.flags.codes).joined(separator: " ")
    case .finding(let finding): return finding.message.text
    case .limit: return "limit"
    }
  }
}
