import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// The same bytes given twice are counted as they are given, and said.
@Suite("Inputs that hold the same bytes")
struct RepeatedInputTests {
  private let directory = TestDirectory()

  init() throws {
    for name in ["a.bin", "dumps/copy.bin"] { try directory.write(feedback(tuples(10)), to: name) }
    try directory.write(feedback(tuples(10, from: 10)), to: "dumps/other.bin")
    try directory.makeLink("link.bin", to: "a.bin")
  }
  static let givings: [(inputs: [String], name: String, first: String)] = [
    (["a.bin", "a.bin"], "a.bin", "a.bin"), (["a.bin", "link.bin"], "link.bin", "a.bin"),
    (["a.bin", "./a.bin"], "./a.bin", "a.bin"), (["a.bin", "dumps"], "dumps/copy.bin", "a.bin"),
    (["dumps", "a.bin"], "a.bin", "dumps/copy.bin"),
  ]

  @Test("every command that counts says so", arguments: givings)
  func reported(_ inputs: [String], _ name: String, _ first: String) throws {
    let warning =
      "\(name): warning: same bytes as \(first), which was already read: its records are counted again"
    for command in [
      "inspect", "inspect --json", "export", "export -t ndjson", "export -t json", "audit", "report",
      "export -t raw -o streams", "replay --store sqlite:t.sqlite --create",
    ] {
      let outcome = try directory.apnsift(command.words + inputs)
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
      #expect(outcome.messages.count { $0 == warning } == 1)
      #expect(outcome.messages.last?.contains("1 warning (duplicate-input 1)") == true, "\(command)")
    }
  }

  @Test("the records are counted as they are, and the finding is in every form")
  func counted() throws {
    let exported = try directory.export("a.bin", "dumps")
    #expect(exported.objects("feedback").count == 30)
    let finding = try #require(exported.findings.first)
    #expect(finding["code"] as? String == "duplicate-input" && finding["severity"] as? String == "warning")
    #expect(finding["source"] as? String == "dumps/copy.bin" && finding["stream"] is Null)
    let table = try directory.apnsift("export", "--records", "findings", "a.bin", "dumps")
    #expect(table.rows.map { [$0[0], $0[7]] } == [["dumps/copy.bin", "duplicate-input"]])
  }

  @Test("a report marks identical inputs, and draws no conclusion from repetitions")
  func reported() throws {
    let page = try directory.report(["a.bin", "dumps"])
    #expect(firstOnes(page) == ["a.bin"])
    let verdict = try #require(page.elements("div", "verdict doubtful").first)
    #expect(page.figuresOfParagraphs(in: verdict).contains(["1"]))
    #expect(page.section("findings").contains("<code>duplicate-input</code>"))
    // The copies among the inputs are named as the cause of repetitions.
    #expect(page.section("repeated").contains("href=\"#examined\""))
    let alone = try directory.report(["a.bin", "dumps/other.bin"])
    #expect(firstOnes(alone) == [] && alone.html.contains("class=\"verdict sound\""))
  }

  /// The inputs that others repeat.
  private func firstOnes(_ page: Page) -> [String] {
    page.section("examined").matches(of: /<strong>([^<]*)</).map { String($0.output.1) }
  }
}
