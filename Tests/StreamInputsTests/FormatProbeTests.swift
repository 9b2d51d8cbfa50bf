import Basics
import StreamInputs
import TestSupport
import Testing
import Wording

@Suite("Format detection")
struct FormatProbeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var head: [UInt8]
    var kind: Message
    var remedy: Message
    var testDescription: String { name }
  }

  static let unsupported: [Case] = [
    Case(
      name: "SQLite", head: Array("SQLite format 3\0".utf8), kind: .sqliteDatabase,
      remedy: "use --store to name a store")
  ]

  @Test(arguments: unsupported)
  func isForeign(_ example: Case) throws {
    let file = example.head + [UInt8](repeating: 1, count: 40)
    let (recording, report) = try DumpRecording.of(file, as: nil)
    #expect(recording.bytes.isEmpty && report.format == nil && !report.isSkipped)
    #expect(report.errors.first?.message == Message.foreign(example.kind, remedy: example.remedy))
    #expect(report.recognition == Recognition.foreign(kind: example.kind, remedy: example.remedy))
    // One byte less is not enough, and --from raw still reads it.
    let shorter = try DumpRecording.of(Array(example.head.dropLast()), as: nil)
    #expect(shorter.report.recognition == .nothing)
    #expect(try DumpRecording.of(file, as: .raw).recording.bytes == file)
  }

  /// The magic numbers of pcap with major version 2, and pcapng's first block (the formats' specifications).
  @Test(
    "captures",
    arguments: [
      [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0], [0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4],
      [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0], [0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4],
      [0x34, 0xcd, 0xb2, 0xa1, 2, 0, 4, 0], [0xa1, 0xb2, 0xcd, 0x34, 0, 2, 0, 4],
      [0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0],
    ] as [[UInt8]])
  func capture(_ head: [UInt8]) throws {
    let file = head + [UInt8](repeating: 0, count: 40)
    let isElse = [FormatProbe(.format(.dump(.raw))) { _, _ in true }]
    #expect(FormatProbes.recognise(file, isWhole: true, inside: nil, content: isElse) == .format(.capture))
  }

  @Test("a tuple whose time is also a magic number of pcap is not a capture")
  func magicTime() throws {
    let tuple: [UInt8] = [0x4d, 0x3c, 0xb2, 0xa1, 0, 32] + [UInt8](repeating: 7, count: 32)
    let isTuple = FormatProbe(.format(.dump(.raw))) { head, _ in head == tuple }
    #expect(
      try DumpRecording.of(tuple, as: nil, probes: [isTuple]).report.recognition == .format(.dump(.raw)))
  }

  @Test("an empty file is a dump of nothing")
  func empty() throws {
    let (recording, report) = try DumpRecording.of([], as: nil)
    #expect(report.recognition == .format(.dump(.raw)) && report.format == .dump(.raw))
    #expect(recording.isClosed && recording.bytes.isEmpty)
  }

  @Test("text is tried before content, hex before base64, and content last")
  func order() throws {
    let yes = [FormatProbe(.format(.dump(.raw))) { _, _ in true }]
    let hexAndBase64 = Array("00112233445566778899aAbBcCdDeEfF".utf8)
    #expect(try DumpRecording.of(hexAndBase64, as: nil, probes: yes).report.format == .dump(.hex))
    #expect(
      try DumpRecording.of(Array("UYCWaA8=".utf8), as: nil, probes: yes).report.format == .dump(.base64))
    #expect(try DumpRecording.of([0xff], as: nil, probes: yes).report.recognition == .format(.dump(.raw)))
    #expect(try DumpRecording.of([0xff], as: nil).report.recognition == .nothing)
  }

  @Test("content probes get at most 64 KiB, and whether that is all")
  func head() throws {
    for length in [1, 65_536, 65_537, 300_000] {
      let probe = FormatProbe(.format(.dump(.raw))) { head, isWhole in
        head.count == min(length, FormatProbes.headLength) && isWhole == (length <= FormatProbes.headLength)
      }
      let file = [UInt8](repeating: 0xff, count: length)
      #expect(try DumpRecording.of(file, as: nil, probes: [probe]).report.recognition == .format(.dump(.raw)))
    }
  }

  @Test("a file of no known format is read if it was named, and skipped in a directory")
  func unrecognised() throws {
    let files = try TemporaryFiles()
    let path = try files.write([0xff, 0xfe], to: "in/x")
    let named = try DumpRecording.of(Input(path), as: nil)
    #expect(named.report.recognition == .nothing && named.report.format == .dump(.raw))
    #expect(named.recording.bytes == [0xff, 0xfe])
    let member = try #require(InputWalk([files.path + "/in"]).inputs.first)
    let walked = try DumpRecording.of(member, as: nil)
    #expect(walked.report.isSkipped && walked.report.format == nil && walked.recording.bytes.isEmpty)
    #expect(walked.report.errors.isEmpty)
    try files.write(Array("SQLite format 3\0".utf8), to: "in/x")
    let archive = try DumpRecording.of(member, as: nil)
    #expect(archive.report.isSkipped && archive.report.errors.isEmpty)
  }
}
