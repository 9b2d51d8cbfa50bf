import Basics
import StreamInputs
import Testing

/// docs/spec/decoding-rules.md#gap-marks.
@Suite("tshark's gap marks")
struct GapMarkTests {
  /// A dump, the stream's bytes, and its gaps as `offset+length@fileOffset`.
  typealias Case = (name: String, dump: String, bytes: String, gaps: [String])

  static func mark(_ length: String) -> String { "[\(length) bytes missing in capture file]" }

  static let cases: [Case] = [
    ("no mark", "abc", "abc", []),
    ("a mark", "abc\(mark("76"))def", "abcdef", ["3+76@3"]),
    ("a NUL directly after belongs to it", "abc\(mark("76"))\0def", "abcdef", ["3+76@3"]),
    ("a second NUL does not", "abc\(mark("76"))\0\0def", "abc\0def", ["3+76@3"]),
    ("a NUL further on does not", "\(mark("7"))x\0", "x\0", ["0+7@0"]),
    ("at the beginning", "\(mark("5"))abc", "abc", ["0+5@0"]),
    ("at the end", "abc\(mark("5"))", "abc", ["3+5@3"]),
    ("at the end, with its NUL", "abc\(mark("5"))\0", "abc", ["3+5@3"]),
    ("nothing else", mark("5"), "", ["0+5@0"]),
    ("marks side by side are separate gaps", "a\(mark("5"))\(mark("6"))b", "ab", ["1+5@1", "6+6@34"]),
    ("with NULs between", "a\(mark("5"))\0\(mark("6"))\0b", "ab", ["1+5@1", "6+6@35"]),
    ("three in a row", mark("1") + mark("22") + mark("333"), "", ["0+1@0", "1+22@33", "23+333@67"]),
    ("ten digits", "a\(mark("4294967295"))b", "ab", ["1+4294967295@1"]),
    ("no more than ten", "a\(mark("42949672950"))b", "a\(mark("42949672950"))b", []),
    ("leading zeros", "a\(mark("0000000012"))b", "ab", ["1+12@1"]),
    ("no digit", "a\(mark(""))b", "a\(mark(""))b", []),
    ("a sign", "a\(mark("-5"))b", "a\(mark("-5"))b", []),
    ("a blank", "a\(mark(" 5"))b", "a\(mark(" 5"))b", []),
    ("another unit", "a[5 byte missing in capture file]b", "a[5 byte missing in capture file]b", []),
    ("capitals", "a[5 Bytes missing in capture file]b", "a[5 Bytes missing in capture file]b", []),
    (
      "other text at the end", "a[12 bytes missing in capture file, b",
      "a[12 bytes missing in capture file, b", []
    ),
    ("cut off at the end", "a[12 bytes missing in capture file", "a[12 bytes missing in capture file", []),
    ("cut off in the digits", "a[12", "a[12", []),
    ("a bracket at the end", "a[", "a[", []),
    ("after a bracket", "[\(mark("5"))b", "[b", ["1+5@1"]),
    ("after a begun mark", "[12 bytes mis\(mark("5"))b", "[12 bytes misb", ["13+5@13"]),
    ("after digits", "[12\(mark("5"))b", "[12b", ["3+5@3"]),
    ("after eleven digits and a bracket", "[12345678901\(mark("5"))", "[12345678901", ["12+5@12"]),
    ("two brackets after it", "\(mark("5"))]]", "]]", ["0+5@0"]),
    ("no bytes missing", "a\(mark("0"))b", "ab", ["1+0@1"]),
  ]

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
