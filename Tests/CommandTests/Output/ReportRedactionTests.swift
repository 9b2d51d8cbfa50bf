import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing

/// `report --redact`: the page contains no part of a token.
@Suite("Redacted report") struct ReportRedactionTests {
  private let directory = TestDirectory(["key.txt": Self.key.utf8, "two.bin": feedback(tuples(2))])
  private static let key = "0123456789abcdef0123456789abcdef"

  private func redacted(_ arguments: [String], code: Int32 = 0) throws -> Page {
    try directory.report(arguments + ["--redact", "key.txt"], code: code)
  }

  /// Fails if four bytes of a token are in the page as hex digits, in any case, with any punctuation or tags between.
  private func expectNothing(of tokens: [[UInt8]], in page: Page, _ comment: String) {
    var windows: Set<[UInt8]> = []
    for token in tokens {
      let digits = Array(hex(token).utf8)
      for start in stride(from: 0, to: digits.count - 7, by: 2) {
        windows.insert(Array(digits[start..<start + 8]))
      }
    }
    var found: [String] = []
    for run in page.digitRuns(atLeast: 8) {
      for start in 0...run.count - 8 where windows.contains(Array(run[start..<start + 8])) {
        found.append(String(decoding: run[start..<start + 8], as: UTF8.self))
      }
    }
    #expect(found == [], "\(comment)")
  }

  /// `bytes` with random deletions, changes and insertions.
  private func damage(_ bytes: [UInt8], _ generator: inout FixedGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let index = Int.random(in: 0..<bytes.count - 60, using: &generator)
      switch Int.random(in: 0...2, using: &generator) {
      case 0: bytes.removeSubrange(index..<index + Int.random(in: 1...50, using: &generator))
      case 1: bytes[index] ^= 0xff
      default: bytes.insert(contentsOf: [0xee, 0xee, 0xee], at: index)
      }
    }
    return bytes.dropLast(Int.random(in: 0...20, using: &generator))
  }

  @Test("of random damaged dumps, as raw bytes, hex, hex dump and capture", arguments: 0..<6)
  func dumps(_ seed: Int) throws {
    var generator = FixedGenerator(seed: UInt64(9000 + seed))
    let sent = (0..<40).map { number -> Tuple in
      let length = number % 9 == 8 ? 54 : 32
      return Tuple(
        UInt32.random(in: 1_300_000_000...1_600_000_000, using: &generator),
        token(seed * 100 + number, length: length))
    }
    let dump = damage(feedback(sent), &generator)
    try directory.write(dump, to: "dump.bin")
    try directory.write(hex(dump).uppercased(), to: "dump.hex")
    try directory.write(hex(dump) + "zz", to: "cut.hex")
    try directory.write(try directory.tool("xxd", [directory.path(of: "dump.bin")]), to: "dump.xxd")
    let conversation = Conversation(serverSends: dump, in: [100, 3, 38])
    try directory.writeCapture(conversation.segments(), to: "dump.pcap")
    for name in ["dump.bin", "dump.hex", "dump.xxd", "dump.pcap"] {
      let options = ["--token-length", "32,54", "--max-places", "50"]
      expectNothing(of: sent.map(\.token), in: try redacted([name] + options), name)
      expectNothing(of: sent.map(\.token), in: try redacted([name]), "\(name), one length")
    }
    expectNothing(of: sent.map(\.token), in: try redacted(["cut.hex"], code: 2), "cut.hex")
    // Read with the wrong protocol.
    for other in ["requests", "responses"] {
      expectNothing(of: sent.map(\.token), in: try redacted(["dump.bin", "--protocol", other]), other)
    }
  }

  @Test("of requests, their payloads and errors") func gateway() throws {
    var damaged = enhancedRequests(9, payload: Array(#"{"aps":{"alert":"SECRET-WORDS"}}"#.utf8))
    damaged.removeSubrange(200..<230)
    try directory.write(damaged, to: "sent.bin")
    try directory.write(refusal(8, 6) + token(3), to: "got.bin")
    let page = try redacted("--requests sent.bin --responses got.bin --max-places 50".words)
    expectNothing(of: (0..<9).map { token($0) }, in: page, "gateway")
    #expect(!page.text.contains("SECRET") && !page.text.contains("alert"))
    #expect(page.section("gateway").contains("device-"))
  }

  @Test("of tokens that are text, in the text column of the hex dump") func readable() throws {
    let word = Array("THIS-IS-A-TOKEN-THAT-READS-WELL!".utf8)
    var bytes = feedback((0..<5).map { Tuple(1_400_000_000 + UInt32($0), word) })
    bytes.remove(at: 100)
    try directory.write(bytes, to: "dump.bin")
    let page = try redacted(["dump.bin"])
    for part in ["THIS", "TOKEN", "READ", "WELL"] { #expect(!page.text.contains(part), "\(part)") }
    #expect(try directory.report(["dump.bin"]).text.contains("TOKEN"))
  }

  @Test("of tokens in names, titles, remarks and --examiner, which are masked") func names() throws {
    let digits = hex(token(1))
    let spread = Self.grouped(digits.uppercased(), 8, " ")
    let name = "dump-\(digits)-of-2013-05-01.bin"
    let other = "dump-2013-05-01T09-30-00.bin"
    for name in [name, other] { try directory.write(feedback(tuples(2)), to: name) }
    let page = try redacted([
      name, "--title", "About \(digits)", "--notes", "It is <\(spread)>.", "--examiner",
      "\(digits.prefix(20))",
    ])
    expectNothing(of: [token(1)], in: page, "names")
    #expect(page.html.contains("<h1>About [masked]</h1>"))
    let plain = try redacted([other, "--title", "Case 2013-0042"])
    #expect(plain.html.contains(other) && plain.html.contains("<h1>Case 2013-0042</h1>"))
    // Only the page with masks says that it has some, after what every redacted page says.
    let (masked, unmasked) = (page.texts("p", "redaction"), plain.texts("p", "redaction"))
    #expect(masked.count == 1 && unmasked.count == 1)
    #expect((masked.first?.count ?? 0) > (unmasked.first?.count ?? 0))
  }

  /// Notations for the bytes of a token.
  static let spellings: [(name: String, text: @Sendable ([UInt8]) -> String)] = [
    ("hex", { hex($0) }), ("groups with two spaces", { grouped(hex($0), 8, "  ") }),
    ("groups with no-break spaces", { grouped(hex($0), 2, "\u{a0}") }),
    ("groups with zero-width spaces", { grouped(hex($0), 4, "\u{200b}") }),
    ("a path", { grouped(hex($0), 8, "/") }),
    ("an array", { $0.map { "0x" + hex([$0]) }.joined(separator: ", ") }),
    ("a string", { $0.map { "\\x" + hex([$0]).uppercased() }.joined() }),
    ("an address", { $0.map { "%" + hex([$0]) }.joined() }), ("lines of hex", { grouped(hex($0), 16, "\n") }),
    ("base64", { base64($0) }),
    ("base64 for addresses", { base64($0).map { ["+": "-", "/": "_"][$0] ?? "\($0)" }.joined() }),
    ("base64 in an address", { base64($0).map { ["+": "%2B", "/": "%2F"][$0] ?? "\($0)" }.joined() }),
    ("lines of base64", { grouped(base64($0), 16, "\r\n") }), ("base32", { base32($0) }),
    ("base32 in small letters", { base32($0).lowercased() }),
  ]

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// RFC 4648, section 6, without padding.
  private static func base32(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> UInt8($0) & 1 } }
    return String(
      stride(from: 0, to: bits.count, by: 5).map { start in
        let group = bits[start..<min(start + 5, bits.count)]
        return letters[Int(group.reduce(0) { $0 << 1 | $1 }) << (5 - group.count)]
      })
  }

  private static func grouped(_ text: String, _ count: Int, _ mark: String) -> String {
    let letters = Array(text)
    return stride(from: 0, to: letters.count, by: count).map {
      String(letters[$0..<min($0 + count, letters.count)])
    }.joined(separator: mark)
  }

  @Test("a token in remarks is masked in every notation", arguments: spellings.indices)
  func spelling(_ index: Int) throws {
    let (name, spell) = Self.spellings[index]
    for number in 0..<6 {
      let spelled = spell(token(number))
      try directory.write("The token is \(spelled) of her phone.", to: "note-\(number).txt")
      let note = try redacted(["two.bin", "--notes", "note-\(number).txt"]).text
      let parts = spelled.indices.dropLast(5).map { String(spelled[$0...].prefix(6)) }
      #expect(parts.filter(note.contains) == [], "\(name) of \(hex(token(number)))")
      #expect(note.contains("The token is ") && note.contains(" of her phone"), "\(name)")
    }
  }

  @Test(
    "ordinary text is not masked",
    arguments: [
      "Case 2013-0042, exhibit A-12/B, disk 3 of 4, J. Smith (DI), 12 May 2013",
      "/home/Anna/Case 12/evidence/2013-05-01/Feedback_Dump-Prod-0930.bin",
      "Feedback of PushServer01.example.com, 2013-05-01T09:30:00Z",
      "Found on the disk of the app server. Examined on copies. 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
    ])
  func plainWords(_ words: String) throws {
    #expect(try redacted(["two.bin", "--title", words]).html.contains("<h1>\(words)</h1>"))
  }

  @Test("a token has the same pseudonym in every report with the same key, for every input format")
  func pseudonyms() throws {
    try directory.write(feedback(tuples(3)), to: "a.bin")
    try directory.write(
      hex(feedback(tuples(3).reversed() + tuples(2, at: 1_500_000_000))).uppercased(), to: "b.hex")
    let first = try redacted(["a.bin"])
    let second = try redacted(["b.hex"])
    let names = Set(first.texts("span", "token", in: first.section("tokens")))
    #expect(names.count == 3 && names.allSatisfy { $0.wholeMatch(of: /device-[0-9a-f]{16}/) != nil })
    #expect(Set(second.texts("span", "token", in: second.section("tokens"))) == names)
    // HMAC-SHA-256 of the token's bytes, by another program.
    let digest = try directory.shell(
      "printf '%s' \(hex(token(0))) | xxd -r -p | openssl dgst -sha256 -hmac \(Self.key) | sed 's/.*= //'")
    #expect(names.contains("device-\(digest.text.prefix(16))"))
    try directory.write("another key of 16+", to: "key.txt")
    let third = try redacted(["a.bin"])
    #expect(names.isDisjoint(with: third.texts("span", "token", in: third.section("tokens"))))
  }

  @Test("only times and lengths of confirmed records are shown around a finding") func window() throws {
    var dump = feedback(tuples(10))
    dump.remove(at: 38 * 5 + 10)
    try directory.write(dump, to: "dump.bin")
    let page = try redacted(["dump.bin"])
    let shown = page.shownBytes(of: page.section("findings")).flatMap { cell in
      cell.bytes.enumerated().compactMap { $0.element == nil ? nil : cell.offset + $0.offset }
    }
    // Tuple 4 begins at 152; tuple 6, after the finding, is flagged, so its header may be wrong.
    #expect(shown == Array(152..<158))
  }

  @Test("the fingerprints are those of the original files") func fingerprints() throws {
    let (page, plain) = (try redacted(["two.bin"]), try directory.report(["two.bin"]))
    #expect(plain.section("examined") == page.section("examined"))
    #expect(page.texts("p", "redaction").count == 1 && plain.texts("p", "redaction") == [])
  }

  @Test(
    "an invalid key is refused before anything is written",
    arguments: [
      ("missing.txt", "cannot read the pseudonym key missing.txt: No such file or directory"),
      ("short.txt", "short.txt has 15 bytes, but a pseudonym key needs 16 or more"),
      ("two.bin", "two.bin is the key of --redact and an input"),
      (".", "cannot read the pseudonym key .: Is a directory"),
      ("/dev/zero", "/dev/zero is larger than 1048576 bytes"),
    ])
  func keys(_ name: String, _ message: Message) throws {
    try directory.write("123456789012345", to: "short.txt")
    let outcome = try directory.apnsift("report two.bin -o page.html --redact \(name)".words)
      .exits(2, saying: message)
    #expect(outcome.messages.count == 1 && !directory.exists("page.html"))
  }
}
