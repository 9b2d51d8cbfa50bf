import Basics
import Conformance
import Testing

@Suite("Expectations and differences") struct EvidenceTests {
  /// A line of NDJSON for a tuple.
  private static func tuple(_ offset: Int, token: String = "aa", more: String = "") -> String {
    #"{"type":"feedback","source":"input.bin","stream":0,"direction":"server","offset":\#(offset),"#
      + #""packet":null,"token":"\#(token)"\#(more)}"#
  }

  /// The location of such a tuple.
  private static func location(_ offset: Int) -> Message {
    "feedback at offset \(offset) of the server, stream 0 of input.bin"
  }

  private static let header =
    #"{"type":"header","schema":"apnsift/1","version":"9.9.9","options":{"from":"auto"}}"#
  private static let summary = #"{"type":"summary","streams":1,"feedback":2}"#

  private func evidence(_ lines: [String]) throws -> Evidence {
    try Evidence(ndjson: Array(lines.joined(separator: "\n").utf8))
  }

  private func differences(_ expected: [String], _ found: [String], limit: Int = 10) throws
    -> EvidenceComparison
  { EvidenceComparison(expected: try evidence(expected), found: try evidence(found), limit: limit) }

  private static let found = [header, tuple(0), tuple(38), summary]

  private static let equal: KeyValuePairs = [
    "itself": found,
    "lines in another order": [summary, tuple(38), tuple(0), header],
    "blank lines, and another line end": ["", header, "  ", tuple(0) + "\r", tuple(38), summary, ""],
    "no header and no summary": [tuple(0), tuple(38)],
    "keys in another order":
      [
        #"{"token":"aa","offset":0,"direction":"server","packet":null,"source":"input.bin","stream":0,"type":"feedback"}"#,
        tuple(38),
      ],
    "a key left out that is null":
      [
        #"{"type":"feedback","source":"input.bin","stream":0,"direction":"server","offset":0,"token":"aa"}"#,
        tuple(38),
      ],
    "another message": [tuple(0, more: #","message":"anything""#), tuple(38)],
    "another version and other options":
      [#"{"schema":"apnsift/1","type":"header","version":"0"}"#, tuple(0), tuple(38)],
  ]

  @Test("is equal", arguments: Array(equal))
  func same(_ name: String, _ expected: [String]) throws {
    #expect(try differences(expected, Self.found).count == 0, "\(name)")
  }

  /// A line of NDJSON for a push of a capture, or of a log.
  private static func push(_ more: String) -> String {
    #"{"type":"push","source":"a","stream":0,"direction":"server","offset":49,\#(more)}"#
  }

  private static let pushes: [(expected: String, found: String, fields: [String])] = [
    (#""http2_stream":1,"line":null,"status":410"#, #""http2_stream":1,"status":410"#, []),
    (#""http2_stream":1,"status":410"#, #""http2_stream":1,"status":null"#, ["status"]),
    (
      #""http2_stream":1,"reason":"Unregistered""#, #""http2_stream":3,"reason":"ExpiredToken""#,
      ["http2_stream", "reason"]
    ),
    (#""line":2,"time":"2013-05-01T09:30:00.500Z""#, #""line":2,"time":"2013-05-01T09:30:00Z""#, ["time"]),
    (#""line":2,"flags":["no-response"]"#, #""line":2,"flags":[]"#, ["flags"]),
  ]

  private static let unequal: [(expected: [String], found: [String], fields: [String], location: Message)] =
    [
      ([tuple(0), tuple(38, token: "bb")], found, ["token"], location(38)),
      // A key that is null on one side only.
      ([tuple(0, more: #","flags":["resynchronised"]"#), tuple(38)], found, ["flags"], location(0)),
      ([tuple(0), tuple(38), summary.replacing("2", with: "3")], found, ["feedback"], "summary"),
    ] + pushes.map { ([push($0)], [push($1)], $2, "push at offset 49 of the server, stream 0 of a") }

  @Test(
    "a difference names its fields and location; pushes are compared as other records are", arguments: unequal
  )
  func fields(_ expected: [String], _ found: [String], _ fields: [String], _ location: Message) throws {
    let comparison = try differences(expected, found)
    #expect(comparison.count == (fields.isEmpty ? 0 : 1))
    let difference = comparison.first.first
    #expect(difference?.fields ?? [] == fields)
    #expect(difference?.location == (fields.isEmpty ? nil : location))
  }

  @Test("a summary that is expected and not found is a difference") func noSummary() throws {
    #expect(try differences(Self.found, [Self.tuple(0), Self.tuple(38)]).count == 1)
  }

  @Test(
    "a record that is on one side only",
    arguments: [
      ("expected and not found", [tuple(0), tuple(19), tuple(38)], true, 19),
      ("found and not expected", [tuple(0)], false, 38),
      ("one of two that are the same", [tuple(0), tuple(0), tuple(38)], true, 0),
    ]) func missing(_ name: String, _ expected: [String], isExpected: Bool, _ offset: Int) throws
  {
    let comparison = try differences(expected, Self.found)
    #expect(comparison.count == 1, "\(name)")
    let difference = try #require(comparison.first.first)
    #expect((difference.expected != nil) == isExpected && (difference.found != nil) == !isExpected, "\(name)")
    #expect(difference.fields.isEmpty, "\(name)")
    #expect(difference.location == Self.location(offset), "\(name)")
  }

  @Test("at the same position, equal records are removed and the rest is paired") func pairing() throws {
    let expected = ["aa", "bb", "cc"].map { Self.tuple(0, token: $0) }
    let found = ["cc", "dd", "aa"].map { Self.tuple(0, token: $0) }
    let comparison = try differences(expected, found)
    #expect(comparison.count == 1)
    let texts = [comparison.first.first?.expected, comparison.first.first?.found].map { record in
      String(decoding: record?.canonical ?? [], as: UTF8.self)
    }
    #expect(texts[0].contains("bb") && texts[1].contains("dd"), "\(texts)")
  }

  @Test("all differences are counted, the first ones in canonical order are kept") func limit() throws {
    let expected = (0..<1000).reversed().map { Self.tuple($0) }
    let comparison = try differences(expected, [], limit: 3)
    #expect(comparison.count == 1000)
    #expect(comparison.first.map(\.location) == (0..<3).map { Self.location($0) })
  }

  @Test("the order is by source, stream, direction, offset, type, in bytes and numbers") func order() throws {
    let sorted = [
      #"{"type":"finding","source":"input.bin","stream":null,"direction":null,"offset":null,"code":"x"}"#,
      #"{"type":"stream","source":"input.bin","stream":0}"#,
      #"{"type":"request","source":"input.bin","stream":0,"direction":"client","offset":100}"#,
      #"{"type":"feedback","source":"input.bin","stream":0,"direction":"server","offset":9}"#,
      #"{"type":"feedback","source":"input.bin","stream":0,"direction":"server","offset":10}"#,
      #"{"type":"finding","source":"input.bin","stream":0,"direction":"server","offset":10}"#,
      #"{"type":"stream","source":"input.bin","stream":2}"#,
      #"{"type":"stream","source":"input.bin","stream":10}"#,
      #"{"type":"stream","source":"input.zip","stream":0}"#,
      #"{"type":"stream","source":"inputé","stream":0}"#,
    ]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      let shuffled = sorted.shuffled(using: &generator)
      let found = try evidence(shuffled)
      #expect(found.records.map { String(decoding: $0.written, as: UTF8.self) } == sorted)
    }
  }

  @Test("written evidence survives a round trip, for any order of lines") func writing() throws {
    let first = try evidence(Self.found + [Self.tuple(7, more: #","message":"gone""#)])
    let second = try evidence([Self.tuple(7)] + Self.found.reversed())
    #expect(first.ndjson == second.ndjson)
    let again = try Evidence(ndjson: first.ndjson)
    #expect(EvidenceComparison(expected: again, found: first, limit: 1).count == 0)
    #expect(
      String(decoding: first.ndjson, as: UTF8.self).split(separator: "\n").map(String.init) == [
        #"{"type":"header","schema":"apnsift/1"}"#, Self.tuple(0), Self.tuple(7), Self.tuple(38),
        Self.summary,
      ])
  }

  @Test("many records at one position take less than quadratic time") func manyAtOnePlace() throws {
    let lines = (0..<20_000).map { Self.tuple(0, token: String($0 * 7919 % 20_000, radix: 16)) }
    #expect(try differences(lines, lines.reversed()).count == 0)
    #expect(try differences(lines, lines.dropLast()).count == 1)
  }

  @Test(
    "errors have line and column",
    arguments: [
      ([header, "{\"type\":\"feedback\","], 2, false, "expected a key in quotes, found the end"),
      ([header, "[]"], 2, false, "expected an object with a type, found an array"),
      (["", "{}"], 2, false, "expected an object with a type, found an object"),
      ([#"{"type":1}"#], 1, false, "expected an object with a type, found an object"),
      ([summary, summary], 2, false, "expected one summary, found another"),
      ([#"{"type":"header","schema":"apnsift/2"}"#], 1, true, #"the schema "apnsift/1", found "apnsift/2""#),
      ([#"{"type":"header"}"#], 1, true, #"the schema "apnsift/1", found none"#),
      ([tuple(0), #"{"type":"header","schema":1}"#], 2, true, #"the schema "apnsift/1", found 1"#),
    ]) func errors(_ lines: [String], _ line: Int, isOtherVersion: Bool, _ message: String)
  {
    let error = #expect(throws: EvidenceError.self) { try evidence(lines) }
    #expect(error?.line == line)
    #expect(error?.isOtherVersion == isOtherVersion)
    #expect(error?.message.text.contains(message) == true)
  }
}
