import ProviderLogs
import TestSupport
import Testing

@Suite("Logs in chunks, and damaged logs") struct LogStreamTests {
  static let logs: [LogCase] =
    LogCase.all.filter { $0.mapping == nil }
    + ["\n", "\r\n"].map { end in
      var all = LogCase(section: "", testDescription: "several lines that end in \(end.debugDescription)")
      all.log = LogCase.of("lines").prefix(50).map(\.log).joined(separator: end)
      return all
    }

  @Test("Chunks do not change the steps", arguments: logs) func chunks(_ log: LogCase) throws {
    let whole = try DecodedLog(log.log)
    for size in Array(1...17) + [64, 100, 255] {
      let parts = try DecodedLog(log.log, chunk: size)
      #expect(parts.steps == whole.steps)
      #expect(parts.extents == whole.extents)
      #expect(parts.problemTexts == whole.problemTexts)
    }
  }

  @Test("Every byte is in one step, wherever the log is cut", arguments: logs)
  func account(_ log: LogCase) throws {
    let bytes = Array((log.log + "\n").utf8)
    let cuts = stride(from: 0, to: bytes.count - 1, by: max(1, bytes.count / 97))
    for count in Array(cuts) + [bytes.count - 1, bytes.count] {
      // Pushes of several lines have no bytes of their own.
      let extents = try DecodedLog(Array(bytes[..<count])).extents.filter { !$0.isEmpty }
      #expect(extents.map(\.lowerBound) == ([0] + extents.map(\.upperBound)).dropLast())
      #expect(extents.last?.upperBound ?? 0 == count)
    }
  }

  private static let good = #"{"token":"ab","status":200}"#
  private static let bad = #"{"token":"ab","status":"x"}"#
  private static let problems: [(name: String, lines: [String], steps: [String], texts: [String])] = [
    ("a cut object", [good, #"{"token":"cd","sta"#], ["push 1 token=ab status=200", "truncated"], []),
    (
      "lines with the same problem are one skip", [bad, bad, "{", good, bad],
      [
        "bad 1+2 statusIsNoStatus", "unrelated 3+1", "push 4 token=ab status=200", "bad 5+1 statusIsNoStatus",
      ], ["x", "x"]
    ),
    (
      "a missing mark, and a word",
      [#"{"token":"ab" "status":200}"#, #"{"token":"ab","status":"gone"}"#, ""],
      [#"bad 1+1 json(expected: "a comma or }")"#, "bad 2+1 statusIsNoStatus"], ["\"", "gone"]
    ),
  ]

  @Test("A problem has the text that is wrong", arguments: problems)
  func problem(_ name: String, _ lines: [String], _ steps: [String], _ texts: [String]) throws {
    let log = try DecodedLog(lines.joined(separator: "\n"))
    #expect(log.steps == steps && log.problemTexts == texts, "\(name): \(log.steps)")
  }

  @Test("A quote that is never closed hides one line", .timeLimit(.minutes(1))) func openQuotes() throws {
    let rows = String(repeating: "ab,200,\n", count: 20_000)
    let log = try DecodedLog("token,status,note\n\"ab,200,x\n" + rows)
    #expect(log.steps.prefix(2) == ["passed", "bad 2+1 openQuote"])
    #expect(log.pushes.count == 20_000)
  }

  @Test(
    "Recognition needs a push with an answer",
    arguments: [
      (#"{"token":"ab","status":200}"#, true), ("\n\nstarted\n" + #"{"token":"ab","status":200}"#, true),
      ("token,status\nab,200\n", true), ("token,status\n", false),
      (#"{"type":"feedback","token":"ab","timestamp":5}"#, false),
      (#"{"token":"ab","reason":"Later"}"#, false), ("feedface", false), ("", false),
      ("\u{0}\u{1}{\"token\":\"ab\",\"status\":200}", false), (#"{"level":"info"}"#, false),
    ] + LogCase.of("transcripts").map { ($0.log, $0.steps.contains { $0.contains("status") }) })
  func recognition(_ log: String, _ isLog: Bool) {
    let bytes = Array(log.utf8)
    #expect(LogProbe.recognises(bytes.span.bytes, isWhole: true, LogOptions()) == isLog)
  }
}
