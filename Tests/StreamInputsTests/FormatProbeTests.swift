import Basics
import StreamInputs
import TestSupport
import Testing
import Wording

@Suite("Format detection")
struct FormatProbeTests {
  private static let isAny = [FormatProbe(.format(.dump(.raw))) { _, _ in true }]

  private func report(_ file: [UInt8], _ probes: [FormatProbe] = []) throws -> InputReport {
    try DumpRecording.of(file, as: nil, probes: probes).report
  }

  @Test("a SQLite database is foreign, as is apnsift's own JSON")
  func isForeign() throws {
    let head = Array("SQLite format 3\0".utf8)
    let file = head + [UInt8](repeating: 1, count: 40)
    let (recording, report) = try DumpRecording.of(file, as: nil)
    let remedy: Message = "use --store to name a store"
    #expect(recording.bytes.isEmpty && report.format == nil && !report.isSkipped)
    #expect(report.errors.first?.message == Message.foreign(.sqliteDatabase, remedy: remedy))
    #expect(report.recognition == Recognition.foreign(kind: .sqliteDatabase, remedy: remedy))
    let json = try self.report(Array(#"{"schema":"apnsift/1","version":"1"}"#.utf8)).recognition
    let advice: Message = "use its inputs, or an export with -t ndjson"
    #expect(json == .foreign(kind: "a JSON document of apnsift", remedy: advice))
    // One byte less is not enough, and --from raw still reads it.
    #expect(try self.report(head.dropLast()).recognition == .nothing)
    #expect(try DumpRecording.of(file, as: .raw).recording.bytes == file)
  }

  @Test("a capture is known before content, but not by a tuple's time that is also its magic number")
  func capture() throws {
    let capture: [UInt8] = [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 40)
    let found = FormatProbes.recognise(capture, isWhole: true, inside: nil, content: Self.isAny)
    #expect(found == .format(.capture))
    let tuple: [UInt8] = [0x4d, 0x3c, 0xb2, 0xa1, 0, 32] + [UInt8](repeating: 7, count: 32)
    #expect(try report(tuple, Self.isAny).recognition == .format(.dump(.raw)))
  }

  @Test("an empty file is a dump of nothing")
  func empty() throws {
    let (recording, report) = try DumpRecording.of([], as: nil)
    #expect(report.recognition == .format(.dump(.raw)) && report.format == .dump(.raw))
    #expect(recording.isClosed && recording.bytes.isEmpty)
  }

  @Test("text is tried before content, hex before base64, and content last")
  func order() throws {
    let hexAndBase64 = Array("00112233445566778899aAbBcCdDeEfF".utf8)
    #expect(try report(hexAndBase64, Self.isAny).format == .dump(.hex))
    #expect(try report(Array("UYCWaA8=".utf8), Self.isAny).format == .dump(.base64))
    #expect(try report([0xff], Self.isAny).recognition == .format(.dump(.raw)))
    #expect(try report([0xff]).recognition == .nothing)
  }

  @Test("content probes get at most 64 KiB, and whether that is all")
  func head() throws {
    for length in [1, 65_536, 65_537, 300_000] {
      let probe = FormatProbe(.format(.dump(.raw))) { head, isWhole in
        head.count == min(length, FormatProbes.headLength) && isWhole == (length <= FormatProbes.headLength)
      }
      let file = [UInt8](repeating: 0xff, count: length)
      #expect(try report(file, [probe]).recognition == .format(.dump(.raw)))
    }
  }

  @Test("a file of no known format is read if it was named, and skipped in a directory")
  func unrecognised() throws {
    let files = TemporaryFiles()
    let path = try files.write([0xff, 0xfe], to: "in/x")
    let named = try DumpRecording.of(Input(path), as: nil)
    #expect(named.report.recognition == .nothing && named.report.format == .dump(.raw))
    #expect(named.recording.bytes == [0xff, 0xfe])
    let member = try #require(InputWalk([files.path + "/in"]).inputs.first)
    let walked = try DumpRecording.of(member, as: nil)
    #expect(walked.report.isSkipped && walked.report.format == nil && walked.report.errors.isEmpty)
    #expect(walked.recording.bytes.isEmpty)
    try files.write(Array("SQLite format 3\0".utf8), to: "in/x")
    let archive = try DumpRecording.of(member, as: nil)
    #expect(archive.report.isSkipped && archive.report.errors.isEmpty)
  }
}
