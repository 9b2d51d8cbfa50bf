import Basics
import PacketCapture
import StreamInputs
import Testing

@Suite("Stretches of decoded text")
struct DecodedTextTests {
  /// The extents that bytes at `offsets` become, as `count@offset stride/groupSize/groupStride`.
  private func extents(_ offsets: [Int], stride: Int) -> [String] {
    var output = DecodedText()
    for offset in offsets { output.append(0, at: offset, stride: stride) }
    return output.extents
  }

  @Test("bytes at one distance are one extent")
  func evenBytes() {
    #expect(extents([4, 6, 8, 10], stride: 2) == ["4@4 2/0/0"])
  }

  @Test("bytes with blanks between them are one extent of groups of one")
  func separatedBytes() {
    #expect(extents([0, 3, 6, 9], stride: 2) == ["4@0 2/1/3"])
  }

  @Test("groups of one size at one distance are one extent, the last may be shorter")
  func groups() {
    #expect(extents([0, 2, 5, 7, 10], stride: 2) == ["5@0 2/2/5"])
  }

  @Test("bytes that do not continue an extent begin another: longer groups, other distances, steps back")
  func breaks() {
    #expect(extents([0, 3, 7], stride: 2) == ["2@0 2/1/3", "1@7 2/0/0"])
    #expect(extents([0, 2, 5, 10], stride: 2) == ["3@0 2/2/5", "1@10 2/0/0"])
    #expect(extents([9, 3], stride: 2) == ["1@9 2/0/0", "1@3 2/0/0"])
  }

  @Test("bytes that all come from one position are one extent of stride 0")
  func repeatedBytes() {
    #expect(extents([7, 7, 7], stride: 0) == ["3@7 0/0/0"])
    #expect(SourceExtent(streamOffset: 100, fileOffset: 7, stride: 0).fileOffset(of: 102) == 7)
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
        .bytes(0..<1), .gap(length: 5, fileOffset: 2), .bytes(1..<2), .error(InputError(.verbatim("why"))),
        .bytes(2..<3),
      ])
    #expect(output.extents == ["1@0 2/0/0", "1@2 2/0/0", "1@4 2/0/0"])
    #expect(output.bytes == [1, 2, 3])
    output.removeAll()
    #expect(output.parts.isEmpty && output.bytes.isEmpty)
  }

  @Test("an origin finds every byte of grouped bytes")
  func origins() {
    let spacing = Stride(stride: 2, groupSize: 2, groupStride: 5)
    let origin = SourceExtent(streamOffset: 10, fileOffset: 50, spacing: spacing)
    #expect((10..<15).map(origin.fileOffset(of:)) == [50, 52, 55, 57, 60])
  }
}
