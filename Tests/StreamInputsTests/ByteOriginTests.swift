import Basics
import PacketCapture
import StreamInputs
import TestSupport
import Testing

/// Marks split the extents of a text anywhere: every byte must still be located.
@Suite("Positions of bytes whose extents are split")
struct ByteOriginTests {
  /// Hex text in lines of any length with groups of any size, and the position of each byte's digits.
  private static func text(
    of bytes: [UInt8], _ generator: inout SeededGenerator
  ) -> (text: [UInt8], positions: [Int]) {
    var text: [UInt8] = []
    var positions: [Int] = []
    var groupSize = 2
    var lineSize = 8
    var inLine = 0
    for byte in bytes {
      if inLine == lineSize {
        text.append(0x0a)
        inLine = 0
        // Changes now and then, so that extents begin in the middle of earlier ones.
        if generator.chance(3) { lineSize = generator.pick(1...12) }
        if generator.chance(6) { groupSize = generator.pick(1...5) }
      } else if inLine > 0, inLine % groupSize == 0 {
        text.append(0x20)
      }
      positions.append(text.count)
      text += Array(Hex.string([byte]).utf8)
      inLine += 1
    }
    return (text, positions)
  }

  @Test("marks in hex text of changing layout")
  func marksInText() throws {
    var generator = SeededGenerator(seed: 21)
    for number in 0..<300 {
      var dump: [UInt8] = []
      var expected: [UInt8] = []
      var expectedIndices: [Int] = []
      for _ in 0..<generator.pick(1...8) {
        let bytes = generator.bytes(generator.pick(0...60)).map { $0 | 1 }
        expectedIndices += (0..<bytes.count).map { dump.count + $0 }
        expected += bytes
        dump += bytes + Array("[\(generator.pick(1...5000)) bytes missing in capture file]".utf8)
        if generator.chance(2) { dump.append(0) }
      }
      let (text, positions) = Self.text(of: dump, &generator)
      let (recording, report) = try DumpRecording.of(text, as: .hex)
      #expect(report.errors.isEmpty && recording.misuse.isEmpty, "text \(number)")
      #expect(recording.bytes == expected, "text \(number)")
      #expect(recording.fileOffsets == expectedIndices.map { positions[$0] }, "text \(number)")
    }
  }

  @Test("an extent continues if position, spacing and group agree")
  func continuation() {
    let groups = Stride(stride: 2, groupSize: 2, groupStride: 5)
    let origin = SourceExtent(streamOffset: 10, fileOffset: 100, spacing: groups)
    func next(_ offset: Int, _ position: Int, _ spacing: Stride) -> Bool {
      origin.isContinued(
        by: SourceExtent(streamOffset: offset, fileOffset: position, spacing: spacing))
    }
    #expect(next(12, 105, groups))
    #expect(next(14, 110, groups))
    #expect(!next(13, 107, groups), "within a group")
    #expect(!next(12, 106, groups), "another position")
    #expect(!next(12, 105, Stride(stride: 2)), "another spacing")
    let even = SourceExtent(streamOffset: 0, fileOffset: 7, stride: 3)
    #expect(even.isContinued(by: SourceExtent(streamOffset: 5, fileOffset: 22, stride: 3)))
    #expect(!even.isContinued(by: SourceExtent(streamOffset: 5, fileOffset: 21, stride: 3)))
  }

  @Test("the extent of an offset is the last that begins at or before it")
  func index() {
    let origins = [4, 7, 8, 20].map { SourceExtent(streamOffset: $0, fileOffset: 0, stride: 1) }
    #expect([0, 4, 6, 7, 8, 19, 20, 99].map(origins.index(of:)) == [0, 0, 0, 1, 2, 2, 3, 3])
    #expect([SourceExtent]().index(of: 3) == 0)
  }

  /// Offsets of bytes and their stride, and their extents as `count@offset stride/groupSize/groupStride`.
  static let runs: [(sentence: String, offsets: [Int], stride: Int, extents: [String])] = [
    ("bytes at one distance", [4, 6, 8, 10], 2, ["4@4 2/0/0"]),
    ("blanks between bytes make groups of one", [0, 3, 6, 9], 2, ["4@0 2/1/3"]),
    ("groups of one size, the last may be shorter", [0, 2, 5, 7, 10], 2, ["5@0 2/2/5"]),
    ("longer groups", [0, 3, 7], 2, ["2@0 2/1/3", "1@7 2/0/0"]),
    ("another distance", [0, 2, 5, 10], 2, ["3@0 2/2/5", "1@10 2/0/0"]),
    ("a step back", [9, 3], 2, ["1@9 2/0/0", "1@3 2/0/0"]),
    ("bytes of one position", [7, 7, 7], 0, ["3@7 0/0/0"]),
  ]

  @Test("bytes are in as few extents as can be", arguments: runs)
  func extents(_ sentence: String, _ offsets: [Int], _ stride: Int, _ extents: [String]) {
    var output = DecodedText()
    for offset in offsets { output.append(0, at: offset, stride: stride) }
    #expect(output.extents == extents)
    #expect(
      offsets.indices.map { output.origins[output.origins.index(of: $0)].fileOffset(of: $0) }
        == offsets)
  }

  @Test("gaps and faults end a extent")
  func gapsEndStretches() {
    var output = DecodedText()
    output.append(1, at: 0, stride: 2)
    output.appendGap(length: 5, at: 2)
    output.append(2, at: 2, stride: 2)
    output.append(InputError(.verbatim("why")))
    output.append(3, at: 4, stride: 2)
    #expect(
      output.parts == [
        .bytes(0..<1), .gap(length: 5, fileOffset: 2), .bytes(1..<2),
        .error(InputError(.verbatim("why"))),
        .bytes(2..<3),
      ])
    #expect(output.extents == ["1@0 2/0/0", "1@2 2/0/0", "1@4 2/0/0"])
    #expect(output.bytes == [1, 2, 3])
    output.removeAll()
    #expect(output.parts.isEmpty && output.bytes.isEmpty)
  }
}
