import ReaderModels
import TestSupport
import Testing

/// Limits of the models, derived by hand. What they report in general is held against another implementation
/// (`ReaderLawTests`), and why it is wrong is in FirstDifferenceTests.
@Suite("Limits of readers") struct ParsingReaderTests {
  private let time = Int64(Tuples.time)

  @Test(
    "a time from 2^31 on is negative, but for node",
    arguments: [
      (UInt32(0x7fff_ffff), Int64(2_147_483_647), ReaderError.none),
      (0x8000_0000, -2_147_483_648, .signedTime), (0xffff_ffff, -1, .signedTime),
    ]) func signedTime(_ time: UInt32, _ expected: Int64, _ error: ReaderError)
  {
    for model in [FeedbackModel.cookbook, .java, .csharp] {
      let recording = ReaderRecording.of(model, Tuples.one(time: time))
      #expect(recording.said == [record(expected, bytes(0xaa, 32))] && recording.errors == [error])
    }
    #expect(ReaderRecording.of(.node, Tuples.one(time: time)).said.first?.hasPrefix("\(time),") == true)
  }

  @Test("cookbook's buffer begins as zeros and keeps bytes of earlier reads, java's is always zeros")
  func buffer() {
    let stream = Tuples.one(fill: 0xaa) + Tuples.one(fill: 0xbb)
    // 7 bytes: a header and one of the token. 2 bytes over its time. 38 bytes of the rest. 29 bytes of the second's token.
    for (model, rest) in [(FeedbackModel.cookbook, ReaderError.Rest.stale), (.java, .zeros)] {
      let recording = ReaderRecording.of(model, stream, cut: .ends([7, 9, 47, 76]))
      #expect(recording.offsets == [0, 7, 9, 47])
      #expect(
        recording.errors == [
          .shortRead(count: 7, rest: .zeros), .shortRead(count: 2, rest: rest),
          .lengthIgnored(length: 0xaaaa), .shortRead(count: 29, rest: rest),
        ])
    }
  }

  @Test("csharp loops on an incomplete tuple of 38 bytes or more, which is detected") func hangs() {
    // 106 bytes: 38 of a sound tuple, 60 of one with a token of 54, 8 more.
    let stream = Tuples.one() + Tuples.one(54, fill: 0xbb) + bytes(0, 8)
    let whole = ReaderRecording.of(.csharp, stream, cut: .size(4096))
    #expect(whole.said == [record(time, bytes(0xaa, 32)), record(time, bytes(0xbb, 54))])
    #expect(whole.ending == .droppedTail(offset: 98, count: 8))
    // 37 bytes of it are too few to be parsed, 38 and 44 cause an endless loop, 60 are enough.
    let cuts = [75, 76, 82].map { ReaderRecording.of(.csharp, stream, cut: .ends([$0, 98])) }
    #expect(
      cuts.map(\.ending) == [
        .droppedTail(offset: 98, count: 8), .hangs(offset: 38, length: 54, buffered: 38),
        .hangs(offset: 38, length: 54, buffered: 44),
      ])
    #expect(cuts[1].said == [record(time, bytes(0xaa, 32))])
  }

  @Test("csharp reads 4096 bytes at most, so it hangs at a long tuple across that offset for any chunks")
  func bufferSize() {
    // 78 tuples of 52 bytes are 4056; 40 bytes of the next one fill the buffer.
    let recording = ReaderRecording.of(.csharp, (0..<80).flatMap { _ in Tuples.one(46) }, cut: .size(1 << 20))
    #expect(recording.said.count == 78)
    #expect(recording.ending == .hangs(offset: 4056, length: 46, buffered: 40))
  }

  @Test(
    "csharp reads a length of 32768 or more as negative",
    arguments: [
      (0x7fff, .hangs(offset: 38, length: 0x7fff, buffered: 38)),
      (0x8000, .throws(offset: 38, length: -32768)),
      (0x8005, .throws(offset: 38, length: -32763)), (0xffff, .throws(offset: 38, length: -1)),
    ] as [(Int, ReaderEnding)])
  func negativeLength(_ length: Int, _ expected: ReaderEnding) {
    let stream = Tuples.one() + Tuples.header(length: length) + bytes(0, 32)
    let ending = ReaderRecording.of(.csharp, stream).ending
    #expect(ending == expected && ending.outcome == (length > 0x7fff ? .throws : .hangs))
  }

  @Test("node makes 7 records of two sound tuples whose tokens are zeros, and none of them right")
  func zeroTokens() {
    // 0x0020 reads as 0, and so does each length in the zeros: records of 6 bytes, the last one at 36. Its time
    // is the end of the first token and half of the second tuple's time, its length byte the 4e at 40: 257 * 78 =
    // 20046. The token begins at 42 with 00 20, and has zeros from there on, 34 bytes of it from the stream.
    let stream = Tuples.one(fill: 0) + Tuples.one(fill: 0)
    let recording = ReaderRecording.of(.node, stream)
    #expect(recording.offsets == [0, 6, 12, 18, 24, 30, 36])
    #expect(recording.errors.first == .lengthByteTwice(length: 0x20, read: 0))
    #expect(recording.errors[1...5].allSatisfy { $0 == .none })
    #expect(recording.errors.last == .beyondEnd(missing: 20046 - 34))
    #expect(recording.said.dropLast() == ["\(time),"] + [String](repeating: "0,", count: 5))
    #expect(recording.said.last == record(0x5372, [0, 0x20] + bytes(0, 20044)))
  }

  @Test(
    "node makes a record of every cut tail",
    arguments: [
      ("one byte", [0x53], "0,", 5), ("a time without its last byte", [0x53, 0x72, 0x4e], "0,", 3),
      ("a time alone", [0x53, 0x72, 0x4e, 0], "1400000000,", 2),
      ("half a length of 0", [0x53, 0x72, 0x4e, 0, 0], "1400000000,", 1),
      (
        "a length whose second byte is never read", [0, 0, 0, 7, 1],
        "7," + String(repeating: "00", count: 257), 258
      ),
      (
        "a token of which one byte is there", [0, 0, 0, 7, 1, 9, 5],
        "7,05" + String(repeating: "00", count: 256), 256
      ),
    ] as [(String, [UInt8], String, Int)])
  func tails(_ name: String, _ tail: [UInt8], _ expected: String, _ missing: Int) {
    let recording = ReaderRecording.of(.node, tail)
    #expect(recording.said == [expected], "\(name)")
    #expect(recording.errors == [.beyondEnd(missing: missing)])
  }
}
