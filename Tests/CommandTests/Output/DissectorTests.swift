import CommandTestSupport
import Foundation
import Testing

/// What the dissector reads of captures is compared by scripts/check-dissector.
@Suite("apnsift dissector")
struct DissectorTests {
  private let script: Outcome

  init() throws { script = try TestDirectory().apnsift("dissector") }

  /// The groups of each match in a document of docs/spec.
  private func matches(_ pattern: String, in document: String) throws -> [[String]] {
    let text = try String(contentsOfFile: Repository.path(of: "docs/spec/\(document)"), encoding: .utf8)
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
      (1..<match.numberOfRanges).map { Range(match.range(at: $0), in: text).map { String(text[$0]) } ?? "" }
    }
  }

  @Test("is a script of at most 350 lines of at most 130 characters")
  func size() {
    #expect(script.code == 0 && script.errors.isEmpty)
    #expect(script.output.count { $0 == UInt8(ascii: "\n") } <= 350)
    #expect(script.lines.filter { $0.count > 130 } == [])
    #expect(script.lines.last == "register_postdissector(apns)")
  }

  @Test("has the reasons, statuses, commands, sizes of items and flags of docs/spec")
  func tables() throws {
    let reasons = try matches(#"^\| ([45]\d\d) \| (`.*) \|$"#, in: "pushes.md").flatMap { row in
      row[1].split(separator: "`").filter { $0.first?.isUppercase == true }.map {
        $0.contains(" ") ? "[\"\($0)\"] = \(row[0])," : " \($0) = \(row[0]),"
      }
    }
    let statuses = try matches(#"^\| (\d+) \| (.*) \| (\d+) \| (.*) \|$"#, in: "protocol.md")
      .flatMap { ["[\($0[0])] = \"\($0[1])\"", "[\($0[2])] = \"\($0[3])\""] }
    let commands = try matches(#"^\| (\d), (\w+) \| "#, in: "protocol.md").map { "[\($0[0])] = \"\($0[1])\"" }
    let sizes = try matches(#"^\| (\d) \| \w+ \| (\d) bytes?\b"#, in: "protocol.md").map {
      "[\($0[0])] = \($0[1]),"
    }
    let flags = try matches(#"^\| (`[a-z]+-[a-z-]+`.*?) \| "#, in: "decoding-rules.md")
      .flatMap { $0[0].split(separator: "`").filter { $0.contains("-") }.map { "\"\($0)\"" } }
    #expect(reasons.count >= 33 && flags.count >= 17)
    #expect([statuses, commands, sizes].map(\.count) == [12, 3, 3])
    for expected in reasons + statuses + commands + sizes + flags {
      #expect(script.text.contains(expected), "\(expected)")
    }
  }
}
