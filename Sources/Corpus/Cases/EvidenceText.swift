/// Lines, one behind another. They lie in blocks, so that a text that grows is never copied and takes little more than
/// its length.
struct EvidenceText: Sendable {
  /// Where a line lies.
  struct Line: Sendable {
    fileprivate var block: Int32
    /// In bytes from the beginning of the block.
    fileprivate var start: Int32
    fileprivate var length: Int32
  }

  /// Bytes of a block; a longer line has one of its own.
  private static let blockSize = 1 << 20

  private var blocks: [[UInt8]] = []

  /// - Parameter line: of at most `EvidenceBuilder.maxLine` bytes.
  mutating func append(_ line: [UInt8]) -> Line {
    if blocks.last.map({ $0.capacity - $0.count < line.count }) ?? true {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(max(Self.blockSize, line.count))
    }
    let last = blocks.count - 1
    let start = blocks[last].count
    blocks[last].append(contentsOf: line)
    return Line(
      block: Int32(clamping: last), start: Int32(clamping: start), length: Int32(clamping: line.count))
  }

  subscript(line: Line) -> ArraySlice<UInt8> {
    let start = Int(line.start)
    return blocks[Int(line.block)][start..<(start + Int(line.length))]
  }
}

/// Texts that many records share, such as their sources, each kept once.
struct EvidenceNames: Sendable {
  private var names: [[UInt8]] = []
  private var numbers: [[UInt8]: Int32] = [:]

  /// The number of a name, and whether it is new.
  mutating func number(of name: [UInt8]) -> (number: Int32, isNew: Bool) {
    if let known = numbers[name] { return (known, false) }
    let number = Int32(clamping: names.count)
    names.append(name)
    numbers[name] = number
    return (number, true)
  }

  subscript(number: Int32) -> [UInt8] { names[Int(number)] }

  /// Whether one comes before the other in the order of their bytes; nil where they are the same.
  func precedes(_ left: Int32, _ right: Int32) -> Bool? {
    left == right ? nil : self[left].lexicographicallyPrecedes(self[right])
  }
}
