import Analysis
import EvidenceReport
import Testing

@Suite("The commands of a report")
struct CommandLineTests {
  private static let finding = Finding(
    source: "a.bin", stream: 2, offset: 7, code: .skippedBytes, message: .verbatim(""))

  @Test(
    "inputs are quoted for a shell",
    arguments: [
      ("a.bin", "a.bin"), ("-", "-"), ("-x", "./-x"), ("my dump", "'my dump'"), ("it's", #"'it'\''s'"#),
      ("", "''"), ("a\nb", #"$'a\x0ab'"#), ("a\u{202e}'b\\", #"$'a\xe2\x80\xae\'b\\'"#),
    ])
  func quoting(_ name: String, _ word: String) {
    var finding = Self.finding
    finding.source = name
    #expect(CommandLines([name]).show(finding) == "apnsift show \(word) --offset 7 --stream 2")
  }

  private static let options = [
    ReportOption("--from", "raw", isDefault: false), ReportOption("--memory", "1GiB", isDefault: true),
    ReportOption("--gateway-port", "2195, 2200", isDefault: false),
    ReportOption("--strict", isDefault: false, affectsResults: false),
    ReportOption("--join", isDefault: false),
    ReportOption("--filter", "port 2195", isDefault: false),
  ]

  @Test("options that affect the results are repeated, and inputs that belong together are named together")
  func words() {
    let inputs = ["a.bin", "b.bin"]
    let commands: KeyValuePairs = [
      "--requests a.bin --responses b.bin": CommandLines(inputs, pair: true),
      "a.bin b.bin": CommandLines(inputs, joined: true),
      "a.bin --from raw --gateway-port 2195 --gateway-port 2200 --join --filter 'port 2195'":
        CommandLines(inputs, options: Self.options),
    ]
    for (words, lines) in commands {
      #expect(lines.show(Self.finding) == "apnsift show \(words) --offset 7 --stream 2")
    }
  }

  @Test("a finding without offset is shown by its packet; a finding without stream has no command")
  func targets() {
    var finding = Self.finding
    (finding.offset, finding.packet, finding.direction) = (nil, 12, .client)
    #expect(
      CommandLines(["a"]).show(finding) == "apnsift show a.bin --packet 12 --stream 2 --direction client")
    finding.packet = nil
    #expect(CommandLines(["a"]).show(finding) == nil)
    finding.stream = nil
    #expect(CommandLines(["a"]).show(finding) == nil)
  }

  @Test(
    "the default title names the inputs",
    arguments: [(["a.bin"], "a.bin"), (["-"], "standard input"), (["a", "b"], "2 inputs")])
  func titles(_ inputs: [String], _ title: String) {
    #expect(ReportHead.title(of: inputs) == "Examination of \(title)")
  }
}
