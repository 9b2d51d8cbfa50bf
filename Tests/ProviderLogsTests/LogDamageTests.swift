import ProviderLogs
import TestSupport
import Testing

/// Values that are wrong, and logs whose marks (quotes, braces, line ends) are wrong.
@Suite("docs/spec/provider-logs.md: damage") struct LogDamageTests {
  private static let push = #"{"token":"ab","status":200}"#

  static let wrong: [(line: String, finding: String, found: String)] = [
    (#"{"token":"ab","status":[410]}"#, "statusIsNoStatus", "[410]"),
    (#"{"token":"ab","status":410.5}"#, "statusIsNoStatus", "410.5"),
    (#"{"token":"ab","status":99}"#, "statusIsNoStatus", "99"),
    (#"{"token":"ab","status":1000000000000000000000}"#, "statusIsNoStatus", "1000000000000000000000"),
    (#"{"token":"ab","status":410,"timestamp_ms":"soon"}"#, "timeIsNoTime", "soon"),
    (#"{"token":"ab","status":410,"timestamp_ms":-5}"#, "timeIsNoTime", "-5"),
    (#"{"token":"ab","status":410,"timestamp_ms":1e300}"#, "timeIsNoTime", "1e300"),
    (#"{"token":"ab","status":410,"timestamp_ms":{}}"#, "timeIsNoTime", "{}"),
    (#"{"token":"ab","status":410,"timestamp":9999999999999999999}"#, "timeIsNoTime", "9999999999999999999"),
    (#"{"token":17,"status":410}"#, "tokenIsNoText", "17"),
    (#"{"sent":[{"device":"ab","response":{"reason":"Unregistered"}}]}"#, "twoValues", "Unregistered"),
  ]

  @Test("A value that is wrong skips its line, and no other", arguments: wrong)
  func wrongValue(_ line: String, finding: String, found: String) throws {
    let log = try DecodedLog([Self.push, line, Self.push].joined(separator: "\n"))
    #expect(log.steps == ["push 1 token=ab status=200", "bad 2+1 \(finding)", "push 3 token=ab status=200"])
    #expect(log.problemTexts == [found])
  }

  @Test("A line of 64 KiB with its end is read, a longer one is not", arguments: [-1, 0, 1, 2, 200_000])
  func longestLine(_ more: Int) throws {
    let head = #"{"token":"cd","status":200,"x":""#
    let line = head + String(repeating: "x", count: 65_536 + more - head.utf8.count - 3) + "\"}\n"
    #expect(line.utf8.count == 65_536 + more)
    for chunk in [4096, 65_535, 65_536, 65_537, .max] {
      #expect(
        try DecodedLog(line + Self.push, chunk: chunk).steps == [
          more <= 0 ? "push 1 token=cd status=200" : "bad 1+1 tooLong", "push 2 token=ab status=200",
        ])
    }
  }

  /// Logs, with `?` for a byte that is not UTF-8. JSON must be UTF-8 (RFC 8259, section 8.1), CSV need not be.
  static let damagedTexts: [(log: String, steps: String)] = [
    ("token,status,reason\nab,410,Gone?", "push 2 token=ab status=410"),
    ("token,status,topic\nab,200,\"a\"\"?\"", "push 2 token=ab status=200"),
    ("token,status\nx?,400", "bad 2+1 tokenIsNoText"),
  ]

  @Test("A text that is not UTF-8 is unknown, the rest of its line is read", arguments: damagedTexts)
  func notUTF8(_ log: String, _ steps: String) throws {
    let bytes = log.utf8.map { $0 == UInt8(ascii: "?") ? 0xb9 : $0 }
    #expect(try DecodedLog(bytes).steps.last == steps)
  }

  static let logs = [
    """
    {"token":"ab","status":410,"reason":"Unregistered","timestamp_ms":1700000000123}\r
    worker started

    {"token":17,"status":410}
    {"sent":[{"device":"ab"},{"device":"cd"}],"failed":[]}
    {"token":"ab","status":}
    {"token":"ab","sta
    """,
    // A quote without its second one, in a list of accepted tokens.
    "{sent[{\n]\"\n",
    "\u{feff}token,status,\"no\"\"te\"\r\nab,200,\"a,\nb\"\r\n\n\"cd\",400,\"\"\n\"cd\"x,400,\ncd,400,\"open\nef,410,end",
  ]

  @Test("Chunks of every length", arguments: logs) func everyChunk(_ log: String) throws {
    let whole = try DecodedLog(log)
    for length in 1...log.utf8.count {
      #expect(try DecodedLog(log, chunk: length).steps == whole.steps, "\(length) bytes")
    }
  }

  @Test(
    "Wrong marks, and wrong bytes: every byte is in one step, however the log is cut",
    arguments: logs + [LogCase.of("lines").map(\.log).joined(separator: "\n")],
    [Array("\"\"\\{}[],:\n\r\t;".utf8), Array(0...255)])
  func wrongBytes(_ log: String, _ wrong: [UInt8]) throws {
    var random = SeededGenerator(seed: 17)
    for _ in 0..<(log.utf8.count > 1000 ? 300 : 1000) {
      var bytes = Array(log.utf8)
      for _ in 0..<random.pick(1...random.pick([4, 20])) {
        bytes[random.pick(0...bytes.count - 1)] = random.pick(wrong)
      }
      if random.chance(2) { bytes = Array(bytes.prefix(random.pick(1...bytes.count))) }
      let whole = try DecodedLog(bytes)
      #expect(whole.extents.reduce(0) { $0 + $1.count } == bytes.count)
      #expect(try DecodedLog(bytes, chunk: random.pick(1...40)).steps == whole.steps)
    }
  }
}
