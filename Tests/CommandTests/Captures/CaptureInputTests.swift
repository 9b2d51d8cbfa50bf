import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// Where captures come from: several files, pipes, directories, and what is named to be one
/// (docs/spec/interface.md#inputs).
@Suite("Captures as inputs")
struct CaptureInputTests {
  private let directory: TestDirectory
  private let sent = tuples(60)
  private let packets: [CapturedPacket]

  init() throws {
    directory = try TestDirectory()
    var conversation = Conversation(serverSends: feedback(tuples(60)))
    conversation.segmentSizes = [100]
    packets = FrameWriter().packets(conversation.segments())
  }

  private func export(_ arguments: String...) throws -> Exported {
    let outcome = try directory.apnsift(["export", "-t", "ndjson"] + arguments)
    return Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
  }

  private func expectAll(_ exported: Exported) throws {
    #expect(exported.outcome.code == 0, "\(exported.outcome.errors)")
    #expect(try exported.tuples.map(\.token) == sent.map { hex($0.token) })
    #expect(exported.codes.isEmpty, "\(exported.codes)")
  }

  // MARK: - --join

  /// The capture in three files of different formats; the third one compressed.
  private func writeParts() throws -> [(name: String, content: [UInt8])] {
    let cuts = [packets.count / 3, packets.count * 2 / 3]
    var big = PcapWriter()
    big.order = .big
    big.isNanosecond = true
    let parts = [
      ("a.pcap", PcapWriter().file(Array(packets[..<cuts[0]]))),
      ("b.pcapng", PcapngWriter().file(Array(packets[cuts[0]..<cuts[1]]))),
      ("c.pcap.zst", big.file(Array(packets[cuts[1]...]))),
    ]
    for (name, content) in parts.dropLast() { try directory.write(content, to: name) }
    try directory.write(try directory.tool("zstd", ["-c"], input: .bytes(parts[2].1)), to: parts[2].0)
    return parts.map { (name: $0.0, content: $0.1) }
  }

  @Test("a connection goes on across files of other formats, and each byte is traced to its own file")
  func joined() throws {
    let parts = try writeParts()
    let exported = try export("--join", "a.pcap", "b.pcapng", "c.pcap.zst")
    try expectAll(exported)
    #expect(exported.streams.count == 1)
    let counts = [packets.count / 3, packets.count / 3, packets.count - packets.count / 3 * 2]
    var seen: Set<String> = []
    for record in exported.objects("feedback") {
      let source = try #require(record["source"] as? String)
      let index = try #require(parts.firstIndex { $0.name == source })
      let offset = try #require(record["offset"] as? Int)
      let fileOffset = try #require(record["file_offset"] as? Int)
      // A tuple may go on in the next segment of 100 bytes, at another file offset.
      let tuple = sent[offset / 38].bytes
      let there = Array(parts[index].content[fileOffset...].prefix(min(38, 100 - offset % 100)))
      #expect(there == Array(tuple.prefix(there.count)), "offset \(offset) in \(source)")
      #expect(try (1...counts[index]).contains(#require(record["packet"] as? Int)))
      seen.insert(source)
    }
    #expect(seen == Set(parts.map(\.name)))
    let inputs = try #require(exported.objects("summary").first?["inputs"] as? [Evidence.Object])
    #expect(inputs.map { $0["source"] as? String } == parts.map(\.name))
  }

  @Test("packet numbers of joined files are those of each file")
  func packetNumbers() throws {
    _ = try writeParts()
    let whole = try directory.export(packets)
    let joined = try export("--join", "a.pcap", "b.pcapng", "c.pcap.zst")
    let first = ["a.pcap": 0, "b.pcapng": packets.count / 3, "c.pcap.zst": packets.count * 2 / 3]
    let numbers = try joined.objects("feedback").map { record in
      try #require(record["packet"] as? Int) + first[try #require(record["source"] as? String), default: 0]
    }
    #expect(numbers == whole.objects("feedback").map { $0["packet"] as? Int })
    #expect(joined.streams.first?["source"] as? String == "a.pcap")
    #expect(joined.streams.first?["started_at"] as? String == whole.streams.first?["started_at"] as? String)
  }

  @Test("without --join each file is a capture of its own, and the second begins in the middle")
  func separate() throws {
    _ = try writeParts()
    let exported = try export("a.pcap", "b.pcapng", "c.pcap.zst")
    #expect(exported.streams.map { $0["source"] as? String } == ["a.pcap", "b.pcapng", "c.pcap.zst"])
    #expect(exported.streams.map { $0["stream"] as? Int } == [0, 0, 0])
    let sources = exported.findings("midstream-start").map { $0["source"] as? String }
    #expect(Set(sources) == ["b.pcapng", "c.pcap.zst"])
  }

  @Test("joined in the wrong order, within the window, only the beginning differs")
  func wrongOrder() throws {
    _ = try writeParts()
    let exported = try export("--join", "c.pcap.zst", "b.pcapng", "a.pcap")
    try expectAll(exported)
  }

  @Test("what is lost between two files is a gap in the second")
  func lostFile() throws {
    _ = try writeParts()
    let exported = try export("--join", "a.pcap", "c.pcap.zst")
    #expect(exported.streams.count == 1)
    #expect(exported.findings("stream-gap").map { $0["source"] as? String } == ["c.pcap.zst"])
    #expect(exported.streams.first?["server_gap_bytes"] as? Int ?? 0 > 0)
  }

  @Test("a dump among joined inputs is an error, and the captures are read")
  func dumpAmongJoined() throws {
    _ = try writeParts()
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let exported = try export("--join", "a.pcap", "dump.bin", "b.pcapng", "c.pcap.zst")
    #expect(exported.outcome.code == 2)
    #expect(
      exported.outcome.messages.first
        == Message.about("dump.bin", "not a capture, and --join joins captures only").text)
    #expect(try exported.tuples.map(\.token) == sent.map { hex($0.token) })
    #expect(exported.codes == ["unreadable-input"])
  }

  @Test("a missing part is an error, and leaves a gap")
  func missingPart() throws {
    _ = try writeParts()
    let exported = try export("--join", "a.pcap", "b.pcap", "c.pcap.zst")
    #expect(exported.outcome.code == 2)
    #expect(Set(exported.codes).isSuperset(of: ["unreadable-input", "stream-gap"]))
    // What is found in a part that follows is its own, not the missing one's.
    #expect(exported.findings("stream-gap").map { $0["source"] as? String } == ["c.pcap.zst"])
    #expect(exported.objects("feedback").last?["source"] as? String == "c.pcap.zst")
  }

  @Test("one file is a join, too; and a directory is joined in the order of names")
  func directoryJoined() throws {
    for (index, part) in try writeParts().enumerated() {
      try directory.write(part.content, to: "parts/\(index)")
    }
    try expectAll(try export("--join", "parts"))
    try directory.write(PcapWriter().file(packets), to: "whole.pcap")
    try expectAll(try export("--join", "whole.pcap"))
  }

  @Test("a copy of bytes of another file is not silently accepted")
  func copyAcrossFiles() throws {
    let half = packets.count / 2
    try directory.write(PcapWriter().file(Array(packets[..<half])), to: "a.pcap")
    try directory.write(PcapWriter().file(Array(packets[(half - 6)...])), to: "b.pcap")
    let exported = try export("--join", "a.pcap", "b.pcap")
    #expect(try exported.tuples.map(\.token) == sent.map { hex($0.token) })
    #expect(Set(exported.codes) == ["unverified-retransmission"])
  }

  // MARK: - Rotated captures

  @Test("rotated captures of a directory are one capture, whatever their names are")
  func rotated() throws {
    let parts = try writeParts()
    for (name, part) in zip(["cap9", "cap10", "cap"], parts) {
      try directory.write(try directory.bytes(of: part.name), to: "rotated/\(name)")
    }
    try directory.write(feedback(tuples(1)), to: "rotated/cap1.bin")
    let exported = try export("rotated")
    let tokens = exported.objects("feedback").compactMap { $0["token"] as? String }
    #expect(tokens == (sent + tuples(1)).map { hex($0.token) })
    #expect(exported.codes == ["joined-capture", "joined-capture"])
    #expect(exported.findings.map { $0["source"] as? String } == ["rotated/cap10", "rotated/cap"])
    #expect(
      exported.outcome.said(.about("rotated/cap10", "continues rotated/cap9: both are read as one capture")))
    let known = try directory.apnsift(
      "export", "rotated", "--records", "inputs", "--columns", "source,records")
    #expect(
      known.lines
        == ["source,records", "rotated/cap9,", "rotated/cap10,", "rotated/cap,", "rotated/cap1.bin,1"])
  }

  @Test("a large file is compared by its end, and skipped files end a joined capture")
  func largeRotated() throws {
    // 5 MB of another connection after the beginning.
    var other = Conversation(serverSends: [UInt8](repeating: 0, count: 5_000_000))
    (other.client, other.interval) = (.v4(11, port: 50_000), 10)
    let filler = FrameWriter().packets(other.segments())
    let half = packets.count / 2
    let large = PcapWriter().file(Array(packets[..<2]) + filler + Array(packets[2..<half]))
    try directory.write(large, to: "rotated/1.pcap")
    try directory.write(PcapWriter().file(Array(packets[half...])), to: "rotated/2.pcap")
    _ = try directory.shell("sha256sum rotated/2.pcap >known")
    #expect(try export("rotated").codes.contains("joined-capture"))
    let left = try export("rotated", "--known-hashes", "known")
    #expect(left.objects("feedback").allSatisfy { $0["source"] as? String == "rotated/1.pcap" })
  }

  /// Files of packets that are not parts of one capture.
  static let unrelated: [(name: String, first: ClosedRange<Int>, second: ClosedRange<Int>, folder: String)] =
    [
      ("they overlap", 0...20, 10...30, "a"),
      ("they are the same", 5...20, 5...20, "a"),
      ("the second one has the whole connection", 0...9, 0...30, "a"),
      ("they are in two directories", 0...9, 10...30, "b"),
    ]

  @Test("captures are not joined where sequence numbers do not prove it", arguments: unrelated.map(\.name))
  func notRotated(_ name: String) throws {
    let files = try #require(Self.unrelated.first { $0.name == name })
    try directory.write(PcapWriter().file(Array(packets[files.first])), to: "dumps/a/1.pcap")
    try directory.write(PcapWriter().file(Array(packets[files.second])), to: "dumps/\(files.folder)/2.pcap")
    #expect(try !export("dumps").codes.contains("joined-capture"))
  }

  @Test("the connection alone is proof: what is lost between two files is a gap")
  func lossBetweenRotated() throws {
    try directory.write(PcapWriter().file(Array(packets[...9])), to: "dumps/1.pcap")
    try directory.write(PcapWriter().file(Array(packets[14...])), to: "dumps/2.pcap")
    let exported = try export("dumps")
    #expect(exported.streams.count == 1)
    #expect(Set(exported.codes).isSuperset(of: ["joined-capture", "stream-gap"]))
  }

  // MARK: - Pipes and directories

  @Test("a capture from standard input, and from a named pipe, is the same as from a file")
  func pipes() throws {
    let file = PcapngWriter().file(packets)
    try directory.write(file, to: "capture")
    let expected = try directory.apnsift("export", "capture").text
    let input = try directory.apnsift("export", "-", input: .bytes(file))
    #expect(input.code == 0 && input.text == expected.replacing("capture,", with: "-,"))
    try directory.makePipe("pipe")
    let pipe = try directory.shell("cat capture >pipe & \"$APNSIFT\" export pipe && wait")
    #expect(pipe.code == 0 && pipe.text == expected.replacing("capture,", with: "pipe,"))
    let joined = try directory.apnsift("export", "--join", "-", input: .bytes(file))
    #expect(joined.text == input.text)
  }

  @Test("copies are compared with bytes from a pipe")
  func conflictFromPipe() throws {
    var conversation = Conversation(serverSends: feedback(sent))
    conversation.segmentSizes = [100]
    let segments = conversation.segments()
    let index = segments.dataIndices[5]
    let contradicted = segments.contradicting(index, at: 7, with: [~segments[index].payload[7]])
    let file = PcapWriter().file(FrameWriter().packets(contradicted))
    let outcome = try directory.apnsift("export", "-t", "ndjson", "-", input: .bytes(file))
    let exported = Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
    #expect(exported.codes == ["conflicting-overlap"])
    #expect(exported.findings.first?["offset"] as? Int == 507)
  }

  @Test("captures and dumps in a directory are read, whatever their names, and the rest is skipped")
  func besideDumps() throws {
    try directory.write(PcapWriter().file(packets), to: "all/1.txt")
    try directory.write(feedback(tuples(2)), to: "all/2.pcap")
    try directory.write("notes\n", to: "all/3.pcapng")
    try directory.write(
      try directory.tool("gzip", ["-c"], input: .bytes(PcapngWriter().file(packets))), to: "all/4")
    let exported = try export("all")
    #expect(exported.outcome.code == 0)
    let bySource = Dictionary(grouping: exported.objects("feedback")) { $0["source"] as? String ?? "" }
    #expect(bySource.mapValues(\.count) == ["all/1.txt": 60, "all/2.pcap": 2, "all/4": 60])
    #expect(exported.codes == ["unrecognised-input"])
  }

  // MARK: - --from

  @Test(
    "what is named a capture and is none is an error, with what was expected",
    arguments: [[], Array("notes\n".utf8), feedback(tuples(3)), [0xd4, 0xc3, 0xb2]])
  func fromCapture(_ content: [UInt8]) throws {
    try directory.write(content, to: "input")
    try directory.write(PcapWriter().file(packets), to: "capture.pcap")
    let exported = try export("--from", "capture", "input", "capture.pcap")
    #expect(exported.outcome.code == 2)
    #expect(exported.outcome.messages.first == Message.about("input", "not a pcap or pcapng capture").text)
    #expect(try exported.tuples.map(\.token) == sent.map { hex($0.token) })
  }

  @Test("a capture that is named raw is read as a dump, all of it damage")
  func captureAsRaw() throws {
    let file = PcapWriter().file(packets)
    try directory.write(file, to: "capture.pcap")
    let exported = try export("--from", "raw", "capture.pcap")
    #expect(exported.objects("summary").first?["stream_bytes"] as? Int == file.count)
    #expect(exported.codes.contains("skipped-bytes"))
  }

  /// Each export of a stream by its name, with its smallest text.
  static let exports: [(name: String, text: @Sendable (_ bytes: [UInt8]) -> String)] = [
    (
      "follow-raw",
      {
        let rule = String(repeating: "=", count: 67)
        return "\n\(rule)\nFollow: tcp,raw\nFilter: tcp.stream eq 0\nNode 0: 192.0.2.10:4\n"
          + "Node 1: 192.0.2.20:2196\n\t\(hex($0))\n\(rule)\n"
      }
    ),
    ("follow-raw", { hex($0) + "\n" }),
    (
      "c-arrays",
      {
        "char peer1_0[] = { /* Packet 4 */\n" + $0.map { "0x\(hex([$0]))" }.joined(separator: ", ") + " };\n"
      }
    ),
    (
      "socat",
      {
        "< 2014/05/13 16:53:20.000000123  length=\($0.count) from=0 to=\($0.count - 1)\n"
          + $0.map { " \(hex([$0]))" }.joined() + "\n--\n"
      }
    ),
  ]

  @Test("exports of streams by their names", arguments: exports.indices)
  func exportsByName(_ index: Int) throws {
    let (name, text) = Self.exports[index]
    try directory.write(text(feedback(tuples(3))), to: "export.txt")
    let exported = try export("-f", name, "export.txt")
    #expect(exported.outcome.code == 0, "\(exported.outcome.errors)")
    #expect(try exported.tuples.map(\.token) == tuples(3).map { hex($0.token) })
    let inputs = exported.objects("summary").first?["inputs"] as? [Evidence.Object]
    #expect(inputs?.first?["format"] as? String == name)
  }

  @Test(
    "a text of another kind than was named is an error, not nothing",
    arguments: ["follow-raw", "follow-hex", "follow-yaml", "c-arrays", "socat", "ssldump"])
  func wrongExport(_ name: String) throws {
    try directory.write("Minutes of the meeting\n\nNothing was decided.\n", to: "notes.txt")
    let outcome = try directory.apnsift("export", "--from", name, "notes.txt")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("notes.txt: "))
  }
}
