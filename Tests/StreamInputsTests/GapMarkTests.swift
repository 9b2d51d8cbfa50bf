import Basics
import StreamInputs
import TestSupport
import Testing

/// docs/spec/decoding-rules.md#gap-marks.
@Suite("tshark's gap marks")
struct GapMarkTests {
  /// A dump, the stream's bytes, and its gaps as `offset+length@fileOffset`.
  typealias Case = (name: String, dump: String, bytes: String, gaps: [String])

  static let cases: [Case] = Fixtures.rows("gap marks", in: "text-dumps").map { ($0, $1, $2, $3) }

  @Test(arguments: cases)
  func inRawDumps(_ example: Case) throws {
    let (recording, report) = try DumpRecording.of(Array(example.dump.utf8), as: .raw)
    #expect(recording.bytes == Array(example.bytes.utf8) && recording.gaps == example.gaps)
    #expect(recording.isClosed && recording.misuse.isEmpty)
    #expect(report.errors.isEmpty && report.bytes == example.dump.utf8.count)
    let file = Array(example.dump.utf8)
    #expect(recording.fileOffsets.map { file[$0] } == recording.bytes)
  }

  @Test("the same in hex, where positions are those of the digits", arguments: cases)
  func inHexDumps(_ example: Case) throws {
    let dump = Array(example.dump.utf8)
    let (recording, _) = try DumpRecording.of(Array(Hex.string(dump).utf8), as: .hex)
    #expect(recording.bytes == Array(example.bytes.utf8))
    #expect(recording.fileOffsets.map { dump[$0 / 2] } == recording.bytes)
    let gaps = example.gaps.map { Self.changed($0) { ($0, 2 * $1) } }
    #expect(recording.gaps == gaps && recording.misuse.isEmpty)
  }

  /// Dumps are read in blocks of 256 KiB: each position of the example is at the end of one.
  @Test("cut by the end of a block at every byte", arguments: cases)
  func acrossBlocks(_ example: Case) throws {
    let dump = Array(example.dump.utf8)
    for cut in 0...dump.count {
      let padding = 256 << 10 - cut
      let file = [UInt8](repeating: 0xee, count: padding) + dump
      let (recording, _) = try DumpRecording.of(file, as: .raw)
      #expect(recording.misuse.isEmpty)
      let isSame = recording.bytes.dropFirst(padding) == Array(example.bytes.utf8)[...]
      #expect(isSame, "cut at \(cut)")
      let positions = recording.fileOffsets
      #expect(zip(positions, recording.bytes).allSatisfy { file[$0] == $1 }, "cut at \(cut)")
      let gaps = example.gaps.map { Self.changed($0) { (padding + $0, padding + $1) } }
      #expect(recording.gaps == gaps, "cut at \(cut)")
    }
  }

  /// A gap at other offsets in the stream and in the file.
  private static func changed(_ gap: String, _ change: (Int, Int) -> (Int, Int)) -> String {
    let numbers = gap.split { $0 == "+" || $0 == "@" }.compactMap { Int($0) }
    let (offset, fileOffset) = change(numbers[0], numbers[2])
    return "\(offset)+\(numbers[1])@\(fileOffset)"
  }
}
