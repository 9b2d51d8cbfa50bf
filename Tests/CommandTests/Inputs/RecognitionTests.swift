import Basics
import CommandTestSupport
import Testing

/// One dump in all its forms gives the same records.
@Suite("Recognition")
struct RecognitionTests {
  /// Text forms of a dump, made by the tools that people use.
  static let forms: [(from: String, tool: [String])] = [
    ("raw", ["cat"]), ("hex", ["xxd", "-p"]), ("hex", ["xxd", "-p", "-u"]), ("hex", ["xxd"]),
    ("hex", ["xxd", "-c", "38", "-g", "1"]), ("hex", ["hexdump", "-C"]), ("base64", ["base64"]),
    ("base64", ["base64", "-w", "0"]), ("base64", ["openssl", "base64"]),
  ]

  /// Records enough for several lines of each form, an odd length and a cut end among them.
  private let dump = feedback(
    tuples(20) + [Tuple(1_400_009_000, token(77, length: 54))] + tuples(20, from: 40)
  ).dropLast(7)

  private func columns(_ outcome: Outcome) -> [[String]] {
    let rows = parseCSV(outcome.text).dropFirst()
    return rows.map { Array($0.dropFirst()) }
  }

  @Test("by content, and by --from", arguments: forms)
  func everyForm(_ from: String, _ tool: [String]) throws {
    let directory = try TestDirectory()
    try directory.write(dump, to: "dump.bin")
    let expected = columns(try directory.apnsift("export", "dump.bin"))
    #expect(expected.count == 40)
    let text = try directory.tool(tool[0], Array(tool.dropFirst()), input: .bytes(Array(dump)))
    // A name that says something else is not looked at.
    try directory.write(text, to: "texts/dump.pcap")
    #expect(columns(try directory.apnsift("export", "texts/dump.pcap")) == expected)
    #expect(columns(try directory.apnsift("export", "texts")) == expected)
    #expect(columns(try directory.apnsift("export", "-", input: .bytes(text))) == expected)
    #expect(columns(try directory.apnsift("export", "-", input: .file("texts/dump.pcap"))) == expected)
    #expect(columns(try directory.apnsift("export", "--from", from, "texts/dump.pcap")) == expected)
    let inspected = try directory.apnsift("inspect", "texts/dump.pcap")
    #expect(inspected.text.contains("  \(from), \(text.count) bytes"))
  }

  @Test("from a named pipe", arguments: forms)
  func namedPipe(_ from: String, _ tool: [String]) throws {
    let directory = try TestDirectory()
    try directory.write(dump, to: "dump.bin")
    let text = try directory.tool(tool[0], Array(tool.dropFirst()), input: .bytes(Array(dump)))
    try directory.makePipe("pipe")
    let child = try directory.start(["export", "pipe"], output: "out.csv")
    let writer = try #require(try openForWriting(fifo: directory.path(of: "pipe"), readBy: child))
    try writer.write(text)
    writer.close()
    #expect(try child.wait() == .exit(0))
    let rows = parseCSV(try directory.text(of: "out.csv")).dropFirst().map { Array($0.dropFirst()) }
    #expect(rows == columns(try directory.apnsift("export", "dump.bin")))
  }

  @Test("file_offset points at the record's first digit")
  func fileOffsets() throws {
    let directory = try TestDirectory()
    let text = hex(feedback(tuples(2)))
    try directory.write("\n  \(text)\n", to: "dump.hex")
    let outcome = try directory.apnsift("export", "dump.hex", "--columns", "offset,file_offset")
    #expect(outcome.lines == ["offset,file_offset", "0,3", "38,79"])
  }

  @Test("hex comes before base64: digits alone can be both")
  func hexBeforeBase64() throws {
    let directory = try TestDirectory()
    let text = hex(feedback(tuples(2)))
    try directory.write(text, to: "dump.txt")
    #expect(try directory.apnsift("inspect", "dump.txt").text.contains("\n  hex, "))
    let forced = try directory.apnsift("inspect", "--from", "base64", "dump.txt")
    #expect(forced.text.contains("\n  base64, "))
  }

  static let marks: [(missing: Int, nul: Bool)] = [
    (38, false), (38, true), (76, true), (1, false), (4_294_967_295, true),
  ]

  @Test("tshark's mark is a gap", arguments: marks)
  func gapMarks(_ missing: Int, _ nul: Bool) throws {
    let directory = try TestDirectory()
    let mark = Array("[\(missing) bytes missing in capture file]".utf8) + (nul ? [0] : [])
    try directory.write(feedback(tuples(2)) + mark + feedback(tuples(2, from: 5)), to: "dump.bin")
    let outcome = try directory.apnsift(
      "export", "dump.bin", "--columns", "offset,file_offset,token,flags", "--findings", "wrong.csv")
    let after = 76 + missing
    let fileOffset = 76 + mark.count
    #expect(
      outcome.lines.dropFirst() == [
        "0,0,\(hex(token(0))),", "38,38,\(hex(token(1))),", "\(after),\(fileOffset),\(hex(token(5))),",
        "\(after + 38),\(fileOffset + 38),\(hex(token(6))),",
      ])
    let findings = parseCSV(try directory.text(of: "wrong.csv")).dropFirst()
    #expect(findings.map { [$0[3], $0[4], $0[6], $0[7]] } == [["76", "\(missing)", "76", "stream-gap"]])
  }

  @Test("TLS records are ciphertext, whatever --protocol says", arguments: ["auto", "feedback"])
  func ciphertext(_ streamProtocol: String) throws {
    let directory = try TestDirectory()
    try directory.write([0x17, 0x03, 0x03, 0x00, 0x20] + token(1, length: 32), to: "tls.bin")
    let outcome = try directory.apnsift("export", "tls.bin", "--protocol", streamProtocol, "-t", "ndjson")
    let lines = try Evidence.lines(outcome.text)
    #expect(lines.compactMap { $0["code"] as? String } == ["encrypted-stream"])
    #expect(lines.last?["undecoded_bytes"] as? Int == 37)
    #expect(lines.last?["feedback"] as? Int == 0)
  }

  /// Sizes of the chunks that are written; 0 for random ones.
  static let chunkSizes = [1, 37, 38, 39, 0]

  @Test("the chunks of a pipe do not matter", arguments: chunkSizes)
  func chunks(_ size: Int) throws {
    let directory = try TestDirectory()
    var generator = FixedGenerator(seed: 7)
    var bytes = feedback(tuples(400))
    for _ in 0..<40 { bytes.remove(at: Int.random(in: 0..<bytes.count, using: &generator)) }
    try directory.write(bytes, to: "dump.bin")
    let expected = try directory.apnsift("export", "-t", "ndjson", "-", input: .file("dump.bin")).output
    let (reading, writing) = try makePipe()
    let child = try directory.start(
      ["export", "-t", "ndjson", "-"], input: reading.number, output: "out.ndjson")
    reading.close()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = size > 0 ? size : Int.random(in: 1...200, using: &generator)
      try writing.write(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    writing.close()
    #expect(try child.wait() == .exit(0))
    #expect(try directory.bytes(of: "out.ndjson") == expected)
  }

  @Test("arrays in C, as xxd -i writes them, are streams")
  func cArrays() throws {
    let directory = try TestDirectory()
    try directory.write(dump, to: "dump.bin")
    let text = try directory.tool("xxd", ["-i", "dump.bin"])
    try directory.write(text, to: "dump.c")
    let outcome = try directory.apnsift("export", "dump.c", "--columns", "time,token,flags")
    let expected = try directory.apnsift("export", "dump.bin", "--columns", "time,token,flags")
    #expect(outcome.code == 0 && outcome.lines == expected.lines)
  }

  @Test("a dump that cannot be recognised is refused by name, also in a directory")
  func unreadableDumps() throws {
    let directory = try TestDirectory()
    try directory.write(dump, to: "dump.bin")
    let words = try directory.tool("hexdump", [], input: .bytes(Array(dump)))
    try directory.write(words, to: "in/words.txt")
    let named = try directory.apnsift("export", "in/words.txt")
    #expect(named.code == 2 && named.errors.contains("words in an unknown order"))
    let walked = try directory.apnsift("export", "in", "--records", "inputs", "--columns", "source,verdict")
    #expect(walked.lines.contains { $0.hasPrefix("in/words.txt,") && !$0.hasSuffix("decoded") })
  }
}
