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
    let replay = "replay disk.img --from carve --store sqlite:tokens.sqlite".words
    for (options, dead) in [([], []), (["--include-flagged"], tokens)] {
      try directory.apnsift(replay + options).exits(0)
      let stored = try directory.storedTokens().filter { $0.invalidatedAt != nil }
      #expect(stored.map(\.token) == dead)
    }
  }

  @Test("carve writes where and how each tuple was found, and how likely it is one")
  func command() throws {
    var generator = SeededGenerator(seed: 8)
    var planted = PlantedBytes()
    planted.append(try directory.bytes(of: "/bin/sh"))
    for form in [PlantedBytes.Form.binary, .hex, .base64, .quotedPrintable] {
      planted.plant(PlantedBytes.tuples(4, &generator), as: form, &generator)
      planted.append([0])
    }
    try directory.write(planted.bytes, to: "disk.img")
    let outcome = try directory.apnsift("carve", "disk.img")
    let columns =
      "source,stream,offset,file_offset,form,chain,chain_length,confidence,time,token,flags,fs_path,fs_inode,"
      + "fs_state"
    let expected = planted.rows.enumerated().map { number, row in
      let (chain, index) = number.quotientAndRemainder(dividingBy: 4)
      return [
        "disk.img,\(chain),\(38 * index),\(row.fileOffset),\(row.form.rawValue),\(chain),4",
        row.isLast ? "likely" : "certain",
        ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(row.time))), row.tokenText,
        row.isLast ? "carved;unconfirmed-boundary" : "carved", "", "", "",
      ].joined(separator: ",")
    }
    #expect(outcome.lines == [columns] + expected)
    let piped = try directory.apnsift(
      "export --from carve - --columns \(columns)".words, input: .file("disk.img"))
    #expect(piped.text == outcome.text.replacing("disk.img,", with: "-,"))
    #expect(
      outcome.said(
        "carved tuples: certain 12, likely 4; found as binary 4, hex 4, base64 4, quoted-printable 4"))
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
    let sent = try directory.bytes(of: Repository.path(of: "samples/corpus/requests/\(name)/input.bin"))
    let bytes = generator.bytes(5000) + sent + generator.bytes(5000)
    for (kind, count) in [("feedback", 0), ("requests", 8)] {
      let rows = try carvedColumns("file_offset,token", bytes, "--records", kind)
      #expect(rows.count == count, "\(rows)")
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
    planted.append(sent.flatMap(\.bytes) + refusal(8, 2))
    planted.fill(500, &generator)
    let second = planted.bytes.count
    // Its payload is before its token, as few clients write it.
    var unusual = Push(2, 9, token: tokens[2], payload: "{\"acme\":[1,2],\"aps\":{}}")
    unusual.items = [2, 1, 3, 5]
    // A response that names no request of the run.
    planted.append(unusual.bytes + refusal(8, 7))
    planted.fill(500, &generator)
    // Its payload is no JSON.
    planted.append(Push(0, nil, token: tokens[3], payload: "{x}").bytes)
    planted.fill(100, &generator)
    let length = sent[0].bytes.count
    #expect(
      try carvedColumns("file_offset,outcome,token,flags", planted.bytes, "--records", "requests") == [
        "\(first),accepted,\(hex(tokens[0])),carved", "\(first + length),rejected,\(hex(tokens[1])),carved",
        "\(second),unknown,\(hex(tokens[2])),carved",
      ])
    #expect(
      try carvedColumns("file_offset,status,identifier,flags", planted.bytes, "--records", "responses")
        == ["\(first + 2 * length),8,2,carved"])
  }

  @Test(
    "packets are reassembled, also without the capture's header",
    arguments: [FrameWriter.Link.ethernet, .raw])
  func packets(_ link: FrameWriter.Link) throws {
    var generator = SeededGenerator(seed: 11)
    let sent = (0..<60).flatMap { _ in Tuples.of(generator.bytes(32), time: 1_400_000_000) }
    let file = PcapWriter().file(FrameWriter(link).packets(Conversation(serverSends: sent).segments()))
    try directory.write(file, to: "whole.pcap")
    let columns = "offset,captured_at,timestamp,token"
    let expected = try directory.apnsift("export", "whole.pcap", "--columns", columns).lines
    #expect(expected.count == 61)
    var planted = PlantedBytes()
    planted.fill(1001, &generator)
    planted.append(file.dropFirst(24))
    planted.fill(100, &generator)
    let found = try carvedColumns(columns + ",form,flags", planted.bytes)
    #expect(found == expected.dropFirst().map { $0 + ",packet,carved" })
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
    let columns = "captured_at,timestamp,token"
    let expected = try directory.apnsift("export", "whole.pcapng", "--columns", columns).lines.dropFirst()
    #expect(expected.count == 3)
    #expect(try carvedColumns(columns, Array(file[firstPacket...])) == Array(expected))
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
    let outcome = try directory.apnsift("export evidence --columns token,flags".words).exits(
      0,
      saying: "evidence/mail.eml: warning: no known format: searched for records, as with --from carve. "
        + "Use --from raw if it is a dump")
    #expect(outcome.lines.count == 6)
    #expect(outcome.said(.about("evidence/todo.txt", .skipped(.unknownFormat))))
    // Named, the mail is searched, too; --from raw reads it as a dump.
    #expect(try directory.apnsift("export", "evidence/mail.eml").lines.count == 6)
    #expect(try directory.apnsift("export evidence/mail.eml --from raw".words).lines.count == 1)
  }

  private static let digests: [String] = {
    var generator = SeededGenerator(seed: 13)
    return (0..<50).map { _ in hex(generator.bytes(32)) }
  }()
  private static let checksums = digests.map { "\($0)  dumps/\($0.prefix(4)).bin\n" }.joined()

  static let textLists: [(name: String, text: String, kind: Message)] = [
    ("tokens.txt", digests.joined(separator: "\n"), "a list of tokens without times"),
    ("tokens.csv", digests.map { "\"\($0)\",\r\n" }.joined(), "a list of tokens without times"),
    ("list.sha256", checksums, "a list of checksums"),
    ("marked.sha256", "\u{FEFF}" + checksums, "a list of checksums"),
    ("list.md5", digests.map { "MD5 (a b.bin) = \($0.prefix(32))\n" }.joined(), "a list of checksums"),
  ]

  @Test("lists of tokens and of checksums are no dumps, and no errors", arguments: textLists)
  func lists(_ name: String, _ text: String, _ kind: Message) throws {
    try directory.write(text, to: "lists/\(name)")
    let message = Message.about("lists/\(name)", .skipped(kind))
    try directory.apnsift("export", "lists/\(name)").exits(0, saying: message)
    #expect(try directory.apnsift("export", "lists").said(message))
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
    (head[1048], head[1100]) = (2, 1)
    var planted = PlantedBytes()
    planted.append(head)
    planted.fill(5000, &generator)
    planted.plant(PlantedBytes.tuples(6, &generator), as: .binary, &generator)
    planted.fill(200_000, &generator)
    try directory.write(planted.bytes, to: "disk.img")
    let outcome = try directory.apnsift("export disk.img --columns file_offset".words)
    #expect(outcome.lines.dropFirst().map { Int($0) } == planted.rows.map(\.fileOffset))
    #expect(
      outcome.said(
        "disk.img: an image of a file system (ext): records were searched in it, as with --from carve; files "
          + "in it that are compressed or encrypted were not searched inside"))
  }

}
