import Basics
import CaptureWriting
import CommandTestSupport
import TestSupport
import Testing

/// `audit` from inputs to readings. What each reader makes of a stream is tested in ReaderModelsTests and ReadersTests, and
/// counted by hand for the cases of samples/corpus, which `samples/make/corpus --check` compares.
@Suite("Audits") struct AuditTests {
  private let directory = TestDirectory()

  private func objects(_ arguments: [String]) throws -> [Evidence.Object] {
    let outcome = try directory.apnsift(["audit", "--json"] + arguments).exits(0)
    return try #require(try Evidence.object(outcome.text)["readers"] as? [Evidence.Object])
  }

  @Test("text output, with records counted from 0") func table() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-size", "38")
    let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      lines.prefix(9).joined(separator: "\n") == """
        Readers over chunks of 38 bytes

        source    stream  reader    records  correct  wrong  missed  outcome
        dump.bin       0  cookbook        2        2      0       0  completed
        dump.bin       0  csharp          2        2      0       0  completed
        dump.bin       0  node            2        0      2       2  completed
        dump.bin       0  java            2        2      0       0  completed

        dump.bin stream 0
        """)
    let token = hex(token(0))
    #expect(lines[9].hasPrefix("  node, record 0: the length 0x0020 at offset 4 was read as 0"))
    #expect(
      lines[10...] == [
        "    expected 1400000000,\(token.prefix(16))…\(token.suffix(16))", "    reported 1400000000,", "",
      ])
    #expect(outcome.messages == ["audited 1 input: 1 stream, 3 of 4 readings right; no problems found"])
    let node = try #require(try objects(["dump.bin"])[2]["first_difference"] as? Evidence.Object)
    #expect(
      node["expected"] as? String == "1400000000,\(token)" && node["emitted"] as? String == "1400000000,")
    #expect(node["record"] as? Int == 0 && (node["reason"] as? String)?.contains("0x0020") == true)
  }

  @Test("bytes outside records add an assumption to the text, also of streams that are only counted")
  func condition() throws {
    try directory.write(feedback(tuples(2)), to: "sound.bin")
    try directory.write(feedback(tuples(2)) + [1, 2, 3] + feedback(tuples(3, from: 5)), to: "dump.bin")
    try directory.write([1, 2, 3, 4, 5, 6, 8, 8, 1, 2, 3, 4], to: "noise.bin")
    let cases: [([String], Int)] = [
      (["sound.bin"], 0), (["dump.bin"], 1), (["dump.bin", "--every-chunking"], 1),
      (["sound.bin", "dump.bin", "dump.bin"], 2), (["--protocol", "responses", "noise.bin"], 1),
    ]
    for (options, times) in cases {
      let text = try directory.apnsift(["audit"] + options).text
      #expect(
        text.ranges(of: "if the readers received exactly these bytes").count == times, "\(options): \(text)")
    }
    let names = [String](repeating: "sound.bin", count: 20) + ["dump.bin", "sound.bin"]
    let text = try directory.apnsift(["audit"] + names).text
    #expect(text.contains("\nand 2 more streams: 3 of 8 readings right"), "\(text.suffix(300))")
    #expect(text.contains("\nsome bytes of 1 of them are in no record: "))
  }

  @Test("rows are in the order of inputs and stream numbers") func order() throws {
    let first = Conversation(serverSends: feedback(tuples(3)), in: [38])
    var second = first.overV6
    second.turns = [.init(.server, feedback(tuples(1)))]
    // The first connection begins first and ends after all of the second.
    let (early, late) = (first.segments(), second.segments())
    let both = early.prefix(3) + late + early.dropFirst(3)
    try directory.write(PcapWriter().file(FrameWriter(.raw).packets(Array(both))), to: "b.pcap")
    try directory.write(feedback(tuples(2)), to: "a.bin")
    let rows = try objects(["b.pcap", "a.bin"]).filter { $0["name"] as? String == "csharp" }
    let listed = rows.map { "\($0["source"] ?? "") \($0["stream"] ?? "") \($0["records"] ?? "")" }
    #expect(listed == ["b.pcap 0 3", "b.pcap 1 1", "a.bin 0 2"])
  }

  // MARK: - Chunks

  /// What else is a chunk is in samples/corpus/readers.
  @Test("chunks have the sizes of a file") func sizesOfFile() throws {
    try directory.write(feedback(tuples(4)), to: "dump.bin")
    try directory.write("38\n20\n18\n", to: "sizes.txt")
    // Reads of 38, 20, 18, 38, 20, 18: tuples 0 and 2 whole.
    let java = try objects(["dump.bin", "--chunk-sizes", "sizes.txt"]).first {
      $0["name"] as? String == "java"
    }
    #expect(java.map(Readers.counts) == "6 2 4 2 completed")
  }

  @Test("every size of chunks from 1 to 80 has its row") func everyChunking() throws {
    try directory.write(feedback(tuples(5)), to: "dump.bin")
    let rows = try objects(["dump.bin", "--every-chunking"])
    for (name, expected) in ["cookbook": [38, 76], "java": [38, 76], "csharp": Array(1...80), "node": []] {
      let ofReader = rows.filter { $0["name"] as? String == name }
      #expect(ofReader.compactMap { $0["chunk_size"] as? Int } == Array(1...80))
      let right = ofReader.filter { $0["first_difference"] is Null }.compactMap { $0["chunk_size"] as? Int }
      #expect(right == expected, "\(name)")
    }
    let text = try directory.apnsift("audit", "dump.bin", "--every-chunking").lines
    #expect(text.contains("dump.bin       0  cookbook  38, 76                 1  completed"), "\(text)")
    #expect(text.contains("dump.bin       0  csharp    1-80                   -  completed"))
    #expect(text.count < 25)
  }

  // MARK: - Streams that are not judged

  @Test("a stream that takes more than --memory is not judged, and a message names it") func memory() throws {
    try directory.write(feedback(tuples(1000)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--memory", "30000").exits(
      0, saying: "dump.bin: stream 0 is not judged: the open streams exceed")
    #expect(outcome.text.contains("not-judged"))
  }

  // MARK: - Wrong usage

  @Test(
    "invalid options are usage errors; an invalid file of sizes fails with the line number",
    arguments: Fixtures.rows("audit", in: "usage") as [(Int32, [String], String)])
  func wrong(_ code: Int32, _ options: [String], _ says: String) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    for (name, text) in [
      "zero": "38\n0\n", "word": "38\n\ntwenty\n", "less": "-1\n", "empty": "", "blank": "\n\n",
    ] { try directory.write(text, to: name) }
    let outcome = try directory.apnsift(["audit", "dump.bin"] + options).exits(code, saying: .verbatim(says))
    #expect(outcome.output.isEmpty)
  }

  @Test("other streams have no rows but a message") func otherStreams() throws {
    try directory.write([0x16, 3, 1] + [UInt8](repeating: 7, count: 500), to: "tls.bin")
    let outcome = try directory.apnsift("audit", "tls.bin")
    #expect(outcome.code == 0 && outcome.text.isEmpty)
    #expect(outcome.messages.first?.hasPrefix("nothing to audit: ") == true)
    #expect(try directory.apnsift("audit", "--strict", "tls.bin").code == 1)
  }
}
