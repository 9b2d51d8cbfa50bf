import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// The same bytes given twice are counted as they are given, and said.
@Suite("Inputs that hold the same bytes")
struct RepeatedInputTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
    try directory.write(feedback(tuples(10)), to: "a.bin")
    try directory.write(feedback(tuples(10)), to: "dumps/copy.bin")
    try directory.write(feedback(tuples(10, from: 10)), to: "dumps/other.bin")
    try directory.makeLink("link.bin", to: "a.bin")
  }

  private func warning(_ name: String, _ first: String) -> String {
    Message.about(name, .warning(.sameBytes(as: first, isJoinedCapture: false))).text
  }

  /// What is given, which of it repeats what.
  static let givings: [(inputs: [String], name: String, first: String)] = [
    (["a.bin", "a.bin"], "a.bin", "a.bin"), (["a.bin", "link.bin"], "link.bin", "a.bin"),
    (["a.bin", "./a.bin"], "./a.bin", "a.bin"), (["a.bin", "dumps"], "dumps/copy.bin", "a.bin"),
    (["dumps", "a.bin"], "a.bin", "dumps/copy.bin"),
  ]

  @Test("every command that counts says so", arguments: givings.map(\.inputs))
  func reported(_ inputs: [String]) throws {
    let giving = try #require(Self.givings.first { $0.inputs == inputs })
    let commands = [
      ["inspect"], ["inspect", "--json"], ["export"], ["export", "-t", "ndjson"], ["export", "-t", "json"],
      ["audit"],
      ["report"], ["export", "-t", "raw", "-o", "streams"],
      ["replay", "--store", "sqlite:t.sqlite", "--create"],
    ]
    for command in commands {
      let outcome = try directory.apnsift(command + inputs)
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
      #expect(outcome.messages.count { $0 == warning(giving.name, giving.first) } == 1)
      let counts = Message.findingCounts(1, of: "warning", ["duplicate-input 1"])
      #expect(outcome.messages.last?.contains(counts.text) == true, "\(command)")
    }
  }

  @Test("the records are counted as they are, and the finding is in every form")
  func counted() throws {
    let exported = try directory.apnsift("export", "-t", "ndjson", "a.bin", "dumps")
    let objects = try Evidence.lines(exported.text)
    #expect(objects.count { $0["type"] as? String == "feedback" } == 30)
    let finding = try #require(objects.first { $0["type"] as? String == "finding" })
    #expect(finding["code"] as? String == "duplicate-input" && finding["severity"] as? String == "warning")
    #expect(finding["source"] as? String == "dumps/copy.bin" && finding["stream"] is Null)
    let table = try directory.apnsift("export", "--records", "findings", "a.bin", "dumps")
    #expect(
      parseCSV(table.text).dropFirst().map { [$0[0], $0[7]] } == [["dumps/copy.bin", "duplicate-input"]])
  }

  @Test("inspect says it at the input")
  func inspected() throws {
    let text = try directory.apnsift("inspect", "a.bin", "dumps").text
    #expect(text.contains("\n  identical to a.bin\n"))
    let inputs = text.components(separatedBy: "dumps/copy.bin\n")
    #expect(inputs.count == 2 && !inputs[0].contains("the same bytes"))
  }

  @Test("a capture that is joined twice is reported")
  func joined() throws {
    try directory.writeCapture(FeedbackConversation.plain.segments(), to: "a.pcap")
    let outcome = try directory.apnsift("inspect", "--join", "a.pcap", "a.pcap")
    let message = Message.about("a.pcap", .warning(.sameBytes(as: "a.pcap", isJoinedCapture: true)))
    #expect(outcome.messages.contains(message.text))
  }

  // MARK: - The page

  @Test("a report marks identical inputs, and draws no conclusion from repetitions")
  func reported() throws {
    let page = try directory.report(["a.bin", "dumps"])
    #expect(firstOnes(page) == ["a.bin"])
    let verdict = try #require(page.elements("div", "verdict doubtful").first)
    #expect(page.figuresOfParagraphs(in: verdict).contains(["1"]))
    #expect(page.section("findings").contains("<code>duplicate-input</code>"))
    #expect(namesExamined(page))
    let alone = try directory.report(["a.bin", "dumps/other.bin"])
    #expect(firstOnes(alone) == [] && alone.html.contains("class=\"verdict sound\""))
  }

  /// The inputs that others repeat.
  private func firstOnes(_ page: Page) -> [String] {
    page.section("examined").matches(of: /<strong>([^<]*)</).map { String($0.output.1) }
  }

  /// Whether the copies among the inputs are named as the cause of repetitions.
  private func namesExamined(_ page: Page) -> Bool {
    page.section("repeated").contains("href=\"#examined\"")
  }

  @Test("without identical inputs, repeated tokens are significant")
  func repeatedTokens() throws {
    try directory.write(feedback(tuples(3) + tuples(3, at: 1_500_000_000)), to: "twice.bin")
    let page = try directory.report(["twice.bin"])
    #expect(!namesExamined(page))
    #expect(page.texts("span", "token", in: page.section("repeated")).count == 3)
  }

  @Test("a redacted report masks the name of an identical input")
  func redacted() throws {
    try directory.write(String(repeating: "k", count: 32), to: "key.txt")
    let name = hex(token(1)) + ".bin"
    for copy in [name, "z.bin"] { try directory.write(feedback(tuples(10)), to: copy) }
    let page = try directory.report([name, "z.bin", "--redact", "key.txt"])
    #expect(firstOnes(page).count == 1 && !page.html.contains(hex(token(1))))
  }
}
