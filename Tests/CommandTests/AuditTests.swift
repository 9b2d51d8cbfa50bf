import CaptureWriting
import Foundation
import Testing

/// `audit`: what the faulty readers of readers.md make of the same bytes. Expected numbers are worked out by hand
/// from the faults that are described there.
@Suite("Faulty readers")
struct AuditTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  // MARK: - Support

  /// What is said of a reader: `records correct wrong missed outcome`, and the first difference's record.
  struct Reading: Equatable, CustomStringConvertible {
    var text: String
    var difference: Int?

    init(_ text: String, _ difference: Int?) {
      self.text = text
      self.difference = difference
    }

    init(_ row: Evidence.Object) throws {
      let counts = ["records", "correct", "wrong", "missed"].map { key in
        (row[key] as? Int).map { String($0) } ?? "-"
      }
      text = (counts + [try #require(row["outcome"] as? String)]).joined(separator: " ")
      difference = (row["first_difference"] as? Evidence.Object)?["record"] as? Int
    }

    var description: String { "\(text), \(difference.map { "record \($0)" } ?? "no difference")" }
  }

  private func rows(_ arguments: [String], code: Int32 = 0) throws -> [Evidence.Object] {
    let outcome = try directory.apnsift(["audit", "--json"] + arguments)
    #expect(outcome.code == code, "\(outcome.errors)")
    let document = try Evidence.object(outcome.text)
    #expect(document["schema"] as? String == "apnsift/1")
    return try #require(document["readers"] as? [Evidence.Object])
  }

  private func row(_ reader: String, _ arguments: [String]) throws -> Evidence.Object {
    try #require(try rows(arguments).first { $0["name"] as? String == reader })
  }

  private func difference(_ row: Evidence.Object) throws -> Evidence.Object {
    try #require(row["first_difference"] as? Evidence.Object)
  }

  /// A notification in the oldest format (protocol.md, command 0).
  private static let request: [UInt8] = [0, 0, 32] + token(1) + [0, 7] + Array(#"{"a":1}"#.utf8)
  /// Status 8, identifier 0x01020304.
  private static let error: [UInt8] = [8, 8, 1, 2, 3, 4]

  /// A gateway connection whose error comes in segments of `sizes`.
  private static func gateway(_ sizes: [Int]) -> Conversation {
    var conversation = Conversation([.init(.client, request), .init(.server, error)])
    conversation.server = .v4(20, port: 2195)
    conversation.segmentSizes = [1400] + sizes
    return conversation
  }

  private func writeCapture(_ segments: [Segment], _ name: String = "capture.pcap") throws {
    try directory.write(PcapWriter().file(FrameWriter().packets(segments)), to: name)
  }

  // MARK: - The faults

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var tuples: [Tuple]
    var options: [String]
    var readings: [String: Reading]

    init(_ name: String, _ tuples: [Tuple], _ options: [String], _ readings: [String: Reading]) {
      testDescription = name
      self.tuples = tuples
      self.options = options
      self.readings = readings
    }
  }

  private static let lastLong = tuples(2) + [Tuple(1_400_000_120, token(2, length: 54))]
  private static let late = [tuples(1)[0], Tuple(0x8000_0000, token(1))]

  static let cases: [Case] = [
    // A tuple of 38 bytes in reads of 20 and 18, or 20, 20, … over the borders: no read is a tuple.
    Case(
      "reads that end inside tuples", tuples(3), ["--chunk-size", "20"],
      [
        "cookbook": Reading("6 0 6 3 completed", 0), "java": Reading("6 0 6 3 completed", 0),
        "csharp": Reading("3 3 0 0 completed", nil),
        // The second record takes four token bytes for a time and 257 or more bytes for a token.
        "node": Reading("2 0 2 3 completed", 0),
      ]),
    Case(
      "reads of whole tuples", tuples(3), ["--chunk-size", "38"],
      [
        "cookbook": Reading("3 3 0 0 completed", nil), "java": Reading("3 3 0 0 completed", nil),
        "csharp": Reading("3 3 0 0 completed", nil), "node": Reading("2 0 2 3 completed", 0),
      ]),
    // 38 bytes of the last tuple's 60 are there when its length is read.
    Case(
      "a length above what is buffered", lastLong, ["--chunk-size", "114"],
      [
        "csharp": Reading("2 2 0 1 hangs", 2),
        "cookbook": Reading("4 2 2 1 completed", 2), "java": Reading("4 2 2 1 completed", 2),
      ]),
    Case(
      "a length above what is buffered, all at once", lastLong, [],
      ["csharp": Reading("3 3 0 0 completed", nil)]),
    Case(
      "a time of 2^31", late, [],
      [
        "cookbook": Reading("2 1 1 1 completed", 1), "java": Reading("2 1 1 1 completed", 1),
        "csharp": Reading("2 1 1 1 completed", 1),
      ]),
    // 16 bytes of token: the tuple is 22 bytes long, and 38 never come.
    Case(
      "a short last tuple", tuples(1) + [Tuple(1_400_000_060, token(1, length: 16))],
      ["--token-length", "16,32"], ["csharp": Reading("1 1 0 1 completed", 1)]),
    // The length's first byte is 1 and means 257 bytes either way.
    Case(
      "the one length that reads right twice", [Tuple(1_400_000_000, token(1, length: 257))],
      ["--token-length", "257"],
      ["node": Reading("1 1 0 0 completed", nil), "csharp": Reading("1 1 0 0 completed", nil)]),
    Case(
      "no bytes", [], [],
      [
        "cookbook": Reading("0 0 0 0 completed", nil), "csharp": Reading("0 0 0 0 completed", nil),
        "node": Reading("0 0 0 0 completed", nil), "java": Reading("0 0 0 0 completed", nil),
      ]),
  ]

  @Test("each fault shows", arguments: cases)
  func faults(_ one: Case) throws {
    try directory.write(feedback(one.tuples), to: "dump.bin")
    let rows = try rows(["--protocol", "feedback", "dump.bin"] + one.options)
    #expect(rows.compactMap { $0["name"] as? String } == ["cookbook", "csharp", "node", "java"])
    for row in rows {
      let name = try #require(row["name"] as? String)
      if let expected = one.readings[name] { #expect(try Reading(row) == expected, "\(name)") }
      #expect(row["source"] as? String == "dump.bin")
      #expect(row["stream"] as? Int == 0)
      #expect(row.keys.contains("chunk_size") == false)
    }
  }

  @Test("the first difference has both records and a reason")
  func firstDifference() throws {
    try directory.write(feedback(Self.late), to: "late.bin")
    let late = try difference(row("csharp", ["late.bin"]))
    #expect(late["expected"] as? String == "2147483648,\(hex(token(1)))")
    #expect(late["emitted"] as? String == "-2147483648,\(hex(token(1)))")
    #expect((late["reason"] as? String)?.contains("signed") == true)

    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let twice = try difference(row("node", ["dump.bin"]))
    #expect(twice["emitted"] as? String == "1400000000,")
    #expect((twice["reason"] as? String)?.contains("0x0020 at offset 4 was read as 0") == true)
    let stale = try difference(row("cookbook", ["dump.bin", "--chunk-sizes", sizes([38, 20, 18])]))
    #expect(stale["record"] as? Int == 1)
    #expect(
      stale["emitted"] as? String == "1400000060,\(hex(token(1).prefix(14) + token(0).suffix(18)))")

    try directory.write(feedback(Self.lastLong), to: "long.bin")
    let hangs = try difference(row("csharp", ["long.bin", "--chunk-size", "114"]))
    #expect(hangs["emitted"] is Null)
    #expect(hangs["expected"] as? String == "1400000120,\(hex(token(2, length: 54)))")
  }

  private func sizes(_ sizes: [Int]) throws -> String {
    try directory.write(sizes.map { "\($0)\n" }.joined(), to: "sizes.txt")
    return "sizes.txt"
  }

  // MARK: - Error responses

  @Test(
    "an error is missed where it comes in pieces",
    arguments: [([6], "1 1 0 0 completed"), ([2, 4], "0 0 0 1 completed"), ([5, 1], "0 0 0 1 completed")])
  func errorInPieces(_ sizes: [Int], _ expected: String) throws {
    try writeCapture(Self.gateway(sizes).segments())
    let rows = try rows(["capture.pcap"])
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row["name"] as? String == "php")
    #expect(try Reading(row).text == expected)
    if sizes.count > 1 {
      #expect(try difference(row)["expected"] as? String == "8,16909060")
      #expect(try difference(row)["emitted"] is Null)
    }
  }

  @Test("only the first error is read, and whatever it begins with")
  func laterErrors() throws {
    try directory.write(Self.error + [8, 10, 0, 0, 0, 7], to: "two.bin")
    let two = try row("php", ["--protocol", "responses", "two.bin"])
    #expect(try Reading(two) == Reading("1 1 0 1 completed", 1))
    try directory.write([1, 2, 3, 4, 5, 6] + Self.error, to: "noise.bin")
    let noise = try row("php", ["--protocol", "responses", "noise.bin"])
    #expect(try Reading(noise) == Reading("1 0 1 1 completed", 0))
    #expect(try difference(noise)["emitted"] as? String == "2,50595078")
  }

  @Test("two dumps are one gateway connection; a gateway that says nothing has no row")
  func pairs() throws {
    try directory.write(Self.request, to: "sent.bin")
    try directory.write(Self.error, to: "received.bin")
    let rows = try rows(["--requests", "sent.bin", "--responses", "received.bin"])
    #expect(try rows.map { try Reading($0).text } == ["1 1 0 0 completed"])
    var silent = Self.gateway([6])
    silent.turns.removeLast()
    try writeCapture(silent.segments())
    #expect(try self.rows(["capture.pcap"]).isEmpty)
  }

  @Test("the recorded gateway: one error whole, one in two segments, and silence")
  func recordedGateway() throws {
    let sample = Fixtures.root.appendingPathComponent("samples/captures/gateway.pcap").path
    let rows = try rows([sample])
    #expect(rows.compactMap { $0["stream"] as? Int } == [0, 1])
    #expect(try rows.map { try Reading($0).text } == ["1 1 0 0 completed", "0 0 0 1 completed"])
    #expect((try difference(rows[1])["reason"] as? String)?.contains("2 bytes, then 4") == true)
  }

  // MARK: - Chunks

  @Test("a segment of a capture is a chunk, each byte once, whatever came twice")
  func segments() throws {
    var conversation = Conversation(serverSends: feedback(tuples(4)))
    conversation.segmentSizes = [38, 20, 18]
    var segments = conversation.segments()
    // Reads of 38, 20, 18, 38, 20, 18: tuples 0 and 2 whole.
    let expected = Reading("6 2 4 2 completed", 1)
    try writeCapture(segments)
    #expect(try Reading(row("java", ["capture.pcap"])) == expected)
    let data = segments.indices.filter { !segments[$0].payload.isEmpty }
    segments.insert(segments[data[1]], at: data[2])
    segments.swapAt(data[0], data[0] + 1)
    try writeCapture(segments)
    #expect(try Reading(row("java", ["capture.pcap"])) == expected)
    #expect(try Reading(row("java", ["capture.pcap", "--chunk-size", "38"])).text == "4 4 0 0 completed")
    try directory.write(feedback(tuples(4)), to: "dump.bin")
    #expect(try Reading(row("java", ["dump.bin", "--chunk-sizes", sizes([38, 20, 18])])) == expected)
    #expect(try Reading(row("java", ["dump.bin"])).text == "4 4 0 0 completed")
  }

  @Test("a capture's only segment is one chunk, a dump is cut at 4096 bytes")
  func oneSegment() throws {
    var conversation = Conversation(serverSends: feedback(tuples(200)))
    conversation.segmentSizes = [7600]
    try writeCapture(conversation.segments())
    #expect(try Reading(row("java", ["capture.pcap"])).text == "200 200 0 0 completed")
    // 4096 bytes are 107 tuples and 30 bytes; the other 3504 are 92 reads and 8 bytes, all out of step.
    try directory.write(feedback(tuples(200)), to: "dump.bin")
    #expect(try Reading(row("java", ["dump.bin"])).text == "201 107 94 93 completed")
  }

  @Test("every size of chunks from 1 to 80 has its row")
  func everyChunking() throws {
    try directory.write(feedback(tuples(5)), to: "dump.bin")
    let rows = try rows(["dump.bin", "--every-chunking"])
    for name in ["cookbook", "csharp", "node", "java"] {
      let ofReader = rows.filter { $0["name"] as? String == name }
      #expect(ofReader.compactMap { $0["chunk_size"] as? Int } == Array(1...80))
      let right = ofReader.filter { $0["first_difference"] is Null }.compactMap { $0["chunk_size"] as? Int }
      let expected = ["cookbook": [38, 76], "java": [38, 76], "csharp": Array(1...80)]
      #expect(right == expected[name, default: []], "\(name)")
      for size in [7, 38, 80] {
        let alone = try row(name, ["dump.bin", "--chunk-size", "\(size)"])
        #expect(try Reading(alone) == Reading(ofReader[size - 1]), "\(name) \(size)")
      }
    }
    let text = try directory.apnsift("audit", "dump.bin", "--every-chunking").lines
    #expect(text.contains("dump.bin       0  cookbook  38, 76                 1  completed"), "\(text)")
    #expect(text.contains("dump.bin       0  csharp    1-80                   -  completed"))
    #expect(text.count < 25)
  }

  // MARK: - What is not judged

  @Test("a stream with a gap is not judged, and says why")
  func gaps() throws {
    var conversation = Conversation(serverSends: feedback(tuples(20)))
    conversation.segmentSizes = [76]
    let segments = conversation.segments()
    let data = segments.indices.filter { !segments[$0].payload.isEmpty }
    try writeCapture(segments.enumerated().filter { $0.offset != data[3] }.map(\.element))
    for row in try rows(["capture.pcap"]) {
      #expect(try Reading(row) == Reading("- - - - not-judged", nil))
      for key in ["records", "correct", "wrong", "missed", "first_difference"] { #expect(row[key] is Null) }
    }
    #expect(try rows(["capture.pcap"]).count == 4)
    #expect(try rows(["capture.pcap", "--every-chunking"]).count == 320)
    let text = try directory.apnsift("audit", "capture.pcap")
    #expect(text.text.contains("lacks 76 bytes"))
    #expect(
      text.messages.last?.hasPrefix("audited 1 input: 1 stream, 0 of 0 readings right, 4 not judged") == true)
  }

  @Test("a capture that begins inside a tuple is not judged; one that begins with a tuple is")
  func midstream() throws {
    let bytes = feedback(tuples(6))
    for (lost, isJudged) in [(38, true), (20, false)] {
      var conversation = Conversation(serverSends: Array(bytes.dropFirst(lost)))
      conversation.segmentSizes = [38]
      try writeCapture(conversation.segments().filter { !$0.payload.isEmpty })
      let row = try row("java", ["capture.pcap"])
      #expect(try Reading(row).text == (isJudged ? "5 5 0 0 completed" : "- - - - not-judged"))
    }
  }

  @Test("a stream that takes more than --memory is not judged, and a message names it")
  func memory() throws {
    try directory.write(feedback(tuples(1000)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--memory", "30000")
    #expect(outcome.code == 0)
    #expect(
      outcome.messages.contains {
        $0.hasPrefix("dump.bin: stream 0 is not judged") && $0.contains("--memory")
      })
    #expect(outcome.text.contains("not-judged"))
    #expect(try Reading(row("csharp", ["dump.bin", "--memory", "40000"])).text == "1000 1000 0 0 completed")
  }

  @Test("what is neither feedback nor an error has no rows, and that is said")
  func otherStreams() throws {
    try directory.write([0x16, 3, 1] + [UInt8](repeating: 7, count: 500), to: "tls.bin")
    let outcome = try directory.apnsift("audit", "tls.bin")
    #expect(outcome.code == 0)
    #expect(outcome.text.isEmpty)
    #expect(outcome.messages.first?.hasPrefix("nothing to audit") == true)
    #expect(try rows(["tls.bin"]).isEmpty)
    #expect(try directory.apnsift("audit", "--strict", "tls.bin").code == 1)
  }

  // MARK: - The report

  @Test("the table for people")
  func table() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-size", "38")
    let shortened = "\(hex(token(0).prefix(8)))…\(hex(token(0).suffix(8)))"
    #expect(
      outcome.text == """
        Readers over chunks of 38 bytes

        source    stream  reader    records  correct  wrong  missed  outcome
        dump.bin       0  cookbook        2        2      0       0  completed
        dump.bin       0  csharp          2        2      0       0  completed
        dump.bin       0  node            2        0      2       2  completed
        dump.bin       0  java            2        2      0       0  completed

        dump.bin stream 0
          node, record 0: the length 0x0020 at offset 4 was read as 0 (the first byte twice), so the token is \
        empty, and the next tuple begins 32 bytes early
            expected 1400000000,\(shortened)
            reported 1400000000,

        """)
    #expect(
      outcome.messages == ["audited 1 input: 1 stream, 3 of 4 readings right; nothing wrong with it"])
  }

  @Test("streams come in the order of their numbers, and inputs in theirs")
  func order() throws {
    var first = Conversation(serverSends: feedback(tuples(3)))
    first.segmentSizes = [38]
    var second = first.overV6
    second.turns = [.init(.server, feedback(tuples(1)))]
    // The first connection's handshake comes first, its end behind all of the second.
    let (early, late) = (first.segments(), second.segments())
    let both = early.prefix(3) + late + early.dropFirst(3)
    let packets = FrameWriter(.raw).packets(Array(both))
    try directory.write(PcapWriter().file(packets), to: "b.pcap")
    try directory.write(feedback(tuples(2)), to: "a.bin")
    let rows = try rows(["b.pcap", "a.bin"]).filter { $0["name"] as? String == "csharp" }
    let told = rows.map { "\($0["source"] ?? "") \($0["stream"] ?? "") \($0["records"] ?? "")" }
    #expect(told == ["b.pcap 0 3", "b.pcap 1 1", "a.bin 0 2"])
  }

  // MARK: - Wrong usage

  @Test(
    "options that do not fit are wrong usage",
    arguments: [
      (["--chunk-size", "0"], "--chunk-size is 0"), (["--chunk-size=-3"], "--chunk-size is -3"),
      (["--chunk-size", "x"], "--chunk-size"),
      (["--chunk-size", "3", "--every-chunking"], "--chunk-size and --every-chunking"),
      (["--chunk-sizes", "a", "--every-chunking"], "--chunk-sizes and --every-chunking"),
      (["--chunk-sizes", "-", "-"], "Standard input"),
    ])
  func wrongUsage(_ options: [String], _ says: String) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift(["audit", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(says), "\(outcome.errors)")
  }

  @Test(
    "a file of sizes that is none is a failure with its line",
    arguments: [
      ("38\n0\n", ["line 2", "'0'"]), ("38\n\ntwenty\n", ["line 3", "'twenty'"]),
      ("-1\n", ["line 1", "'-1'"]),
      ("", ["found none"]), ("\n\n", ["found none"]),
    ])
  func badSizes(_ content: String, _ says: [String]) throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    try directory.write(content, to: "sizes.txt")
    let outcome = try directory.apnsift("audit", "dump.bin", "--chunk-sizes", "sizes.txt")
    #expect(outcome.code == 2)
    #expect(outcome.output.isEmpty)
    for part in ["sizes.txt"] + says { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
    #expect(try directory.apnsift("audit", "dump.bin", "--chunk-sizes", "missing").code == 2)
  }

  // MARK: - The readers written a second time

  /// Cases of Tests/Fixtures/readers.json, which scripts/reference_readers.py drew, read and judged.
  struct Fixtures: Decodable {
    struct Reader: Decodable {
      var said: [String]
      var outcome: String
      var correct: Int
      var missed: Int
      var difference: Int?
    }

    struct Stream: Decodable {
      var stream: String
      var tuples: [[Int]]
      var sizes: [Int]?
      var ends: [Int]?
      var readers: [String: Reader]

      /// Sizes that cut it so.
      var chunkSizes: [Int] { sizes ?? zip(ends ?? [], [0] + (ends ?? [])).map { $0 - $1 } }

      var bytes: [UInt8] {
        let digits = Array(stream.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
          UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
        }
      }
    }

    var feedback: [Stream]

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()

    static func load() throws -> Fixtures {
      let data = try Data(contentsOf: root.appendingPathComponent("Tests/Fixtures/readers.json"))
      return try JSONDecoder().decode(Fixtures.self, from: data)
    }
  }

  @Test("what the readers report is what the reference readers report")
  func reference() throws {
    var judgedAlike = 0
    for (number, one) in try Fixtures.load().feedback.enumerated() {
      try directory.write(one.bytes, to: "dump.bin")
      let options = ["--from", "raw", "--protocol", "feedback", "--token-length", "1-300", "dump.bin"]
      let rows = try rows(options + ["--chunk-sizes", sizes(one.chunkSizes)])
      // The script knows what it drew, the command what the rules make of it; they agree on sound streams.
      let records = try directory.apnsift(["export", "--columns", "offset,token_length"] + options)
      let places = records.lines.dropFirst().map { $0.split(separator: ",").compactMap { Int($0) } }
      let isSound = places == one.tuples
      judgedAlike += isSound ? 1 : 0
      for row in rows {
        let expected = try #require(one.readers[row["name"] as? String ?? ""])
        #expect(row["records"] as? Int == expected.said.count, "case \(number): \(row)")
        #expect(row["outcome"] as? String == expected.outcome, "case \(number): \(row)")
        guard isSound else { continue }
        #expect(row["correct"] as? Int == expected.correct, "case \(number): \(row)")
        #expect(row["missed"] as? Int == expected.missed, "case \(number): \(row)")
        #expect(try Reading(row).difference == expected.difference, "case \(number): \(row)")
      }
    }
    #expect(judgedAlike > 30)
  }
}
