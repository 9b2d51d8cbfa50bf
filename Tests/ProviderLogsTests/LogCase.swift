import Basics
import Foundation
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

  static let all: [LogCase] = {
    guard let data = try? Fixtures.data("log-cases.txt") else { return [] }
    var cases: [LogCase] = []
    var section: String?
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("[") {
        section = String(line.dropFirst().dropLast())
      } else if let section {
        if !line.hasPrefix("  ") { cases.append(LogCase(section: section, testDescription: String(line))) }
        cases[cases.count - 1].read(line)
      }
    }
    return cases
  }()

  static func of(_ section: String) -> [LogCase] { all.filter { $0.section == section } }

  private mutating func read(_ line: Substring) {
    let rest = [("<CR>", "\r"), ("<TAB>", "\t"), ("<SP>", " "), ("<BOM>", "\u{feff}"), ("<ESC>", "\u{1b}")]
      .reduce(String(line.dropFirst(4))) { $0.replacing($1.0, with: $1.1) }
    switch line.dropFirst(2).prefix(1) {
    case _ where !line.hasPrefix("  "): break
    case "|": log += rest + "\n"
    case ":": log += rest
    case "~": mapping = rest
    default: steps.append(rest)
    }
  }
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
