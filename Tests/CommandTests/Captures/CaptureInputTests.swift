import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// Where captures come from: several files, pipes, directories, and what is named to be one (docs/spec/interface.md#inputs);
/// and which packets are read (docs/spec/interface.md#input-options).
@Suite("Captures as inputs")
struct CaptureInputTests {
  private let directory = TestDirectory()
  private let sent = tuples(60)
  private let packets: [CapturedPacket]

  init() throws {
    packets = FrameWriter().packets(Conversation(serverSends: feedback(tuples(60)), in: [100]).segments())
  }

  // MARK: - --join

  /// The capture in three files of different formats; the third one compressed.
  private func writeParts() throws -> [(name: String, content: [UInt8])] {
    let cuts = [packets.count / 3, packets.count * 2 / 3]
    var big = PcapWriter()
    (big.order, big.isNanosecond) = (.big, true)
    let parts = [
      ("a.pcap", PcapWriter().file(Array(packets[..<cuts[0]]))),
      ("b.pcapng", PcapngWriter().file(Array(packets[cuts[0]..<cuts[1]]))),
      ("c.pcap.zst", big.file(Array(packets[cuts[1]...]))),
    ]
    for (name, content) in parts.dropLast() { try directory.write(content, to: name) }
    try directory.write(try directory.tool("zstd", ["-c"], input: .bytes(parts[2].1)), to: parts[2].0)
    return parts
  }

  /// Files that are given together, and what is found: an exit code, and each code of a finding with its file.
  static let joins: [(inputs: String, code: Int32, findings: Set<String>, isWhole: Bool)] = [
    ("--join a.pcap b.pcapng c.pcap.zst", 0, [], true),
    // Within the window, the order of the files does not matter.
    ("--join c.pcap.zst b.pcapng a.pcap", 0, [], true),
    ("--join parts", 0, [], true),
    ("--join a.pcap dump.bin b.pcapng c.pcap.zst", 2, ["unreadable-input dump.bin"], true),
    ("a.pcap b.pcapng c.pcap.zst", 0, ["midstream-start b.pcapng", "midstream-start c.pcap.zst"], false),
    ("--join a.pcap c.pcap.zst", 0, ["stream-gap c.pcap.zst"], false),
    // What is found in a part that follows is its own, not the missing one's.
    ("--join a.pcap b.pcap c.pcap.zst", 2, ["unreadable-input b.pcap", "stream-gap c.pcap.zst"], false),
  ]

  @Test("a connection goes on across files of other formats", arguments: joins)
  func joined(_ inputs: String, _ code: Int32, _ findings: Set<String>, _ isWhole: Bool) throws {
    for (index, part) in try writeParts().enumerated() {
      try directory.write(part.content, to: "parts/\(index)")
    }
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let exported = try directory.export(inputs.words)
    #expect(exported.outcome.code == code)
    // Of a tuple that is cut, there are findings besides.
    let found = exported.findings.map { "\($0["code"] ?? "") \($0["source"] ?? "")" }
      .filter { !$0.hasPrefix("truncated-record") && !$0.hasPrefix("skipped-bytes") }
    #expect(Set(found) == findings)
    let hasAll = try exported.tuples.map(\.token) == sent.map { hex($0.token) }
    #expect(hasAll == isWhole)
    #expect(exported.streams.count == (inputs.hasPrefix("--join") ? 1 : 3))
  }

  // MARK: - Rotated captures

  @Test("rotated captures of a directory are one capture, whatever their names are")
  func rotated() throws {
    for (name, part) in zip(["cap9", "cap10", "cap"], try writeParts()) {
      try directory.write(try directory.bytes(of: part.name), to: "rotated/\(name)")
    }
    try directory.write(feedback(tuples(1)), to: "rotated/cap1.bin")
    let exported = try directory.export("rotated")
    let tokens = exported.objects("feedback").compactMap { $0["token"] as? String }
    #expect(tokens == (sent + tuples(1)).map { hex($0.token) })
    #expect(exported.codes == ["joined-capture", "joined-capture"])
    #expect(exported.findings.map { $0["source"] as? String } == ["rotated/cap10", "rotated/cap"])
    #expect(
      exported.outcome.said(.about("rotated/cap10", "continues rotated/cap9: both are read as one capture")))
    let known = try directory.apnsift("export rotated --records inputs --columns source,records".words)
    #expect(
      known.lines.dropFirst().map { $0.replacing("rotated/", with: "") } == [
        "cap9,", "cap10,", "cap,", "cap1.bin,1",
      ])
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
    #expect(try directory.export("rotated").codes.contains("joined-capture"))
    let left = try directory.export("rotated", "--known-hashes", "known")
    #expect(left.objects("feedback").allSatisfy { $0["source"] as? String == "rotated/1.pcap" })
  }

  /// Packets of two files, in the directory `a`, that are not parts of one capture.
  static let unrelated: [(name: String, first: ClosedRange<Int>, second: ClosedRange<Int>, folder: String)] =
    [
      ("they overlap", 0...20, 10...30, "a"), ("they are the same", 5...20, 5...20, "a"),
      ("the second one has the whole connection", 0...9, 0...30, "a"),
      ("they are in two directories", 0...9, 10...30, "b"),
    ]

  @Test("captures are not joined where sequence numbers do not prove it", arguments: unrelated)
  func notRotated(_ name: String, _ first: ClosedRange<Int>, _ second: ClosedRange<Int>, _ folder: String)
    throws
  {
    try directory.write(PcapWriter().file(Array(packets[first])), to: "dumps/a/1.pcap")
    try directory.write(PcapWriter().file(Array(packets[second])), to: "dumps/\(folder)/2.pcap")
    #expect(try !directory.export("dumps").codes.contains("joined-capture"))
  }

  @Test("the connection alone is proof: what is lost between two files is a gap")
  func lossBetweenRotated() throws {
    try directory.write(PcapWriter().file(Array(packets[...9])), to: "dumps/1.pcap")
    try directory.write(PcapWriter().file(Array(packets[14...])), to: "dumps/2.pcap")
    let exported = try directory.export("dumps")
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

  // MARK: - --from

  @Test(
    "what is named a capture and is none is an error, with what was expected",
    arguments: [[], Array("notes\n".utf8), feedback(tuples(3)), [0xd4, 0xc3, 0xb2]])
  func fromCapture(_ content: [UInt8]) throws {
    try directory.write(content, to: "input")
    try directory.write(PcapWriter().file(packets), to: "capture.pcap")
    let exported = try directory.export("--from", "capture", "input", "capture.pcap")
    #expect(exported.outcome.code == 2)
    #expect(exported.outcome.messages.first == Message.about("input", "not a pcap or pcapng capture").text)
    #expect(try exported.tuples.map(\.token) == sent.map { hex($0.token) })
  }

  /// Names of --from, and the input of the corpus that each reads.
  static let exports = [
    ("follow-raw", "follow-raw/input.txt"), ("follow-hex", "follow-hex/input.txt"),
    ("follow-yaml", "follow-yaml/input.yaml"), ("c-arrays", "c-arrays/input.txt"),
    ("socat", "socat-x/input.txt"), ("ssldump", "ssldump/input.txt"),
  ]

  @Test("exports of streams by their names", arguments: exports)
  func exportsByName(_ name: String, _ input: String) throws {
    let input = Repository.path(of: "samples/corpus/format/\(input)")
    let found = try directory.export("-f", name, input)
    let expected = try directory.text(of: input.replacing(/input\.\w+$/, with: "expected.ndjson"))
    let records = Exported(objects: try Evidence.lines(expected), outcome: found.outcome)
    #expect(try found.tuples == records.tuples && !found.tuples.isEmpty)
    let inputs = found.summary["inputs"] as? [Evidence.Object]
    #expect(inputs?.first?["format"] as? String == name)
    // A text of another kind than was named is an error, not nothing.
    try directory.write("Minutes of the meeting\n\nNothing was decided.\n", to: "notes.txt")
    try directory.apnsift("export", "--from", name, "notes.txt").exits(2, saying: "notes.txt: ")
  }

  // MARK: - Which packets are read; options of ports are in cases of samples/corpus/capture

  @Test("a filter that no packet matches leaves nothing, and that is no error")
  func filterWithoutMatches() throws {
    let exported = try directory.export(packets, "--filter", "udp")
    try directory.apnsift("inspect capture.pcap --filter udp".words).exits(0, saying: "no packet has TCP")
    #expect(exported.outcome.code == 0 && exported.summary["feedback"] as? Int == 0)
    #expect(exported.streams.isEmpty && exported.codes.isEmpty)
  }

  @Test(
    "a filter that does not compile is wrong usage, with libpcap's words and before anything is read",
    arguments: [("tcp prot 9", "syntax error"), ("host", "syntax error"), ("tcp port 65536", "port")])
  func wrongFilter(_ filter: String, _ words: String) throws {
    let outcome = try directory.apnsift("export", "--filter", filter, "missing.pcap", "-o", "out.csv").exits(
      64)
    for part in ["--filter", filter, words] { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
    #expect(try directory.names.isEmpty)
  }

  @Test("--max-packet takes longer records for damage, and reads on after them")
  func maxPacket() throws {
    let conversation = Conversation(serverSends: feedback(tuples(40)), in: [38, 38, 380, 38])
    let packets = FrameWriter().packets(conversation.segments())
    #expect(try directory.export(packets, "--max-packet", "434").codes.isEmpty)
    // 54 bytes of headers before a payload of 380.
    let exported = try directory.export(packets, "--max-packet", "433")
    #expect(exported.codes.contains("damaged-capture") && exported.codes.contains("stream-gap"))
    #expect(exported.outcome.code == 0)
    let offsets = try exported.tuples.map(\.offset)
    #expect(offsets.starts(with: [0, 38]) && offsets.contains(456))
  }
}
