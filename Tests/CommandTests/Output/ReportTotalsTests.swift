import CommandTestSupport
import Testing

/// The totals, doubtful records and locations of a report, compared with an export of the same inputs.
@Suite("Totals of a report")
struct ReportTotalsTests {
  private let directory = TestDirectory()

  /// The program prints what the page must have, and then what it has, three times.
  private func expectAgreement(_ arguments: [String], code: Int32 = 0) throws {
    let outcome = try directory.apnsift(["export", "-t", "ndjson"] + arguments).exits(code)
    try directory.write(outcome.output, to: "all.ndjson")
    let limits = ["--max-doubtful", "100000", "--max-tokens", "100000"]
    try directory.write(try directory.report(arguments + limits, code: code).html, to: "page.html")
    let printed = try directory.tool("python3", [Repository.path(of: "Tests/Fixtures/programs/recount.py")])
    let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 6)
    for index in stride(from: 0, to: lines.count - 1, by: 2) {
      #expect(lines[index] == lines[index + 1], "\(arguments)")
    }
  }

  @Test("agree with a recount of the exported records, whatever the inputs")
  func agreement() throws {
    try expectAgreement([Repository.path(of: "samples")], code: 2)
  }

  @Test(
    "agree for a single kind of record",
    arguments: [
      "samples/lost-block.bin", "samples/captures/gateway.pcap", "samples/pushes/httpx-clear-late.pcap",
      "samples/tls-session.bin", "samples/ciphertext.bin",
    ])
  func single(_ name: String) throws { try expectAgreement([Repository.path(of: name)]) }

  @Test("the shortened lists have one entry of every input before a second of any")
  func everyInput() throws {
    for name in ["a", "b", "c"] {
      var bytes: [UInt8] = []
      for part in 0..<6 { bytes += feedback(tuples(4, from: 4 * part)).dropLast(5) }
      try directory.write(bytes, to: "\(name).bin")
    }
    let page = try directory.report(["a.bin", "b.bin", "c.bin", "--max-places", "3", "--max-doubtful", "4"])
    let skipped = try #require(page.elements("article", "finding").first { $0.contains("skipped-bytes") })
    let inputs = skipped.matches(of: /<dt>Input<\/dt><dd>([abc])\.bin<\/dd>/).map { String($0.output.1) }
    #expect(inputs == ["a", "b", "c"])
    let doubtful = page.section("doubtful").matches(of: /class="name">([abc])\.bin</).map { $0.output.1 }
    #expect(doubtful.prefix(4) == ["a", "a", "b", "c"])
    let inspected = try directory.apnsift("inspect", "a.bin", "b.bin", "c.bin").text
    #expect(inspected.matches(of: /(?m)^    ([abc])\.bin/).prefix(3).map { $0.output.1 } == ["a", "b", "c"])
  }
}
