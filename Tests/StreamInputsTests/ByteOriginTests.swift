import Basics
import PacketCapture
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

  @Test("a mark in the last group of a extent that another extent follows")
  func cutInLastGroup() throws {
    // Groups of 4 in lines of 6: the last group of a line is short, and the next line is another extent.
    let mark = Array("[5 bytes missing in capture file]".utf8)
    for lead in 1...12 {
      let dump = [UInt8](repeating: 0x11, count: lead) + mark + (1...40).map { UInt8($0) }
      var text = ""
      var positions: [Int] = []
      for (index, byte) in dump.enumerated() {
        if index > 0, index % 6 == 0 { text += "\n" } else if index % 6 == 4 { text += " " }
        positions.append(text.utf8.count)
        text += Hex.string([byte])
      }
      let (recording, _) = try DumpRecording.of(Array(text.utf8), as: .hex)
      #expect(recording.misuse.isEmpty)
      #expect(
        recording.fileOffsets == Array(positions[..<lead] + positions[(lead + mark.count)...]), "\(lead)")
    }
  }

  @Test("an extent continues if position, spacing and group agree")
  func continuation() {
    let groups = Stride(stride: 2, groupSize: 2, groupStride: 5)
    let origin = SourceExtent(streamOffset: 10, fileOffset: 100, spacing: groups)
    func next(_ offset: Int, _ position: Int, _ spacing: Stride) -> Bool {
      origin.isContinued(by: SourceExtent(streamOffset: offset, fileOffset: position, spacing: spacing))
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
}
