import Basics
import ProviderLogs
import TestSupport
import Testing

/// A log of a line or a few, and what is read of it: from Tests/Fixtures/log-cases.txt, whose first lines describe its form.
struct LogCase: CustomTestStringConvertible, Sendable {
  var section: String
  var testDescription: String
  var log = ""
  var steps: [String] = []
  var mapping: String?

  static let all = MarkedCase.all("log-cases.txt").map { one in
    LogCase(
      section: one.section, testDescription: one.name, log: one.text, steps: one.lines("="),
      mapping: one.lines("~").last)
  }

  static func of(_ section: String) -> [LogCase] { all.filter { $0.section == section } }
}

@Suite("docs/spec/provider-logs.md") struct LogCaseTests {
  @Test func areThere() { #expect(LogCase.all.count > 130) }

  @Test("lines, tables and objects of several lines", arguments: LogCase.of("lines"))
  func line(_ one: LogCase) throws {
    #expect(try DecodedLog(one.log, mapping: one.mapping).steps == one.steps)
  }

  /// A member named only `timestamp` may be when the line was written.
  @Test(
    "whose time it is",
    arguments: ["times that are taken", "times of lines", "doubtful times"].flatMap(LogCase.of))
  func time(_ one: LogCase) throws {
    let log = try DecodedLog(one.log, mapping: one.mapping)
    #expect(log.steps == one.steps)
    #expect(log.doubtful == (one.section == "doubtful times" ? one.steps.count : 0))
    #expect(log.ofLines == (one.section == "times of lines" ? 1 : 0))
  }

  @Test("answers over several lines", arguments: LogCase.of("transcripts")) func transcript(_ one: LogCase)
    throws
  { #expect(try DecodedLog(one.log).pushes == one.steps) }

  @Test(arguments: [
    ("token", "'token'"), ("tokn=x", "'tokn'"), ("token=x,token=y", "'token' twice"), ("token=", "''"),
    ("token=a..b", "'a..b'"), ("token=a.b.c.d.e", "'a.b.c.d.e'"),
  ]) func refusedMapping(_ text: String, _ named: String) {
    let failure = #expect(throws: CommandError.self) { try LogMapping(text) }
    #expect(failure?.message.text.contains(named) == true)
  }
}
