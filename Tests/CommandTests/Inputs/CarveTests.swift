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
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// Bytes with planted chains, and the rows that carving must write.
  private struct Blob {
    var bytes: [UInt8] = []
    var rows: [String] = []
    private var chains = 0

    /// Noise in which nothing is a tuple: no byte is 32.
    mutating func fill(_ count: Int, _ generator: inout SeededGenerator) {
      bytes += generator.bytes(count).map { $0 == 32 ? 33 : $0 }
    }

    mutating func plant(_ tuples: [[UInt8]]) {
      for (number, tuple) in tuples.enumerated() {
        let token = tuple.dropFirst(6).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        let flags = number == tuples.count - 1 ? "carved;unconfirmed-boundary" : "carved"
        rows.append("\(chains),\(38 * number),\(bytes.count),\(token),\(flags)")
        bytes += tuple
      }
      chains += 1
    }
  }

  private func tuples(_ count: Int, _ generator: inout SeededGenerator) -> [[UInt8]] {
    (0..<count).map { _ in
      Tuples.of(generator.bytes(32), time: UInt32(generator.pick(1_300_000_000...1_600_000_000)))
    }
  }

  private func carved(_ bytes: [UInt8], _ options: String..., isPiped: Bool = false) throws -> [String] {
    let columns = ["--columns", "stream,offset,file_offset,token,flags"]
    let outcome: Outcome
    if isPiped {
      outcome = try directory.apnsift(
        ["export", "--from", "carve", "-"] + columns + options, input: .bytes(bytes))
    } else {
      try directory.write(bytes, to: "disk.img")
      outcome = try directory.apnsift(["export", "--from", "carve", "disk.img"] + columns + options)
    }
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome.text.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("chains of all lengths, at any distance, are found whole", arguments: [1, 2, 3])
  func plants(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var blob = Blob()
    for _ in 0..<300 {
      blob.fill(generator.pick(1...3000), &generator)
      blob.plant(tuples(generator.pick(3...40), &generator))
    }
    blob.fill(500, &generator)
    #expect(try carved(blob.bytes) == blob.rows)
    #expect(try carved(blob.bytes, isPiped: true) == blob.rows)
  }

  @Test("the blocks of reading do not matter")
  func blocks() throws {
    var generator = SeededGenerator(seed: 4)
    for distance in stride(from: 0, through: 160, by: 1) {
      var blob = Blob()
      blob.fill((256 << 10) - distance, &generator)
      blob.plant(tuples(3, &generator))
      blob.fill(distance % 7, &generator)
      #expect(try carved(blob.bytes) == blob.rows, "\(distance) bytes before the end of the first block")
    }
  }

  @Test("a chain over many blocks is one stream")
  func longChain() throws {
    var generator = SeededGenerator(seed: 5)
    var blob = Blob()
    blob.fill(12_345, &generator)
    blob.plant(tuples(30_000, &generator))
    #expect(try carved(blob.bytes) == blob.rows)
  }

  @Test("coincidences are left out")
  func negatives() throws {
    var generator = SeededGenerator(seed: 6)
    var blob = Blob()
    // Pairs, times before the service, tables with a stride of 38, and tokens in text.
    for _ in 0..<50 {
      blob.fill(generator.pick(38...200), &generator)
      for tuple in tuples(2, &generator) { blob.bytes += tuple }
      blob.fill(38, &generator)
      for _ in 0..<9 { blob.bytes += Tuples.of(generator.bytes(32), time: 1_000_000_000) }
      blob.fill(38, &generator)
      for row in 0..<20 {
        blob.bytes += Tuples.of([UInt8](repeating: UInt8(row), count: 32), time: 1_400_000_000)
      }
      let digits = generator.bytes(32).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
      blob.bytes += Array("token \(digits)\n".utf8)
    }
    blob.fill(38, &generator)
    #expect(try carved(blob.bytes) == [])
    #expect(try carved(blob.bytes, "--min-chain", "2").count == 100)
  }

  @Test("carved records are replayed only on request")
  func replay() throws {
    var generator = SeededGenerator(seed: 7)
    var blob = Blob()
    blob.fill(100, &generator)
    let planted = tuples(5, &generator)
    blob.plant(planted)
    try directory.write(blob.bytes, to: "disk.img")
    let tokens = planted.map { $0.dropFirst(6).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() }
    let registered = "token,registered_at\n" + tokens.map { "\($0),1300000000\n" }.joined()
    try directory.write(Array(registered.utf8), to: "devices.csv")
    let store = ["--store", "sqlite:tokens.sqlite"]
    #expect(try directory.apnsift(["store", "import", "devices.csv", "--create"] + store).code == 0)
    let replay = ["replay", "disk.img", "--from", "carve"] + store
    let invalid = ["store", "list", "--dead"] + store
    #expect(try directory.apnsift(replay).code == 0)
    #expect(try directory.apnsift(invalid).text.split(separator: "\n").count == 1)
    #expect(try directory.apnsift(replay + ["--include-flagged"]).code == 0)
    let listed = try directory.apnsift(invalid).text
    #expect(tokens.allSatisfy { listed.contains($0) })
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
    let lines = outcome.text.split(separator: "\n").map(String.init)
    #expect(
      lines.first
        == "source,stream,offset,file_offset,form,chain,chain_length,confidence,time,token,flags")
    let expected = planted.rows.enumerated().map { number, row in
      let (chain, index) = number.quotientAndRemainder(dividingBy: 4)
      return [
        "disk.img,\(chain),\(38 * index),\(row.fileOffset),\(row.form.rawValue),\(chain),4",
        row.isLast ? "likely" : "certain",
        ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(row.time))), row.tokenText,
        row.isLast ? "carved;unconfirmed-boundary" : "carved",
      ].joined(separator: ",")
    }
    #expect(Array(lines.dropFirst()) == expected)
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
    return try directory.apnsift(["carve", "disk.img", "--columns", columns] + options).text
      .split(separator: "\n").dropFirst().map(String.init)
  }

  private func request(_ identifier: UInt8, _ token: [UInt8], _ text: String) -> [UInt8] {
    let payload = Array("{\"aps\":{\"alert\":\"\(text)\"}}".utf8)
    return [1, 0, 0, 0, identifier, 0x60, 0, 0, 0, 0, 32] + token + [0, UInt8(payload.count)] + payload
  }

  /// Command 2 with its payload before its token, as few clients write it.
  private func items(_ token: [UInt8], payload: [UInt8]) -> [UInt8] {
    let items =
      [2, 0, UInt8(payload.count)] + payload + [1, 0, 32] + token + [3, 0, 4, 0, 0, 0, 9, 5, 0, 1, 10]
    return [2, 0, 0, 0, UInt8(items.count)] + items
  }

  @Test("requests are found in order, with the response that follows them and names one")
  func requests() throws {
    var generator = SeededGenerator(seed: 10)
    let tokens = (0..<4).map { _ in generator.bytes(32) }
    var planted = PlantedBytes()
    planted.fill(777, &generator)
    let first = planted.bytes.count
    planted.append(request(1, tokens[0], "a") + request(2, tokens[1], "b"))
    planted.append([8, 8, 0, 0, 0, 2])
    planted.fill(500, &generator)
    let second = planted.bytes.count
    planted.append(items(tokens[2], payload: Array("{\"acme\":[1,2],\"aps\":{}}".utf8)))
    // A response that names no request of the run.
    planted.append([8, 8, 0, 0, 0, 7])
    planted.fill(500, &generator)
    // Its payload is no JSON.
    planted.append([0, 0, 32] + tokens[3] + [0, 3] + Array("{x}".utf8))
    planted.fill(100, &generator)
    try directory.write(planted.bytes, to: "disk.img")
    func rows(_ kind: String, _ columns: String) throws -> [String] {
      try directory.apnsift("carve", "disk.img", "--records", kind, "--columns", columns).text
        .split(separator: "\n").dropFirst().map(String.init)
    }
    let length = request(1, tokens[0], "a").count
    #expect(
      try rows("requests", "file_offset,outcome,token,flags") == [
        "\(first),accepted,\(text(tokens[0])),carved", "\(first + length),rejected,\(text(tokens[1])),carved",
        "\(second),unknown,\(text(tokens[2])),carved",
      ])
    #expect(
      try rows("responses", "file_offset,status,identifier,flags") == ["\(first + 2 * length),8,2,carved"])
  }

  private func text(_ token: [UInt8]) -> String {
    token.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
  }

  @Test("packets are reassembled, also without the capture's header", arguments: [LinkLayer.ethernet, .raw])
  func packets(_ link: LinkLayer) throws {
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
    let outcome = try directory.apnsift("export", "evidence", "--columns", "token,flags")
    #expect(outcome.code == 0)
    #expect(outcome.text.split(separator: "\n").count == 6)
    #expect(outcome.errors.contains(Message.about("evidence/mail.eml", .warning(.carvedInstead)).text))
    #expect(outcome.errors.contains(Message.about("evidence/todo.txt", .skipped(.unknownFormat)).text))
    // Named, the mail is searched, too; --from raw reads it as a dump.
    #expect(try directory.apnsift("export", "evidence/mail.eml").text.split(separator: "\n").count == 6)
    #expect(
      try directory.apnsift("export", "evidence/mail.eml", "--from", "raw").text.split(separator: "\n").count
        == 1)
  }

  @Test("lists of tokens and of checksums are no dumps, and no errors", arguments: [true, false])
  func lists(_ isNamed: Bool) throws {
    var generator = SeededGenerator(seed: 13)
    let digests = (0..<50).map { _ in text(generator.bytes(32)) }
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
    var generator = SeededGenerator(seed: 14)
    let digits = text((0..<32).flatMap { _ in Tuples.of(generator.bytes(32)) })
    let lines = stride(from: 0, to: digits.count, by: 64).map { start in
      digits.dropFirst(start).prefix(64) + "\n"
    }
    try directory.write(lines.joined(), to: "dump.txt")
    #expect(try directory.apnsift("export", "dump.txt").text.split(separator: "\n").count == 33)
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
    #expect(outcome.text.split(separator: "\n").dropFirst().map { Int($0) } == planted.rows.map(\.fileOffset))
    #expect(outcome.errors.contains(Message.about("disk.img", .carvedImage(.fileSystem("ext"))).text))
  }

  @Test("carve takes no other format")
  func otherFormat() throws {
    try directory.write(Tuples.one(), to: "a.bin")
    let outcome = try directory.apnsift("carve", "a.bin", "--from", "hex")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("carve takes no other --from: use export --from FORMAT"))
  }
}
