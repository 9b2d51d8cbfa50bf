import Basics
import CommandTestSupport
import Testing
import Wording

/// Records of lines and tables of text (docs/spec/text-lines.md), beside those of samples/corpus/format.
@Suite("Lines and tables of text")
struct TextLineTests {
  private let directory = TestDirectory()
  private static let digits = "7a82e565636149ae24c3f7f63bdc78dd2dd44530d586df141b9de7f153045428"
  private static let token = "<7a82e565 636149ae 24c3f7f6 3bdc78dd 2dd44530 d586df14 1b9de7f1 53045428>"

  private func rows(_ line: String) throws -> [String] {
    Array(try directory.apnsift(line.words).exits(0).lines.dropFirst())
  }

  @Test(
    "--log-zone is the zone of times that name none",
    arguments: [
      ("Europe/Berlin", "2014-07-20T03:00:00Z"), ("+02:00", "2014-07-20T03:00:00Z"),
      ("-0530", "2014-07-20T10:30:00Z"), ("UTC", "2014-07-20T05:00:00Z"),
    ])
  func zone(_ zone: String, _ time: String) throws {
    try directory.write(
      "2014-07-20 05:00:00 feedback \(Self.token)\n2014-07-20 05:00:00Z feedback \(Self.token)\n", to: "a.log"
    )
    let found = try rows("carve a.log --log-zone \(zone) --columns time,flags")
    #expect(found == ["\(time),carved", "2014-07-20T05:00:00Z,carved"])
    try directory.write("time,token\n2014-07-20 05:00:00,\(Self.digits)\n", to: "a.csv")
    #expect(try rows("export a.csv --log-zone \(zone) --columns time,flags") == ["\(time),"])
    // The name says UTC.
    try directory.write("token,failed_at\n\(Self.digits),2014-07-20 05:00:00\n", to: "b.csv")
    let named = "export b.csv --from feedback-list --log-zone \(zone) --columns time,flags"
    #expect(try rows(named) == ["2014-07-20T05:00:00Z,assumed-utc"])
  }

  @Test("a line that cannot be read is an error with its location, and the others are read")
  func damagedTable() throws {
    let row = ",\(Self.digits)\n"
    try directory.write(
      "time,token\n1400000000\(row)yesterday\(row)1400000000,xyz\n1400000000\n1400000001\(row)", to: "a.csv")
    let outcome = try directory.apnsift("export", "a.csv", "--columns", "time").exits(2)
    #expect(outcome.text == "time\n2014-05-13T16:53:20Z\n2014-05-13T16:53:21Z\n")
    for line in [3, 4, 5] {
      #expect(outcome.errors.contains("line \(line), column 1"), "\(line) in \(outcome.errors)")
    }
  }

  @Test("show prints what is in the file, and names the decoded bytes as such")
  func shown() throws {
    let line = "2014-02-20T05:00:00Z app[221]: APNs feedback: device \(Self.token) is gone"
    try directory.write("first\n\(line)\nlast\n", to: "a.log")
    let found = try directory.apnsift("show --from carve a.log --record 1".words).text
    #expect(found.contains("in the file at offset 6:\n  \(line)\ndecoded:\n"))
    #expect(found.contains("feedback tuple, from a line of text\n"))
  }

  @Test("a report shows what is in the file, and leaves it out where tokens are redacted")
  func reported() throws {
    let line = "2014-02-20T05:00:00Z app: registered \(Self.token)"
    try directory.write("\(line)\n2014-02-20T05:00:01Z app: invalid since then: \(Self.token)\n", to: "a.log")
    try directory.write(String(repeating: "k", count: 64), to: "key")
    let report = "--from carve a.log".words
    let escaped = line.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    #expect(try directory.report(report).html.contains(escaped))
    #expect(try !directory.report(report + ["--redact", "key"]).html.contains("7a82e565"))
  }

  @Test("Format-Hex, and a search that cannot decode it")
  func formatHex() throws {
    let path = Repository.path(of: "Tests/Fixtures/cases/examiner/logs/format-hex.txt")
    let outcome = try directory.apnsift("export", path, "--columns", "token")
    #expect(outcome.lines.count == 16 && outcome.said(.noProblems))
    let carved = try directory.apnsift("carve", path)
    let decoded: Message =
      "no record was found, and a search does not decode what this is: it looks like --from hex: "
      + "use apnsift export, which reads it"
    #expect(carved.said(decoded) && !carved.said(.noProblems))
    try directory.write([UInt8](repeating: 0, count: 5000), to: "zeros")
    let zeros = try directory.apnsift("carve", "zeros")
    #expect(zeros.said("no record found; compressed and encrypted parts were not searched"))
  }
}
