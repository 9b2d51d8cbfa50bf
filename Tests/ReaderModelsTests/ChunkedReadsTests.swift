import ReaderModels
import TestSupport
import Testing

@Suite("Reads of a stream in chunks")
struct ChunkedReadsTests {
  /// The sizes of all reads for `limit` bytes.
  private func reads(_ limit: Int, of count: Int, _ chunking: Chunking) -> [Int] {
    var reads = ChunkedReads(of: count, cut: chunking)
    var sizes: [Int] = []
    var position = 0
    while true {
      let came = reads.read(limit)
      #expect(came.lowerBound == position)
      if came.isEmpty { break }
      position = came.upperBound
      sizes.append(came.count)
    }
    #expect(position == count)
    #expect(reads.read(limit).isEmpty)
    return sizes
  }

  @Test(
    "a read ends with its chunk, a chunk may take many reads",
    arguments: [
      ("no bytes, no chunk", 38, 0, Chunking.size(38), []),
      ("chunks of the read's size", 38, 76, .size(38), [38, 38]),
      ("larger chunks leave a rest", 38, 100, .size(50), [38, 12, 38, 12]),
      ("smaller chunks", 38, 50, .size(20), [20, 20, 10]),
      ("sizes in turn and again from the top", 38, 64, .sizes([10, 20]), [10, 20, 10, 20, 4]),
      ("no sizes: one chunk", 38, 50, .sizes([]), [38, 12]),
      ("a size below 1 counts as 1", 38, 4, .sizes([0, -7, 2]), [1, 1, 2]),
      ("the largest sizes", .max, 9, .sizes([.max]), [9]),
      ("segments", 38, 60, .ends([3, 48, 60]), [3, 38, 7, 12]),
      ("empty segments are none", 38, 60, .ends([0, 20, 20, 60]), [20, 38, 2]),
      ("bytes after the last end are a chunk", 38, 60, .ends([20]), [20, 38, 2]),
      ("ends beyond the end, and ones that fall", 38, 60, .ends([20, 10, -1, 90, 95]), [20, 38, 2]),
      ("no ends: one chunk", 4096, 60, .ends([]), [60]),
    ] as [(String, Int, Int, Chunking, [Int])])
  func sizes(_ name: String, _ limit: Int, _ count: Int, _ chunking: Chunking, _ expected: [Int]) {
    #expect(reads(limit, of: count, chunking) == expected, "\(name)")
  }

  @Test("every byte is read once, and no read exceeds its limit")
  func everyByteOnce() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      let count = generator.pick(0...300)
      let list = (0..<generator.pick(0...9)).map { _ in generator.pick(-2...120) }
      let limit = generator.pick(1...60)
      for chunking in [Chunking.sizes(list), .ends(list.sorted()), .ends(list)] {
        let sizes = reads(limit, of: count, chunking)
        #expect(sizes.reduce(0, +) == count)
        #expect(sizes.allSatisfy { 1...limit ~= $0 })
      }
    }
  }
}
