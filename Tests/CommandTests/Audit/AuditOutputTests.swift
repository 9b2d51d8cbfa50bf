import CaptureWriting
import Testing

/// Output and usage errors of `audit`.
@Suite("Output of an audit")
struct AuditOutputTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("text output, with records counted from 1")
  func table() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-size", "38")
    let shortened = "\(hex(token(0).prefix(8)))…\(hex(token(0).suffix(8)))"
    #expect(
      outcome.text == """
        Readers over chunks of 38 bytes

        source    stream  reader    records  correct  wrong  missed  outcome
        dump.bin       0  cookbook        2        2      0       0  completed
        dump.bin       0  csharp          2        2      0       0  completed
        dump.bin       0  node            2        0      2       2  completed
        dump.bin       0  java            2        2      0       0  completed

        dump.bin stream 0
          node, record 1: the length 0x0020 at offset 4 was read as 0 (the first byte twice), so the token is \
        empty, and the next tuple begins 32 bytes early
            expected 1400000000,\(shortened)
            reported 1400000000,

        """)
    #expect(
      outcome.messages == ["audited 1 input: 1 stream, 3 of 4 readings right; no problems found"])
  }

  @Test("bytes outside records add an assumption to the text, not to JSON")
  func condition() throws {
    let condition =
      "the readings hold if the readers received exactly these bytes, not if the file was damaged"
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
    #expect(text.contains("\ndump.bin stream 0\n  some of its bytes are in no record: \(condition)"))
    let keys = try ["sound.bin", "dump.bin"].map { try directory.auditRow("java", [$0]).keys.sorted() }
    #expect(keys[0] == keys[1])
  }

  @Test("streams that are only counted have the assumption too")
  func conditionOfMany() throws {
    try directory.write(feedback(tuples(2)), to: "sound.bin")
    try directory.write([1, 2, 3] + feedback(tuples(3)), to: "dump.bin")
    let names = [String](repeating: "sound.bin", count: 20) + ["dump.bin", "sound.bin"]
    let text = try directory.apnsift(["audit"] + names).text
    #expect(text.contains("\nand 2 more streams: "))
    #expect(text.hasSuffix("not if the file was damaged after it was saved\n"))
    #expect(text.contains("\nsome bytes of 1 of them are in no record: the readings hold if"))
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
      (["--chunk-size", "0"], "--chunk-size is 0"), (["--chunk-size=-3"], "--chunk-size is -3"),
      (["--chunk-size", "x"], "--chunk-size"),
      (["--chunk-size", "3", "--every-chunking"], "--chunk-size and --every-chunking"),
      (["--chunk-sizes", "a", "--every-chunking"], "--chunk-sizes and --every-chunking"),
      (["--chunk-sizes", "-", "-"], "standard input"),
    ])
  func wrongUsage(_ options: [String], _ says: String) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift(["audit", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(says), "\(outcome.errors)")
  }

  @Test(
    "an invalid file of sizes fails with the line number",
    arguments: [
      ("38\n0\n", ["line 2", "'0'"]), ("38\n\ntwenty\n", ["line 3", "'twenty'"]),
      ("-1\n", ["line 1", "'-1'"]),
      ("", ["no chunk sizes"]), ("\n\n", ["no chunk sizes"]),
    ])
  func badSizes(_ content: String, _ says: [String]) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    try directory.write(content, to: "sizes.txt")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-sizes", "sizes.txt")
    #expect(outcome.code == 2)
    #expect(outcome.output.isEmpty)
    for part in ["sizes.txt"] + says { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
    #expect(try directory.apnsift("audit", "dump.bin", "--chunk-sizes", "missing").code == 2)
  }
}
