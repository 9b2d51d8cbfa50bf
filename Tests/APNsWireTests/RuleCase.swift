import APNsWire
import Foundation
import TestSupport
import Testing

/// A line of Tests/Fixtures/decoding-rules.txt, whose first lines describe its form.
struct RuleCase: Sendable, CustomTestStringConvertible {
  var section: String
  var testDescription: String
  var bytes: [UInt8]
  var expected: String
  private var options: [String: [Int]] = [:]

  static let all: [RuleCase] = {
    guard let data = try? Fixtures.data("decoding-rules.txt") else { return [] }
    var section: String?
    return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
      if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()) }
      return line.contains(" |") ? section.map { RuleCase($0, line) } : nil
    }
  }()

  static func of(_ section: String) -> [RuleCase] { all.filter { $0.section.hasPrefix(section) } }

  private init(_ section: String, _ line: Substring) {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    (self.section, testDescription) = (section, parts[0])
    bytes = Self.bytes(parts[1].split(separator: " ")[...])
    expected = parts[2]
    for option in parts.dropFirst(3).joined().split(separator: " ") {
      let words = option.split(separator: "=")
      options[String(words[0])] = words.dropFirst().joined().split(separator: ",").compactMap { Int($0) }
    }
  }

  init(_ sentence: String, _ bytes: [UInt8], _ expected: String, allowed: [Int] = [32]) {
    (section, testDescription, self.bytes, self.expected) = ("", sentence, bytes, expected)
    options = ["allowed": allowed]
  }

  /// The bytes of words; those in braces are the items of a frame.
  private static func bytes(_ words: ArraySlice<Substring>) -> [UInt8] {
    guard let open = words.firstIndex(of: "{"), let close = words.firstIndex(of: "}") else {
      return words.flatMap(bytes)
    }
    return words[..<open].flatMap(bytes) + RequestBytes.frame(words[(open + 1)..<close].flatMap(bytes))
      + words[(close + 1)...].flatMap(bytes)
  }

  private static func payload(_ text: Substring) -> [UInt8] {
    if text.hasPrefix("x") { return TestHex.bytes(String(text.dropFirst())) }
    let marks = [("␠", " "), ("␤", "\n"), ("␀", "\0")]
    return Array(marks.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }.utf8)
  }

  private static func bytes(_ word: Substring) -> [UInt8] {
    if let item = word.wholeMatch(of: /i(\d+):([0-9a-f]*)/)?.output {
      return RequestBytes.item(UInt8(item.1) ?? 0, TestHex.bytes(String(item.2)))
    }
    let form =
      /([THJZSEFRtp])(\d*)(?::(\d+))?(?:~(\d+)\+(\d+))?(?:@(E-|E|L\+|L|\d+))?(?:<(\d+))?(?:-(\d+))?(?:=(.+))?/
    guard let found = word.wholeMatch(of: form)?.output else { return TestHex.bytes(String(word)) }
    func number(_ text: Substring?) -> Int? { text.flatMap { Int($0) } }
    let count = number(found.2)
    var token = RequestBytes.token(count ?? 32)
    if let start = number(found.4), let zeros = number(found.5) {
      token.replaceSubrange(start..<start + zeros, with: repeatElement(0, count: zeros))
    }
    let payload =
      found.9.map(payload) ?? number(found.3).map { $0 == 0 ? [] : RequestBytes.json($0) }
      ?? RequestBytes.payload
    let ends: [Substring: UInt32] = [
      "E": 0x4a38_3200, "E-": 0x4a38_31ff, "L": 0x608b_4880, "L+": 0x608b_4881,
    ]
    let time = found.6.flatMap { ends[$0] ?? UInt32($0) } ?? Tuples.time
    let bytes: [UInt8] =
      switch found.1 {
      case "T": Tuples.of(token, time: time)
      case "H": Tuples.header(time: time, length: count ?? 32)
      case "J": RequestBytes.junk(count ?? 1)
      case "Z": RequestBytes.token(count ?? 1, fill: 0)
      case "S": RequestBytes.simple(token, payload)
      case "E": RequestBytes.enhanced(token, payload)
      case "F": RequestBytes.framed(token, payload)
      case "t": RequestBytes.item(1, token)
      case "p": RequestBytes.item(2, payload)
      default: [8, UInt8(count ?? 8), 0, 0, 0, 1]
      }
    return bytes.prefix(number(found.7) ?? .max).dropLast(number(found.8) ?? 0)
  }

  // MARK: - The decoders

  private var beginsStream: Bool { options["inside"] == nil }
  private func option(_ name: String, _ standard: Int) -> Int { options[name]?.first ?? standard }

  var limits: FeedbackLimits {
    FeedbackLimits(
      allowed: Set(options["allowed"] ?? [32]), longest: option("longest", 100),
      earliest: option("earliest", 1_245_196_800), latest: option("latest", 1_619_740_800))
  }

  func checkFeedback() throws {
    let rules = try #require(limits.rules)
    check {
      WatchedDecoding(feedback: bytes, rules: rules, beginsStream: beginsStream, chunkLength: $0)
    }
  }

  func checkRequests() throws {
    let limits = RequestLimits(
      allowed: Set(options["allowed"] ?? [32]), longest: option("longest", 100),
      payload: option("payload", 4096))
    let rules = try #require(limits.rules)
    check {
      WatchedDecoding(requests: bytes, rules: rules, beginsStream: beginsStream, chunkLength: $0)
    }
  }

  func checkResponses() {
    check { WatchedDecoding(responses: bytes, beginsStream: beginsStream, chunkLength: $0) }
  }

  /// In one chunk, and in chunks of every size up to 40.
  private func check<Decoder>(_ decode: (() -> Int) -> WatchedDecoding<Decoder>) {
    let whole = decode { bytes.count + 1 }
    #expect(whole.breach == nil)
    #expect(whole.evidence.text == expected)
    for size in 1...40 {
      let decoding = decode { size }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence == whole.evidence, "in chunks of \(size)")
    }
  }
}

@Suite("docs/spec/decoding-rules.md, sentence by sentence") struct DecodingRuleTests {
  @Test func areThere() { #expect(RuleCase.all.count == 252) }

  /// docs/spec/decoding-rules.md#plausible-boundaries. A tuple whose end is not plausible, and without a start inside it, has
  /// the flag `unconfirmed-boundary`.
  @Test("feedback tuples", arguments: RuleCase.of("feedback")) func feedback(_ rule: RuleCase) throws {
    try rule.checkFeedback()
  }

  @Test("docs/spec/decoding-rules.md#gateway-requests", arguments: RuleCase.of("requests")) func requests(
    _ rule: RuleCase
  ) throws { try rule.checkRequests() }

  @Test("a request that is cut, at every length, alone or after a whole one") func cuts() throws {
    let simple = RequestBytes.simple()
    for bytes in [simple, RequestBytes.enhanced(), RequestBytes.framed()] {
      for count in 1..<bytes.count {
        let part = Array(bytes.prefix(count))
        try RuleCase("cut at \(count)", part, "truncated 0+\(count)").checkRequests()
        try RuleCase("cut", simple + part, "request 0+52, truncated 52+\(count)").checkRequests()
      }
    }
  }

  @Test("docs/spec/decoding-rules.md#error-responses", arguments: RuleCase.of("responses")) func responses(
    _ rule: RuleCase
  ) { rule.checkResponses() }

  /// docs/spec/protocol.md#error-responses.
  static let knownStatuses: Set<UInt8> = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255]

  @Test("only the first response after skipped bytes is resynchronised") func resynchronisedResponse() {
    // The 8 after the first of the two makes it a start; the second is no start, but is at a boundary.
    RuleCase(
      "", [1, 8, 8, 0, 0, 0, 1, 8, 9, 0, 0, 0, 1],
      "undecodable 0, skipped 0+1, response 1 resynchronised, response 7 unknown-status"
    ).checkResponses()
  }
}
