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

  @Test("Every byte is in one step", arguments: logs) func account(_ log: LogCase) throws {
    for bytes in [Array(log.log.utf8), Array((log.log + "\n").utf8)] {
      // Pushes of several lines have no bytes of their own.
      let extents = try DecodedLog(bytes).extents.filter { !$0.isEmpty }
      var end = 0
      for extent in extents {
        #expect(extent.lowerBound == end)
        end = extent.upperBound
      }
      #expect(end == bytes.count)
    }
  }

  @Test("A log that is cut anywhere has the pushes of its whole lines", arguments: logs) func prefixes(
    _ log: LogCase
  ) throws {
    let bytes = Array(log.log.utf8)
    for count in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 97)) {
      let cut = try DecodedLog(Array(bytes[..<count]))
      #expect(cut.extents.reduce(0) { $0 + $1.count } == count)
    }
  }

  @Test("A cut object is truncated") func truncated() throws {
    let log = "{\"token\":\"ab\",\"status\":200}\n{\"token\":\"cd\",\"sta"
    #expect(try DecodedLog(log).steps == ["push 1 token=ab status=200", "truncated"])
  }

  @Test("Lines with the same problem are one skip") func repeatedProblem() throws {
    let bad = #"{"token":"ab","status":"x"}"#
    let log = try DecodedLog([bad, bad, "{", #"{"token":"ab","status":200}"#, bad].joined(separator: "\n"))
    #expect(
      log.steps == [
        "bad 1+2 statusIsNoStatus", "unrelated 3+1", "push 4 token=ab status=200", "bad 5+1 statusIsNoStatus",
      ])
    #expect(log.problemTexts == ["x", "x"])
  }

  @Test("A problem has the text that is wrong") func problemTexts() throws {
    let log = try DecodedLog(
      #"{"token":"ab" "status":200}"# + "\n" + #"{"token":"ab","status":"gone"}"# + "\n")
    #expect(log.steps == [#"bad 1+1 json(expected: "a comma or }")"#, "bad 2+1 statusIsNoStatus"])
    #expect(log.problemTexts == ["\"", "gone"])
  }

  @Test("A quote that is never closed hides one line", .timeLimit(.minutes(1))) func openQuotes() throws {
    let rows = String(repeating: "ab,200,\n", count: 20_000)
    let log = try DecodedLog("token,status,note\n\"ab,200,x\n" + rows)
    #expect(log.steps.prefix(2) == ["passed", "bad 2+1 openQuote"])
    #expect(log.pushes.count == 20_000)
  }

  @Test("Random changes of a log end no log") func noise() throws {
    var random = SeededGenerator(seed: 7)
    let log = Array(LogCase.of("lines").map(\.log).joined(separator: "\n").utf8)
    for _ in 0..<300 {
      var changed = log
      for _ in 0..<random.pick(1...20) {
        changed[random.pick(0...changed.count - 1)] = UInt8(random.pick(0...255))
      }
      let whole = try DecodedLog(changed)
      #expect(whole.extents.reduce(0) { $0 + $1.count } == changed.count)
      #expect(try DecodedLog(changed, chunk: 13).steps == whole.steps)
    }
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
