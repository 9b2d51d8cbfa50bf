import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import TestSupport
import Testing
import Wording

/// `--from carve`: tuples planted in bytes that have none. The expected rows are what was planted.
@Suite("Carving of tuples")
struct CarveTests {
  private let directory = TestDirectory()

  @Test("coincidences are left out")
  func negatives() throws {
    var generator = SeededGenerator(seed: 6)
    var planted = PlantedBytes()
    // Pairs, times before the service, tables with a stride of 38, and tokens in text.
    for _ in 0..<50 {
      planted.fill(generator.pick(38...200), &generator)
      planted.plant(PlantedBytes.tuples(2, &generator), as: .binary, &generator)
      planted.fill(38, &generator)
      for _ in 0..<9 { planted.append(Tuples.of(generator.bytes(32), time: 1_000_000_000)) }
      planted.fill(38, &generator)
      for row in 0..<20 { planted.append(Tuples.one(fill: UInt8(row))) }
      planted.append(Array("token \(hex(generator.bytes(32)))\n".utf8))
    }
    planted.fill(38, &generator)
    #expect(try carvedColumns("offset", planted.bytes) == [])
    #expect(try carvedColumns("offset", planted.bytes, "--min-chain", "2").count == 100)
  }

  @Test("carved records are replayed only on request")
  func replay() throws {
    var generator = SeededGenerator(seed: 7)
    var planted = PlantedBytes()
    planted.fill(100, &generator)
    planted.plant(PlantedBytes.tuples(5, &generator), as: .binary, &generator)
    try directory.write(planted.bytes, to: "disk.img")
    let tokens = planted.rows.map(\.token).sorted { hex($0) < hex($1) }
    try directory.makeStore(tokens.map { StoredToken(token: $0, registeredAt: 1_300_000_000) })
    let replay = ["replay", "disk.img", "--from", "carve", "--store", "sqlite:tokens.sqlite"]
    for (options, dead) in [([], []), (["--include-flagged"], tokens)] {
      #expect(try directory.apnsift(replay + options).code == 0)
      let stored = try directory.storedTokens().filter { $0.invalidatedAt != nil }
      #expect(stored.map(\.token) == dead)
    }
  }

  // MARK: - The command, other forms, and other files

  @Test("carve writes where and how each tuple was found, and how likely it is one")
  func command() throws {
    var generator = SeededGenerator(seed: 8)
    var planted = PlantedBytes()
    planted.append(try Descriptor(opening: "/bin/sh", O_RDONLY).readAll())
    for form in [PlantedBytes.Form.binary, .hex, .base64, .quotedPrintable] {
      planted.plant(PlantedBytes.tuples(4, &generator), as: form, &generator)
      planted.append([0])
    }
    try directory.write(planted.bytes, to: "disk.img")
    let outcome = try directory.apnsift("carve", "disk.img")
    let lines = outcome.lines
    #expect(
      lines.first
        == "source,stream,offset,file_offset,form,chain,chain_length,confidence,time,token,flags,"
        + "fs_path,fs_inode,fs_state")
    let expected = planted.rows.enumerated().map { number, row in
      let (chain, index) = number.quotientAndRemainder(dividingBy: 4)
      return [
        "disk.img,\(chain),\(38 * index),\(row.fileOffset),\(row.form.rawValue),\(chain),4",
        row.isLast ? "likely" : "certain",
        ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(row.time))), row.tokenText,
        row.isLast ? "carved;unconfirmed-boundary" : "carved", "", "", "",
      ].joined(separator: ",")
    }
    #expect(Array(lines.dropFirst()) == expected)
    let piped = try directory.apnsift(
      ["export", "--from", "carve", "-", "--columns", lines[0]], input: .file("disk.img"))
    #expect(piped.text == outcome.text.replacing("disk.img,", with: "-,"))
    #expect(
      outcome.errors.contains(
        "carved tuples: certain 12, likely 4; found as binary 4, hex 4, base64 4, quoted-printable 4"))
    // The other formats have the same members.
    let json = try directory.apnsift("carve", "disk.img", "-t", "ndjson", "--records", "feedback").text
    #expect(json.split(separator: "\n").count { $0.contains("\"confidence\":\"certain\"") } == 12)
    let raw = try directory.apnsift(
      ["export", "-", "-t", "ndjson"], input: .bytes(Tuples.one(fill: 1) + Tuples.one(fill: 2)))
    #expect(!raw.text.contains("confidence"))
  }

  @Test("pairs are likely or doubtful, single tuples doubtful")
  func confidences() throws {
    var generator = SeededGenerator(seed: 9)
    var planted = PlantedBytes()
    for count in [1, 2, 3] {
      planted.fill(100, &generator)
      planted.plant(PlantedBytes.tuples(count, &generator), as: .binary, &generator)
    }
    planted.fill(100, &generator)
    let rows = try carvedColumns("chain_length,confidence", planted.bytes, "--min-chain", "1")
    #expect(rows == ["1,doubtful", "2,likely", "2,doubtful", "3,certain", "3,certain", "3,likely"])
  }

  private func carvedColumns(_ columns: String, _ bytes: [UInt8], _ options: String...) throws -> [String] {
    try directory.write(bytes, to: "disk.img")
    let outcome = try directory.apnsift(["carve", "disk.img", "--columns", columns] + options)
    return Array(outcome.lines.dropFirst())
  }

  @Test(
    "requests with one payload are no tuples", arguments: ["one-alert-to-all", "expiry-before-the-token"])
  func equalPayloads(_ name: String) throws {
    var generator = SeededGenerator(seed: 9)
    let input = Repository.path(of: "samples/corpus/requests/\(name)/input.bin")
    let sent = try Descriptor(opening: input, O_RDONLY).readAll()
    try directory.write(generator.bytes(5000) + sent + generator.bytes(5000), to: "disk.img")
    for (kind, count) in [("feedback", 0), ("requests", 8)] {
      let rows = try directory.apnsift(
        "carve", "disk.img", "--records", kind, "--columns", "file_offset,token")
      #expect(rows.lines.count == 1 + count, "\(rows.text)")
    }
  }

  @Test("requests are found in order, with the response that follows them and names one")
  func requests() throws {
    var generator = SeededGenerator(seed: 10)
    let tokens = (0..<4).map { _ in generator.bytes(32) }
    var planted = PlantedBytes()
    planted.fill(777, &generator)
    let first = planted.bytes.count
    let sent = [Push(1, 1, token: tokens[0]), Push(1, 2, token: tokens[1])]
    planted.append(sent.flatMap(\.bytes))
    planted.append([8, 8, 0, 0, 0, 2])
    planted.fill(500, &generator)
    let second = planted.bytes.count
    // Its payload is before its token, as few clients write it.
    var unusual = Push(2, 9, token: tokens[2], payload: "{\"acme\":[1,2],\"aps\":{}}")
    unusual.items = [2, 1, 3, 5]
    planted.append(unusual.bytes)
    // A response that names no request of the run.
    planted.append([8, 8, 0, 0, 0, 7])
    planted.fill(500, &generator)
    // Its payload is no JSON.
    planted.append(Push(0, nil, token: tokens[3], payload: "{x}").bytes)
    planted.fill(100, &generator)
    try directory.write(planted.bytes, to: "disk.img")
    func rows(_ kind: String, _ columns: String) throws -> [String] {
      let outcome = try directory.apnsift("carve", "disk.img", "--records", kind, "--columns", columns)
      return Array(outcome.lines.dropFirst())
    }
    let length = sent[0].bytes.count
    #expect(
      try rows("requests", "file_offset,outcome,token,flags") == [
        "\(first),accepted,\(hex(tokens[0])),carved", "\(first + length),rejected,\(hex(tokens[1])),carved",
        "\(second),unknown,\(hex(tokens[2])),carved",
      ])
    #expect(
      try rows("responses", "file_offset,status,identifier,flags") == ["\(first + 2 * length),8,2,carved"])
  }

  @Test(
    "packets are reassembled, also without the capture's header",
    arguments: [FrameWriter.Link.ethernet, .raw])
  func packets(_ link: FrameWriter.Link) throws {
    var generator = SeededGenerator(seed: 11)
    let sent = (0..<60).map { _ in Tuples.of(generator.bytes(32), time: 1_400_000_000) }
    let conversation = Conversation(serverSends: sent.flatMap { $0 })
    let file = PcapWriter().file(FrameWriter(link).packets(conversation.segments()))
    try directory.write(file, to: "whole.pcap")
    let columns = "offset,captured_at,timestamp,token"
    let expected = try directory.apnsift("export", "whole.pcap", "--columns", columns).text
    #expect(expected.split(separator: "\n").count == 61)
    var planted = PlantedBytes()
    planted.fill(1001, &generator)
    planted.append(file.dropFirst(24))
    planted.fill(100, &generator)
    try directory.write(planted.bytes, to: "disk.img")
    let found = try directory.apnsift("carve", "disk.img", "--columns", columns + ",form,flags").text
    #expect(found.replacing(",packet,carved", with: "").replacing(",form,flags", with: "") == expected)
  }

  @Test("any time of a pcapng packet is read, as in a capture", arguments: [0, 1, 1 << 63, UInt64.max])
  func packetTimes(_ time: UInt64) throws {
    var generator = SeededGenerator(seed: 13)
    let sent = (0..<3).flatMap { _ in Tuples.of(generator.bytes(32), time: 1_400_000_000) }
    var file = PcapngWriter().file(FrameWriter().packets(Conversation(serverSends: sent).segments()))
    func field(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }
    var (block, firstPacket) = (0, file.count)
    while block < file.count {
      // The upper half of an enhanced packet's time comes first.
      if field(block) == 6 {
        firstPacket = min(firstPacket, block)
        for index in 0..<8 {
          file[block + 12 + index] = UInt8(truncatingIfNeeded: time >> UInt64(8 * (index ^ 4)))
        }
      }
      block += field(block + 4)
    }
    try directory.write(file, to: "whole.pcapng")
    try directory.write(file[firstPacket...], to: "disk.img")
    let columns = ["--columns", "captured_at,timestamp,token"]
    let expected = try directory.apnsift(["export", "whole.pcapng"] + columns).text
    #expect(expected.split(separator: "\n").count == 4)
    #expect(try directory.apnsift(["carve", "disk.img"] + columns).text == expected)
  }

  @Test("an unknown file of a directory is searched; with nothing in it, it is skipped as before")
  func directories() throws {
    var generator = SeededGenerator(seed: 12)
    var mail = PlantedBytes()
    mail.append(Array("From: a@example.com\nSubject: dead tokens\n\n".utf8))
    mail.plant(PlantedBytes.tuples(5, &generator), as: .base64, &generator)
    mail.append(Array("\n\nRegards\n".utf8))
    try directory.write(mail.bytes, to: "evidence/mail.eml")
    try directory.write("This is a list of things to do.\n", to: "evidence/todo.txt")
    let outcome = try directory.apnsift("export", "evidence", "--columns", "token,flags").exits(0)
    #expect(outcome.lines.count == 6)
    #expect(
      outcome.errors.contains(
        "evidence/mail.eml: warning: no known format: searched for records, as with --from carve. "
          + "Use --from raw if it is a dump"))
    #expect(outcome.errors.contains(Message.about("evidence/todo.txt", .skipped(.unknownFormat)).text))
    // Named, the mail is searched, too; --from raw reads it as a dump.
    #expect(try directory.apnsift("export", "evidence/mail.eml").lines.count == 6)
    #expect(
      try directory.apnsift("export", "evidence/mail.eml", "--from", "raw").lines.count
        == 1)
  }

  @Test("lists of tokens and of checksums are no dumps, and no errors", arguments: [true, false])
  func lists(_ isNamed: Bool) throws {
    var generator = SeededGenerator(seed: 13)
    let digests = (0..<50).map { _ in hex(generator.bytes(32)) }
    let files: [(name: String, text: String, kind: Message)] = [
      ("tokens.txt", digests.joined(separator: "\n"), "a list of tokens without times"),
      ("tokens.csv", digests.map { "\"\($0)\",\r\n" }.joined(), "a list of tokens without times"),
      ("list.sha256", digests.map { "\($0)  dumps/\($0.prefix(4)).bin\n" }.joined(), "a list of checksums"),
      (
        "marked.sha256", "\u{FEFF}" + digests.map { "\($0)  dumps/\($0.prefix(4)).bin\n" }.joined(),
        "a list of checksums"
      ),
      ("list.md5", digests.map { "MD5 (a b.bin) = \($0.prefix(32))\n" }.joined(), "a list of checksums"),
    ]
    for file in files { try directory.write(file.text, to: "lists/\(file.name)") }
    for file in files {
      let outcome = try directory.apnsift("export", isNamed ? "lists/\(file.name)" : "lists")
      #expect(outcome.errors.contains(Message.about("lists/\(file.name)", .skipped(file.kind)).text))
      if isNamed { #expect(outcome.code == 0) }
    }
  }

  @Test("a dump in hex with lines of 32 bytes is no list of tokens")
  func hexOfOneTokenALine() throws {
    let digits = hex(feedback(CommandTestSupport.tuples(32)))
    try directory.write(digits.matches(of: /.{64}/).map { $0.output + "\n" }.joined(), to: "dump.txt")
    #expect(try directory.apnsift("export", "dump.txt").lines.count == 33)
  }

  @Test("an image of a file system is searched without --from")
  func image() throws {
    var generator = SeededGenerator(seed: 15)
    // The superblock of ext4 at 1024: magic number at 56, block size at 24, revision at 76.
    var head = [UInt8](repeating: 0, count: 4096)
    head.replaceSubrange(1080..<1082, with: [0x53, 0xef])
    head[1048] = 2
    head[1100] = 1
    var planted = PlantedBytes()
    planted.append(head)
    planted.fill(5000, &generator)
    planted.plant(PlantedBytes.tuples(6, &generator), as: .binary, &generator)
    planted.fill(200_000, &generator)
    try directory.write(planted.bytes, to: "disk.img")
    let outcome = try directory.apnsift("export", "disk.img", "--columns", "file_offset")
    #expect(outcome.lines.dropFirst().map { Int($0) } == planted.rows.map(\.fileOffset))
    #expect(
      outcome.errors.contains(
        "disk.img: an image of a file system (ext): records were searched in it, as with --from carve; files "
          + "in it that are compressed or encrypted were not searched inside"))
  }

}
