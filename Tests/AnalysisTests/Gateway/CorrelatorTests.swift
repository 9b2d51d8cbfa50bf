import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#correlation, with a correlator alone: what samples/corpus/correlation lacks.
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
    Case(sentence: "a response alone", input: "!8:1", output: ["!8:- uncorrelated"]),
    Case(
      sentence: "the first one in the capture, whichever comes first", input: "1 2 !8:2@9 !8:1@8",
      output: ["!8:1 after-close", "!8:0", "rd"]),
    Case(
      sentence: "a request captured after status 10", input: "1 2 !10:1 3", output: ["!10:0", "add"]),
    Case(sentence: "status 10, not found", input: "1 2 3 !10:9", output: ["!10:- uncorrelated", "uuu"]),
    Case(sentence: "status 0 at one of two", input: "1 7 7=b !0:7", output: ["!0:- uncorrelated", "uuu"]),
    Case(sentence: "status 128", input: "1 2 !128:2", output: ["!128:1", "ar"]),
    Case(sentence: "status 255", input: "1 2 !255:1", output: ["!255:0", "rd"]),
    Case(sentence: "identifier ffffffff", input: "1 4294967295 2 !8:4294967295", output: ["!8:1", "ard"]),
    Case(
      sentence: "one of three with another token", input: "1 1 1=b !8:1",
      output: ["!8:- uncorrelated", "uuu"]),
    Case(
      sentence: "a later response may be about any of them, too", input: "7 9 7=b !8:9 !8:7",
      output: ["!8:1", "!8:- after-close uncorrelated", "ard"]),
    Case(
      sentence: "and finds what the first could not", input: "1 !8:2 2 !8:2",
      output: ["!8:- uncorrelated", "!8:1 after-close", "uu"]),
    Case(
      sentence: "one after the first, byte-swapped, of unknown status", input: "1 2 !8:2 !77:16777216",
      output: ["!8:1", "!77:0 after-close identifier-swapped unknown-status", "ar"]),
    Case(
      sentence: "of byte-swapped ones with other tokens none", input: "1 2 2=b 3 !8:33554432",
      output: ["!8:- identifier-swapped uncorrelated", "auud"]),
    Case(
      sentence: "a palindrome (12343412) is no swap", input: "1 305411090 2 !8:305411090",
      output: ["!8:1", "ard"]),
    Case(
      sentence: "a palindrome (11111111) that no request has", input: "1 2 !8:286331153",
      output: ["!8:- uncorrelated", "uu"]),
    Case(
      sentence: "two bytes swapped (0102) are no swap", input: "258 1 !8:513",
      output: ["!8:- uncorrelated", "uu"]),
    Case(
      sentence: "the byte-swapped one before, the same one after", input: "16777216 !8:1 1",
      output: ["!8:0 identifier-swapped", "rd"]),
    Case(
      sentence: "the first in the stream, not in the capture", input: "1 7@9 7@3 !8:7@10",
      output: ["!8:1", "ard"]),
    Case(sentence: "identifier 0 after only", input: "1 !8:0 0", output: ["!8:- uncorrelated", "uu"]),
    Case(
      sentence: "a request that left may have had the identifier", input: "1 9 4 !8:4",
      output: ["limit", "!8:- uncorrelated", "uuu"], maxPending: 1),
    Case(
      sentence: "a second response names one that left", input: "1 2 3 !8:3 !8:1",
      output: ["limit", "!8:2", "!8:- after-close uncorrelated", "uur"], maxPending: 1),
    Case(
      sentence: "an identifier of one that left, and of another", input: "1 2 3 1=b 4 !8:1",
      output: ["limit", "!8:- uncorrelated", "uuuuu"], maxPending: 2),
    Case(
      sentence: "identifier 0 once more, but the other left", input: "0 1 0=b !8:0",
      output: ["limit", "!8:- uncorrelated", "uuu"], maxPending: 2),
    Case(
      sentence: "none may wait", input: "1 2 !8:2", output: ["limit", "uu", "!8:- uncorrelated"],
      maxPending: 0),
    Case(
      sentence: "requests that leave before the response, and others after", input: "1 2 3 !8:3 4 5 6",
      output: ["limit", "!8:2", "uurddd"], maxPending: 1),
    Case(
      sentence: "also without a response", input: "1 2 3", output: ["limit", "uuu"], maxPending: 2),
    Case(
      sentence: "a finding is emitted between the requests around it", input: "1 ? 2 !8:2",
      output: ["!8:1", "a", "?", "r"]),
    Case(sentence: "a finding before all requests does not wait", input: "? 1", output: ["now ?", "u"]),
    Case(
      sentence: "a finding is emitted between the responses around it", input: "1 !? !8:1 !? !8:1",
      output: ["now !?", "!8:0", "!?", "!8:0 after-close", "r"]),
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
