import APNsWire
import TestSupport
import Testing

/// What is right is what decoding in chunks gives, whose rules have their own tests.
@Suite("Whole inputs as values") struct DecodedTests {
  @Test(
    "all tuples, flags and other bytes are there",
    arguments: RuleCase.of("feedback: steps") + RuleCase.of("feedback: flags")) func feedback(
      _ rule: RuleCase
    ) throws
  {
    let rules = try #require(rule.limits.rules)
    let found = FeedbackDecoder.decode(rule.bytes, rules: rules, isDump: false)
    let records = found.records.map {
      Evidence.record(offset: $0.offset, time: Int($0.time), token: $0.token, flags: $0.flags.codes)
    }
    let expected = WatchedDecoding(feedback: rule.bytes, rules: rules) { 7 }.evidence
    let isRecord = { (evidence: Evidence) in if case .record = evidence { true } else { false } }
    #expect(records == expected.filter(isRecord))
    #expect(found.rest.map(\.text) == expected.filter { !isRecord($0) }.map(\.description))
    #expect(found.rest.allSatisfy { $0.direction == .server })
  }

  @Test("separators of a file are named") func separators() {
    var generator = SeededGenerator(seed: 7)
    var lines: [UInt8] = []
    for _ in 0..<6 {
      let token = (0..<32).map { _ in UInt8.random(in: 1...255, using: &generator) }
      lines += Tuples.of(token) + [0x0d, 0x0a]
    }
    let found = FeedbackDecoder.decode(lines)
    #expect(found.records.map(\.offset) == [0, 40, 80, 120, 160, 200])
    #expect(found.rest.map(\.text) == (0..<6).map { "separator \(40 * $0 + 38)+2" })
  }

  @Test("requests have their ranges in the input") func requests() throws {
    let bytes = RequestBytes.enhanced() + RequestBytes.junk(5) + RequestBytes.framed()
    let found = RequestDecoder.decode(bytes)
    #expect(found.records.map(\.range) == [0..<60, 65..<123])
    #expect(found.rest.map(\.text) == ["skipped 60+5"] && found.rest.first?.direction == .client)
    let last = try #require(found.records.last)
    let fields = RequestFields(last.range, in: bytes.span.bytes)
    #expect(fields.token.map { Array(bytes[$0]) } == RequestBytes.token())
  }

  @Test("responses, and one that is cut") func responses() {
    let found = ResponseDecoder.decode([8, 8, 0, 0, 0, 7] + [8, 1, 0])
    #expect(found.records.map(\.response) == [ErrorResponse(status: 8, identifier: 7)])
    #expect(found.rest.map(\.text) == ["truncated 6+3"])
  }

  @Test("an empty input has neither records nor other bytes") func empty() {
    #expect(FeedbackDecoder.decode([]) == Decoded())
    #expect(RequestDecoder.decode([]) == Decoded())
    #expect(ResponseDecoder.decode([]) == Decoded())
  }
}

extension UndecodedBytes { fileprivate var text: String { "\(kind) \(offset)+\(length)" } }
