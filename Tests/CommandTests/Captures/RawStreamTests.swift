import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import TestSupport
import Testing
import Wording

/// `export --to raw`: the streams of the inputs as files (docs/formats.md).
@Suite("Streams as files")
struct RawStreamTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])
  private let export = "export -t raw -o out".words
  /// The manifest writes addresses of IPv6 without brackets.
  private func direction(_ entry: Evidence.Object) throws -> CaptureFixture.Direction {
    var entry = entry
    entry["gaps_offset_len"] = entry["gaps"]
    for key in ["src", "dst"] { entry[key] = (entry[key] as? String)?.filter { $0 != "[" && $0 != "]" } }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = try JSONSerialization.data(withJSONObject: entry)
    return try decoder.decode(CaptureFixture.Direction.self, from: data)
  }

  private func catalogue(_ name: String = "out") throws -> [Evidence.Object] {
    try Evidence.objects(try directory.text(of: "\(name)/streams.json"))
  }

  /// The files that `streams.json` names are there, are what it says they are, and no others are there.
  private func expectSound(_ name: String = "out") throws {
    let entries = try catalogue(name)
    let files = try entries.map { try #require($0["file"] as? String) }
    #expect(try directory.names(in: name) == (files + ["streams.json"]).sorted())
    for (entry, file) in zip(entries, files) {
      #expect(try directory.bytes(of: "\(name)/\(file)").count == entry["bytes"] as? Int)
      #expect(try directory.digest("\(name)/\(file)") == entry["sha256"] as? String)
    }
  }

  // MARK: - Against other hands

  @Test(
    "the public captures give the streams that an independent reassembly gave", arguments: CaptureFixture.all)
  func fixture(_ fixture: CaptureFixture) throws {
    let path = Repository.path(of: "Tests/Fixtures/captures/\(fixture.file)")
    // A file of which nothing can be read is a failure, and all the others are none. That one has Bluetooth alone.
    let isUnread = fixture.reference.packets == 0 || fixture.file.hasSuffix("/microsecs_big_endian.pcap")
    try directory.apnsift(export + [path]).exits(isUnread ? 2 : 0)
    let entries = try catalogue()
    let found = try entries.map(direction).sorted { $0.firstPacket < $1.firstPacket }
    #expect(found == fixture.reference.directions.sorted { $0.firstPacket < $1.firstPacket })
    #expect(entries.allSatisfy { $0["source"] as? String == path })
    try expectSound()
    let inspected = try directory.apnsift("inspect", path)
    let count = fixture.reference.packets
    #expect(inspected.lines.contains { $0.hasSuffix("\(count) packet\(count == 1 ? "" : "s")") })
  }

  // MARK: - Inputs

  @Test("dumps, exports of streams and captures together, each under its number")
  func severalInputs() throws {
    let sent = try directory.bytes(of: "dump.bin")
    let rule = String(repeating: "=", count: 67)
    let nodes = "Node 0: 192.0.2.10:49152\nNode 1: 192.0.2.20:2196\n"
    try directory.write(
      "\n\(rule)\nFollow: tcp,raw\nFilter: tcp.stream eq 0\n\(nodes)\t\(hex(sent))\n\(rule)\n",
      to: "follow.txt")
    try directory.writeCapture(Conversation(serverSends: sent).segments())
    let outcome = try directory.apnsift(export + ["dump.bin", "follow.txt", "capture.pcap"]).exits(0)
    let message = Message.closing(.exported(directions: 3, streams: 3, to: "out"), [.noProblems])
    #expect(outcome.messages == [message.text])
    try expectSound()
    let entries = try catalogue()
    func texts(_ key: String) -> [String?] { entries.map { $0[key] as? String } }
    #expect(texts("source") == ["dump.bin", "follow.txt", "capture.pcap"])
    #expect(texts("file") == ["1-stream-0-a.raw", "2-stream-0-b.raw", "3-stream-0-b.raw"])
    #expect(entries.map { $0["first_packet"] as? Int } == [nil, nil, 2])
    #expect(texts("src") == [nil, "192.0.2.20:2196", "192.0.2.20:2196"])
    let digest = try directory.digest("dump.bin")
    #expect(texts("sha256") == [digest, digest, digest])
  }

  @Test("more streams than files may be open")
  func manyStreams() throws {
    let lists = (0..<300).map { number -> [Segment] in
      var one = Conversation(serverSends: feedback(tuples(3, from: number)), in: [50])
      one.client.port = UInt16(10_000 + number)
      return one.segments()
    }
    try directory.writeCapture(.interleaved(lists))
    try directory.shell("ulimit -n 200; \"$APNSIFT\" export -t raw -o out capture.pcap").exits(0)
    #expect(try catalogue().count == 300)
    for number in 0..<300 {
      #expect(try directory.bytes(of: "out/stream-\(number)-b.raw") == feedback(tuples(3, from: number)))
    }
  }

  // MARK: - The directory

  @Test("a directory that holds files is left alone without --force, an empty one is not")
  func existing() throws {
    try directory.makeDirectory("empty")
    try directory.apnsift("export -t raw -o empty dump.bin".words).exits(0)
    try expectSound("empty")
    try directory.write("precious\n", to: "out/notes.txt")
    try directory.write("old\n", to: "out/streams.json")
    try directory.apnsift(export + ["dump.bin"])
      .exits(2, saying: "out is not empty: name another directory, or give --force to add files to it")
    #expect(try directory.names(in: "out") == ["notes.txt", "streams.json"])
    #expect(try directory.text(of: "out/streams.json") == "old\n")
    try directory.apnsift(export + ["dump.bin", "--force"]).exits(0)
    #expect(try directory.names(in: "out") == ["notes.txt", "stream-0-a.raw", "streams.json"])
    #expect(try directory.text(of: "out/notes.txt") == "precious\n")
    #expect(try catalogue().count == 1)
  }

  @Test("a disk that fills up leaves nothing half done")
  func fullDisk() throws {
    try directory.write(feedback(tuples(3000)), to: "dump.bin")
    try directory.write("precious\n", to: "kept/stream-0-a.raw")
    for out in ["new", "kept"] {
      try directory.shell("ulimit -f 64; \"$APNSIFT\" export -t raw -o \(out) --force dump.bin")
        .exits(2, saying: .outputNotWritten("\(out)/stream-0-a.raw", SystemError.text(EFBIG)))
    }
    #expect(try directory.text(of: "kept/stream-0-a.raw") == "precious\n")
    #expect(try directory.names(in: "kept") == ["stream-0-a.raw"])
    #expect(try !directory.exists("new") || directory.names(in: "new") == [])
  }

  @Test("a directory that may not be written", .enabled(if: Unprivileged.isPossible))
  func forbidden() throws {
    try directory.makeDirectory("out")
    for name in [".", "out"] { chmod(directory.path(of: name), 0o555) }
    defer { for name in [".", "out"] { chmod(directory.path(of: name), 0o777) } }
    let error = SystemError.text(EACCES)
    for (out, message) in [
      ("out", Message.outputNotWritten("out", error)), ("new", .outputNotCreated("new", error)),
    ] {
      let outcome = try directory.shell(
        Unprivileged.prefix + "\"$APNSIFT\" export -t raw -o \(out) dump.bin"
      ).exits(2)
      #expect(outcome.messages == [message.text])
    }
    #expect(try directory.names(in: "out") == [] && !directory.exists("new"))
  }

  @Test(
    "an output that is a file, or standard output", arguments: ["dump.bin", "/dev/null", "-", "none/out"])
  func noDirectory(_ out: String) throws {
    let outcome = try directory.apnsift("export -t raw --force -o \(out) dump.bin".words).exits(2)
    #expect(outcome.output == [])
    #expect(try directory.bytes(of: "dump.bin") == feedback(tuples(3)))
    #expect(try directory.names == ["dump.bin"])
  }

  @Test(
    "a signal leaves neither files nor a new directory", arguments: [SIGINT, SIGTERM, SIGHUP], [true, false])
  func interrupted(_ number: Int32, isNew: Bool) throws {
    if !isNew { try directory.makeDirectory("out") }
    try directory.makePipe("input")
    let before = try directory.names
    let child = try directory.start(export + ["input"])
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try writer.write(feedback(tuples(3)))
    child.send(number)
    // The pipe is still open: no more bytes are needed to notice the signal.
    #expect(try child.wait() == .signal(number))
    #expect(try directory.names == before)
    if !isNew { #expect(try directory.names(in: "out") == []) }
    writer.close()
  }

  @Test("where one file cannot get its name, none gets it")
  func failedRename() throws {
    for name in ["out", "out/streams.json"] { try directory.makeDirectory(name) }
    let outcome = try directory.apnsift(export + ["--force", "dump.bin"]).exits(2)
    #expect(outcome.messages == [Message.outputNotWritten("out/streams.json", SystemError.text(EISDIR)).text])
    #expect(try directory.names(in: "out") == ["streams.json"])
    #expect(try directory.names(in: "out/streams.json") == [])
  }

  @Test("a directory that was made for an output that fails is removed")
  func failedOutput() throws {
    try directory.write("precious\n", to: "sums.txt")
    try directory.apnsift(export + ["--checksums", "sums.txt", "dump.bin"]).exits(2)
    #expect(try directory.names == ["dump.bin", "sums.txt"])
  }

  @Test("an input that fails does not keep the others from the directory")
  func missingInput() throws {
    try directory.apnsift(export + ["missing.pcap", "dump.bin"]).exits(2)
    try expectSound()
    #expect(try catalogue().map { $0["source"] as? String } == ["dump.bin"])
  }
}
