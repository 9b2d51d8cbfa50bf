import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// `report`: recovered records, locations of tokens, long lists, identical inputs, and what was not searched.
@Suite("Evidence of a report") struct ReportEvidenceTests {
  private let directory = TestDirectory(["key.txt": String(repeating: "k", count: 32).utf8])
  @Test("each chain of an image is named with its offset, sector, tuples, times and confidence")
  func chains() throws {
    let page = try directory.report([Repository.path(of: "Tests/Fixtures/cases/examiner/image/deleted.ext2")])
    let rows = page.section("recovered").matches(of: /<tr><td data-label="Input"(.*?)<\/tr>/).map {
      String($0.output.1)
    }
    #expect(rows.count == 2)
    let expected = [
      (["23552", "46, byte 0", "binary", "110 feedback tuples", "109 certain, 1 likely"], "2014-03-05"),
      (["28672", "56, byte 0", "binary", "40 feedback tuples", "39 certain, 1 likely"], "2014-03-03"),
    ]
    for (row, (cells, last)) in zip(rows, expected) {
      for part in cells.map({ ">\($0)</td>" }) + ["2014-01-18", last] {
        #expect(row.contains(part), "\(part)")
      }
    }
    // Only the last record of each chain is doubtful.
    #expect(page.elements("tr", "").isEmpty)
    #expect(page.section("doubtful").matches(of: /data-label="Record"/).count == 2)
    #expect(page.text.contains("98,304 bytes were searched for records, whatever else they contain."))
    #expect(page.section("totals").contains("Searched for records, also outside of them"))
  }

  @Test("chains beyond the limit are counted, and the command lists all records") func manyChains() throws {
    // Longer than any separator of one chain.
    let gap = [UInt8](repeating: 0, count: 1100)
    let chains = (0..<5).flatMap { gap + feedback(tuples(4, from: 4 * $0)) }
    try directory.write(chains, to: "disk.img")
    let page = try directory.report("disk.img --from carve --max-chains 2".words)
    let section = page.section("recovered")
    #expect(section.matches(of: /data-label="Sector"/).count == 2)
    #expect(section.contains("2 of 5 are listed"))
    #expect(section.contains(">apnsift export disk.img --from carve --records feedback --flagged\n<"))
  }

  @Test("a redacted page has the offsets of chains, and not their times") func redactedChains() throws {
    try directory.write(feedback(tuples(4)), to: "disk.img")
    let section = try directory.report("disk.img --from carve --redact key.txt".words).section("recovered")
    #expect(section.contains(">0, byte 0</td>") && section.contains(#"data-label="Times">–<"#))
  }

  @Test("a token has the packet and file offset of its latest and of its first record")
  func locations() throws {
    let records = [1_500_000_000, 1_400_000_000, 1_600_000_000].flatMap { tuples(1, at: $0) }
    let conversation = Conversation(serverSends: feedback(records), in: [38])
    try directory.writeCapture(conversation.segments(), to: "a.pcap")
    let rows = try directory.apnsift("export a.pcap --columns offset,packet,file_offset".words).rows
    #expect(rows.map { $0[0] } == ["0", "38", "76"])
    let section = try directory.report(["a.pcap"]).section("tokens")
    func offsets(_ row: [String]) -> String {
      ", stream 0, offset \(row[0]), packet \(row[1]), offset \(row[2]) in the file</small>"
    }
    #expect(section.contains(##"<small class="found"><a href="#input-0">a.pcap</a>\##(offsets(rows[2]))"##))
    #expect(
      section.contains(#"<small class="found">First on 2014-05-13 16:53:20 UTC: a.pcap\#(offsets(rows[1]))"#))
  }

  @Test("bars follow the clock of --time-zone, and far times are beside them") func clock() throws {
    // 2014-05-13T23:30:00Z and 28 seconds each later, and one in 2019.
    let times = (0..<40).map { 1_400_023_800 + 28 * UInt32($0) } + [1_550_000_000]
    let dump = feedback(times.enumerated().map { Tuple($1, token($0)) })
    try directory.write(dump, to: "dump.bin")
    let section = try directory.report(["dump.bin", "--time-zone", "Asia/Kolkata"]).section("invalidations")
    #expect(section.contains("41 invalidations by minute"))
    #expect(section.contains("Far from all others, and not in the chart: 1 later."))
    #expect(section.contains("<title>2014-05-14 05:00: 3 invalidations</title>"))
    #expect(section.contains("(Asia/Kolkata)."))
    let plain = try directory.report(["dump.bin"]).section("invalidations")
    #expect(plain.contains("<title>2014-05-13 23:30: 3 invalidations</title>"))
  }

  @Test("inputs beyond the limit are counted by what became of them, and the inventory is named")
  func manyInputs() throws {
    for number in 0..<6 {
      try directory.write(feedback(tuples(2, from: number)), to: "evidence/\(number).bin")
    }
    try directory.write(feedback(tuples(2)).dropLast(), to: "evidence/7.bin")
    try directory.write("no dump", to: "evidence/note.txt")
    let section = try directory.report("evidence --max-inputs 2".words).section("examined")
    #expect(section.matches(of: /class="name">evidence.(0|1|7).bin/).count == 2)
    #expect(
      section.contains("2 of 7 are listed. The others are 5 files: 5 read. The inventory has all of them:"))
    #expect(section.contains("apnsift export evidence --records inputs"))
  }

  @Test("identical files count once with --unique-inputs, and are named", arguments: [[], ["--jobs", "1"]])
  func unique(_ jobs: [String]) throws {
    for name in ["a", "b", "c"] { try directory.write(feedback(tuples(10)), to: "dumps/\(name).bin") }
    try directory.write(feedback(tuples(10, from: 50)), to: "dumps/d.bin")
    let outcome = try directory.apnsift("report dumps --unique-inputs".words + jobs)
      .exits(0, saying: "left out 2 files")
    let page = Page(html: outcome.text)
    #expect(page.text.contains("read as 20 feedback tuples; no rule found a problem."))
    #expect(page.text.contains("2 more files are identical to an input and left out."))
    #expect(page.section("examined").matches(of: /left out: identical to dumps\/a.bin</).count == 2)
    #expect(page.section("options").contains("apnsift report dumps --unique-inputs"))
    #expect(try directory.report(["dumps"] + jobs).text.contains("read as 40 feedback tuples"))
  }

  @Test("a page says that files were not read, and claims nothing about them") func unread() throws {
    try directory.write(feedback(tuples(2)), to: "evidence/dump.bin")
    #expect(try directory.report(["evidence"]).texts("p", "word") == ["No damage found"])
    try directory.write("SQLite format 3\0", to: "evidence/a.db")
    let page = try directory.report(["evidence"])
    #expect(page.texts("p", "word") == ["No damage found in what was read"])
    #expect(page.text.contains("1 file was not read: this page says nothing about the contents."))
  }

  @Test("an input that was searched in vain is not called sound") func nothingFound() throws {
    try directory.write([UInt8](repeating: 7, count: 5000), to: "disk.img")
    let page = try directory.report(["disk.img", "--from", "carve"])
    #expect(page.texts("p", "word") == ["Nothing was read"])
    #expect(page.texts("p", "opening") == ["No record was found."])
    #expect(page.text.contains("5,000 bytes were searched for records"))
  }
}
