import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing
import Wording

/// `export --to raw`: the streams of the inputs as files (docs/formats.md).
@Suite("Streams as files")
struct RawStreamTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// What a reassembly by other hands found (Tests/Fixtures/captures/manifest.json).
  struct Fixture: Decodable, Sendable, CustomTestStringConvertible {
    struct Reference: Decodable {
      var packets: Int
      var directions: [Direction]
    }

    struct Direction: Decodable, Equatable {
      var src: String
      var dst: String
      var firstPacket: Int
      var synSeen: Bool
      var bytes: Int
      var sha256: String
      var gaps: [[Int]]
      var duplicateBytes: Int
      var conflictingBytes: Int

      enum CodingKeys: String, CodingKey {
        case src, dst, bytes, sha256
        case firstPacket = "first_packet"
        case synSeen = "syn_seen"
        case gaps = "gaps_offset_len"
        case duplicateBytes = "duplicate_bytes"
        case conflictingBytes = "conflicting_bytes"
      }
    }

    private struct Manifest: Decodable { var files: [Fixture] }

    var file: String
    var reference: Reference

    var testDescription: String { file }

    static let root = Repository.root.appendingPathComponent("Tests/Fixtures/captures")
    static let all: [Fixture] = {
      let data = try? Data(contentsOf: root.appendingPathComponent("manifest.json"))
      return data.flatMap { try? JSONDecoder().decode(Manifest.self, from: $0).files } ?? []
    }()
  }

  /// The manifest writes addresses of IPv6 without brackets.
  private func direction(_ entry: Evidence.Object) throws -> Fixture.Direction {
    func bare(_ key: String) throws -> String {
      try #require(entry[key] as? String).filter { $0 != "[" && $0 != "]" }
    }
    return Fixture.Direction(
      src: try bare("src"), dst: try bare("dst"),
      firstPacket: try #require(entry["first_packet"] as? Int),
      synSeen: try #require(entry["syn_seen"] as? Bool), bytes: try #require(entry["bytes"] as? Int),
      sha256: try #require(entry["sha256"] as? String), gaps: try #require(entry["gaps"] as? [[Int]]),
      duplicateBytes: try #require(entry["duplicate_bytes"] as? Int),
      conflictingBytes: try #require(entry["conflicting_bytes"] as? Int))
  }

  private func catalogue(_ name: String = "out") throws -> [Evidence.Object] {
    try Evidence.objects(try directory.text(of: "\(name)/streams.json"))
  }

  /// The names in a directory, sorted, hidden ones too.
  private func names(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path(of: name)).sorted()
  }

  private func digest(_ name: String) throws -> String {
    let answer = try directory.tool("openssl", ["dgst", "-sha256", "-r", name])
    return String(decoding: answer.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }

  /// The files that `streams.json` names are there, are what it says they are, and no others are there.
  private func expectSound(_ name: String = "out") throws {
    let entries = try catalogue(name)
    let files = try entries.map { try #require($0["file"] as? String) }
    #expect(try names(name) == (files + ["streams.json"]).sorted())
    for (entry, file) in zip(entries, files) {
      #expect(try directory.bytes(of: "\(name)/\(file)").count == entry["bytes"] as? Int)
      #expect(try digest("\(name)/\(file)") == entry["sha256"] as? String)
    }
  }

  // MARK: - Against other hands

  @Test("the manifest is read")
  func manifest() { #expect(Fixture.all.count == 48) }

  @Test("the public captures give the streams that an independent reassembly gave", arguments: Fixture.all)
  func fixture(_ fixture: Fixture) throws {
    let path = Fixture.root.appendingPathComponent(fixture.file).path
    let outcome = try directory.apnsift("export", "--to", "raw", "-o", "out", path)
    // A file of which nothing can be read is a failure, and all the others are none. That one has Bluetooth alone.
    let isUnread = fixture.reference.packets == 0 || fixture.file.hasSuffix("/microsecs_big_endian.pcap")
    #expect(outcome.code == (isUnread ? 2 : 0), "\(outcome.errors)")
    let entries = try catalogue()
    let found = try entries.map(direction).sorted { $0.firstPacket < $1.firstPacket }
    #expect(found == fixture.reference.directions.sorted { $0.firstPacket < $1.firstPacket })
    #expect(entries.allSatisfy { $0["source"] as? String == path })
    try expectSound()
    let inspected = try directory.apnsift("inspect", path)
    let count = fixture.reference.packets
    #expect(inspected.lines.first { $0.hasSuffix("\(count) packet\(count == 1 ? "" : "s")") } != nil)
  }

  // MARK: - Inputs

  @Test("dumps, exports of streams and captures together, each under its number")
  func severalInputs() throws {
    let sent = feedback(tuples(9))
    let rule = String(repeating: "=", count: 67)
    let lines = hex(sent).split(every: 76).map { "\t\($0)\n" }.joined()
    try directory.write(sent, to: "dump.bin")
    try directory.write(
      "\n\(rule)\nFollow: tcp,raw\nFilter: tcp.stream eq 0\nNode 0: 192.0.2.10:49152\nNode 1: 192.0.2.20:2196\n"
        + lines + "\(rule)\n", to: "follow.txt")
    let packets = FrameWriter().packets(Conversation(serverSends: sent).segments())
    try directory.write(PcapWriter().file(packets), to: "capture.pcap")
    let outcome = try directory.apnsift(
      "export", "-t", "raw", "-o", "out", "dump.bin", "follow.txt", "capture.pcap")
    #expect(outcome.code == 0)
    let message = Message.closing(.exported(directions: 3, streams: 3, to: "out"), [.noProblems])
    #expect(outcome.messages == [message.text])
    try expectSound()
    let entries = try catalogue()
    #expect(
      entries.map { $0["source"] as? String } == ["dump.bin", "follow.txt", "capture.pcap"])
    #expect(
      entries.map { $0["file"] as? String } == ["1-stream-0-a.raw", "2-stream-0-b.raw", "3-stream-0-b.raw"])
    #expect(entries.map { $0["first_packet"] as? Int } == [nil, nil, 2])
    #expect(entries.map { $0["src"] as? String } == [nil, "192.0.2.20:2196", "192.0.2.20:2196"])
    for entry in entries { #expect(entry["sha256"] as? String == (try digest("dump.bin"))) }
  }

  @Test("files that are one capture make one catalogue of whole streams")
  func joined() throws {
    var conversation = Conversation(serverSends: feedback(tuples(40)))
    conversation.segmentSizes = [100]
    let packets = FrameWriter().packets(conversation.segments())
    try directory.write(PcapWriter().file(Array(packets[..<30])), to: "1.pcap")
    try directory.write(PcapngWriter().file(Array(packets[30...])), to: "2.pcapng")
    let outcome = try directory.apnsift(
      "export", "-t", "raw", "-o", "out", "--join", "1.pcap", "2.pcapng")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(try names("out") == ["stream-0-b.raw", "streams.json"])
    #expect(try directory.bytes(of: "out/stream-0-b.raw") == conversation.bytes(of: .server))
    try expectSound()
  }

  @Test("gaps are reported, and are not filled")
  func gaps() throws {
    var conversation = Conversation(serverSends: feedback(tuples(30)))
    conversation.segmentSizes = [38]
    var segments = conversation.segments()
    let lost = [segments.dataIndices[3], segments.dataIndices[4], segments.dataIndices[29]]
    segments = segments.dropping(Set(lost))
    try directory.writeCapture(segments)
    #expect(try directory.apnsift("export", "-t", "raw", "-o", "out", "capture.pcap").code == 0)
    let sent = conversation.bytes(of: .server)
    #expect(try directory.bytes(of: "out/stream-0-b.raw") == Array(sent[..<114] + sent[190..<1102]))
    // The FIN shows that the last one was sent.
    #expect(try catalogue().first?["gaps"] as? [[Int]] == [[114, 76], [1102, 38]])
    try expectSound()
  }

  @Test("more streams than files may be open")
  func manyStreams() throws {
    let lists = (0..<300).map { number -> [Segment] in
      var one = Conversation(serverSends: feedback(tuples(3, from: number)))
      one.client.port = UInt16(10_000 + number)
      one.segmentSizes = [50]
      return one.segments()
    }
    try directory.writeCapture(.interleaved(lists))
    let outcome = try directory.shell("ulimit -n 200; \"$APNSIFT\" export -t raw -o out capture.pcap")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(try catalogue().count == 300)
    for number in 0..<300 {
      #expect(
        try directory.bytes(of: "out/stream-\(number)-b.raw") == feedback(tuples(3, from: number)))
    }
  }

  // MARK: - The directory

  private func writeDump() throws { try directory.write(feedback(tuples(3)), to: "dump.bin") }

  @Test("a directory that holds files is left alone without --force")
  func existing() throws {
    try writeDump()
    try directory.write("precious\n", to: "out/notes.txt")
    try directory.write("old\n", to: "out/streams.json")
    let arguments = ["export", "-t", "raw", "-o", "out", "dump.bin"]
    let refused = try directory.apnsift(arguments)
    #expect(refused.code == 2)
    #expect(refused.said("out is not empty: name another directory, or give --force to add files to it"))
    #expect(try names("out") == ["notes.txt", "streams.json"])
    #expect(try directory.text(of: "out/streams.json") == "old\n")
    #expect(try directory.apnsift(arguments + ["--force"]).code == 0)
    #expect(try names("out") == ["notes.txt", "stream-0-a.raw", "streams.json"])
    #expect(try directory.text(of: "out/notes.txt") == "precious\n")
    #expect(try catalogue().count == 1)
  }

  @Test("an empty directory needs no --force")
  func empty() throws {
    try writeDump()
    try directory.makeDirectory("out")
    #expect(try directory.apnsift("export", "-t", "raw", "-o", "out", "dump.bin").code == 0)
    try expectSound()
  }

  @Test("a disk that fills up leaves nothing half done")
  func fullDisk() throws {
    try directory.write(feedback(tuples(3000)), to: "dump.bin")
    try directory.write("precious\n", to: "kept/stream-0-a.raw")
    for out in ["new", "kept"] {
      let outcome = try directory.shell(
        "ulimit -f 64; \"$APNSIFT\" export -t raw -o \(out) --force dump.bin")
      #expect(outcome.code == 2)
      #expect(outcome.said(.outputNotWritten("\(out)/stream-0-a.raw", SystemError.text(EFBIG))))
    }
    #expect(try directory.text(of: "kept/stream-0-a.raw") == "precious\n")
    #expect(try names("kept") == ["stream-0-a.raw"])
    #expect(try !directory.exists("new") || names("new") == [])
  }

  @Test("a directory that may not be written", .enabled(if: Unprivileged.isPossible))
  func forbidden() throws {
    try writeDump()
    try directory.makeDirectory("out")
    for name in [".", "out"] { chmod(directory.path(of: name), 0o555) }
    defer { for name in [".", "out"] { chmod(directory.path(of: name), 0o777) } }
    let error = SystemError.text(EACCES)
    let refused: [(String, Message)] = [
      ("out", .outputNotWritten("out", error)), ("new", .outputNotCreated("new", error)),
    ]
    for (out, message) in refused {
      let outcome = try directory.shell(
        Unprivileged.prefix + "\"$APNSIFT\" export -t raw -o \(out) dump.bin")
      #expect(outcome.code == 2)
      #expect(outcome.messages == [message.text])
    }
    #expect(try names("out") == [] && !directory.exists("new"))
  }

  @Test(
    "an output that is a file, or standard output", arguments: ["dump.bin", "/dev/null", "-", "none/out"])
  func noDirectory(_ out: String) throws {
    try writeDump()
    let outcome = try directory.apnsift("export", "-t", "raw", "--force", "-o", out, "dump.bin")
    #expect(outcome.code == 2 && outcome.output == [])
    #expect(try directory.bytes(of: "dump.bin") == feedback(tuples(3)))
    #expect(try directory.names == ["dump.bin"])
  }

  @Test(
    "a signal leaves neither files nor a new directory", arguments: [SIGINT, SIGTERM, SIGHUP], [true, false])
  func interrupted(_ number: Int32, isNew: Bool) throws {
    if !isNew { try directory.makeDirectory("out") }
    try directory.makePipe("input")
    let child = try directory.start(["export", "-t", "raw", "-o", "out", "input"])
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try writer.write(feedback(tuples(3)))
    child.send(number)
    // The pipe is still open: no more bytes are needed to notice the signal.
    #expect(try child.wait() == .signal(number))
    #expect(try directory.names == (isNew ? ["input"] : ["input", "out"]))
    if !isNew { #expect(try names("out") == []) }
    writer.close()
  }

  @Test("where one file cannot get its name, none gets it")
  func failedRename() throws {
    try writeDump()
    for name in ["out", "out/streams.json"] { try directory.makeDirectory(name) }
    let outcome = try directory.apnsift("export", "-t", "raw", "--force", "-o", "out", "dump.bin")
    #expect(outcome.code == 2)
    #expect(outcome.messages == [Message.outputNotWritten("out/streams.json", SystemError.text(EISDIR)).text])
    #expect(try names("out") == ["streams.json"])
    #expect(try directory.names(in: "out/streams.json") == [])
  }

  @Test("a directory that was made for an output that fails is removed")
  func failedOutput() throws {
    try writeDump()
    try directory.write("precious\n", to: "sums.txt")
    let outcome = try directory.apnsift(
      "export", "-t", "raw", "-o", "out", "--checksums", "sums.txt", "dump.bin")
    #expect(outcome.code == 2)
    #expect(try directory.names == ["dump.bin", "sums.txt"])
  }

  @Test("an input that fails does not keep the others from the directory")
  func missingInput() throws {
    try writeDump()
    let outcome = try directory.apnsift("export", "-t", "raw", "-o", "out", "missing.pcap", "dump.bin")
    #expect(outcome.code == 2)
    try expectSound()
    #expect(try catalogue().map { $0["source"] as? String } == ["dump.bin"])
  }

  @Test(
    "wrong usage",
    arguments: [
      [], ["-o", "out", "--records", "feedback"], ["-o", "out", "--findings", "f.csv"],
      ["-o", "out", "--distinct"], ["-o", "out", "--columns", "time"],
    ])
  func wrongUsage(_ options: [String]) throws {
    try writeDump()
    let outcome = try directory.apnsift(["export", "--to", "raw", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(try directory.names == ["dump.bin"])
  }
}

extension String {
  fileprivate func split(every length: Int) -> [Substring] {
    var rest = self[...]
    var parts: [Substring] = []
    while !rest.isEmpty {
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return parts
  }
}
