import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Output and usage errors of `audit`.
@Suite("Output of an audit")
struct AuditOutputTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("text output, with records counted from 1")
  func table() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-size", "38")
    let difference = Message.recordDiffers(
      .lengthByteReadTwice(0x20, at: 4, readAs: 0), record: 0, reader: "node")
    let expected = Message("expected 1400000000,\(hex(token(0).prefix(8)))…\(hex(token(0).suffix(8)))")
    #expect(
      outcome.text == """
        Readers over chunks of 38 bytes

        source    stream  reader    records  correct  wrong  missed  outcome
        dump.bin       0  cookbook        2        2      0       0  completed
        dump.bin       0  csharp          2        2      0       0  completed
        dump.bin       0  node            2        0      2       2  completed
        dump.bin       0  java            2        2      0       0  completed

        dump.bin stream 0
          \(difference)
            \(expected)
            reported 1400000000,

        """)
    let done = Message.audited(inputs: 1, streams: 1, readings: .readingsRight(3, of: 4, notJudged: 0))
    #expect(outcome.messages == [Message.closing(done, [.noProblems]).text])
  }

  @Test("bytes outside records add an assumption to the text, not to JSON")
  func condition() throws {
    let condition = Message.readersReceivedTheseBytes.text
    try directory.write(feedback(tuples(2)), to: "sound.bin")
    try directory.write(feedback(tuples(2)) + [1, 2, 3] + feedback(tuples(3, from: 5)), to: "dump.bin")
    try directory.write([1, 2, 3, 4, 5, 6, 8, 8, 1, 2, 3, 4], to: "noise.bin")
    let cases: [([String], Int)] = [
      (["sound.bin"], 0), (["dump.bin"], 1), (["dump.bin", "--every-chunking"], 1),
      (["sound.bin", "dump.bin", "dump.bin"], 2), (["--protocol", "responses", "noise.bin"], 1),
    ]
    for (options, times) in cases {
      let text = try directory.apnsift(["audit"] + options).text
      #expect(text.ranges(of: condition).count == times, "\(options): \(text)")
    }
    let text = try directory.apnsift("audit", "dump.bin").text
    #expect(text.contains("\ndump.bin stream 0\n  \(Message.bytesInNoRecord(ofStreams: nil))\n"))
    let keys = try ["sound.bin", "dump.bin"].map { try directory.auditRow("java", [$0]).keys.sorted() }
    #expect(keys[0] == keys[1])
  }

  @Test("streams that are only counted have the assumption too")
  func conditionOfMany() throws {
    try directory.write(feedback(tuples(2)), to: "sound.bin")
    try directory.write([1, 2, 3] + feedback(tuples(3)), to: "dump.bin")
    let names = [String](repeating: "sound.bin", count: 20) + ["dump.bin", "sound.bin"]
    let text = try directory.apnsift(["audit"] + names).text
    // All but one reader are right about the sound stream, and none about the other.
    let more = Message.moreStreams(2, readings: .readingsRight(3, of: 8, notJudged: 0))
    #expect(text.hasSuffix("\n\(more)\n\(Message.bytesInNoRecord(ofStreams: 1))\n"), "\(text.suffix(300))")
  }

  @Test("rows are in the order of inputs and stream numbers")
  func order() throws {
    var first = Conversation(serverSends: feedback(tuples(3)))
    first.segmentSizes = [38]
    var second = first.overV6
    second.turns = [.init(.server, feedback(tuples(1)))]
    // The first connection begins first and ends after all of the second.
    let (early, late) = (first.segments(), second.segments())
    let both = early.prefix(3) + late + early.dropFirst(3)
    let packets = FrameWriter(.raw).packets(Array(both))
    try directory.write(PcapWriter().file(packets), to: "b.pcap")
    try directory.write(feedback(tuples(2)), to: "a.bin")
    let rows = try directory.auditRows(["b.pcap", "a.bin"]).filter { $0["name"] as? String == "csharp" }
    let listed = rows.map { "\($0["source"] ?? "") \($0["stream"] ?? "") \($0["records"] ?? "")" }
    #expect(listed == ["b.pcap 0 3", "b.pcap 1 1", "a.bin 0 2"])
  }

  // MARK: - Wrong usage

  @Test(
    "invalid options are usage errors",
    arguments: [
      (["--chunk-size", "0"], .tooSmall("--chunk-size", 0, least: 1)),
      (["--chunk-size=-3"], .tooSmall("--chunk-size", -3, least: 1)),
      // The parser's message.
      (["--chunk-size", "x"], .verbatim("--chunk-size")),
      (["--chunk-size", "3", "--every-chunking"], .giveOne(of: ["--chunk-size", "--every-chunking"])),
      (["--chunk-sizes", "a", "--every-chunking"], .giveOne(of: ["--chunk-sizes", "--every-chunking"])),
      (["--chunk-sizes", "-", "-"], .standardInputTwice),
    ] as [([String], Message)])
  func wrongUsage(_ options: [String], _ says: Message) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift(["audit", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.said(says), "\(outcome.errors)")
  }

  @Test(
    "an invalid file of sizes fails with the line number",
    arguments: [
      ("38\n0\n", .located(.notAChunkSize("0"), line: 2, column: nil)),
      ("38\n\ntwenty\n", .located(.notAChunkSize("twenty"), line: 3, column: nil)),
      ("-1\n", .located(.notAChunkSize("-1"), line: 1, column: nil)),
      ("", "no chunk sizes; write one per line, in bytes"),
      ("\n\n", "no chunk sizes; write one per line, in bytes"),
    ] as [(String, Message)])
  func badSizes(_ content: String, _ problem: Message) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    try directory.write(content, to: "sizes.txt")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-sizes", "sizes.txt")
    #expect(outcome.code == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.said(.about("sizes.txt", problem)), "\(outcome.errors)")
    #expect(try directory.apnsift("audit", "dump.bin", "--chunk-sizes", "missing").code == 2)
  }
}
