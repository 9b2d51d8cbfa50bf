import Basics

/// What the lines of a head say for a layout.
struct OffsetProof {
  let layout: OffsetLayout
  /// Lines; those that are valid, with a text column that agrees if there is one; those whose offset continues the
  /// line before.
  private var lines = 0
  private var clean = 0
  private var continuing = 0
  private var hasTextColumn = false
  /// Lines that end with a text that shows every printable byte in its column, less those with another text.
  private var shown = 0
  /// Whether an offset is less than that of the line before: several dumps.
  private var startsAgain = false
  private var firstBytes: [UInt8] = []

  private var isDump: Bool { (hasTextColumn || continuing > 0) && clean * 2 > lines }
  /// Whether it is a dump of packets with their headers: of several, or of one that begins with IP or with Ethernet
  /// and IP. (A tuple whose time begins as IP does would be of 2006.)
  private var isPackets: Bool {
    let isEthernet =
      firstBytes.count > 14 && [[0x08, 0, 0x45], [0x86, 0xdd, 0x60]].contains(firstBytes[12...14])
    return startsAgain || firstBytes.starts(with: [0x45, 0]) || isEthernet
  }

  /// The bytes of the line that is read.
  private var row = DecodedText()

  private init(_ layout: OffsetLayout, in head: TextHead) {
    self.layout = layout
    var next: UInt64?
    for line in head.wholeLines { next = read(line.span.bytes, after: next) }
  }

  /// Reads a line after one that ends at the offset `next`; returns its own end, if it is valid and has bytes.
  private mutating func read(_ line: RawSpan, after next: UInt64?) -> UInt64? {
    row.removeAll()
    let offset = layout.offset(of: line)
    let isClean = offset.map { readColumns(line, $0) } ?? false
    // Lines around an unknown tool's dump do not count.
    if layout.kind != .other || clean > 0 || isClean { lines += 1 }
    if firstBytes.isEmpty { firstBytes = row.bytes }
    guard isClean, let offset else { return nil }
    clean += 1
    if offset.value == next { continuing += 1 }
    if row.bytes.isEmpty { return nil }
    if let next, offset.value < next { startsAgain = true }
    return offset.value &+ UInt64(row.bytes.count)
  }

  /// Reads the columns of a line with this offset; returns whether they are valid.
  private mutating func readColumns(_ line: RawSpan, _ offset: OffsetLayout.Offset) -> Bool {
    guard offset.end - offset.start >= layout.kind.rawValue,
      let column = layout.columnStart(line, afterOffset: offset.end)
    else { return false }
    if column == line.byteCount { return layout.kind != .xxd }
    let outcome = layout.readColumns(line, from: column, isTerminated: true, at: 0, into: &row)
    guard case .whole(let text) = outcome else { return false }
    shown += shows(row.bytes, at: line.byteCount - row.bytes.count, of: line)
    if text == .agrees, layout.kind != .other { hasTextColumn = true }
    return text == .agrees || text == .absent
  }

  /// Whether a text at `start` shows every printable byte in its column: 1 or -1; 0 without such bytes.
  private func shows(_ bytes: [UInt8], at start: Int, of line: RawSpan) -> Int {
    let printable = bytes.indices.filter { (0x21...0x7e).contains(bytes[$0]) }
    guard !printable.isEmpty else { return 0 }
    return start > 0 && printable.allSatisfy { line.byte(at: start + $0) == bytes[$0] } ? 1 : -1
  }

  // MARK: - Results

  enum ProvedLayout: Equatable {
    case layout(OffsetLayout)
    /// Of several packets, or of one with its headers; or of words in an order that nothing shows.
    case packets, words
  }

  /// Most lines must be valid, and at least one unambiguous, as its text column agrees with its bytes or its offset
  /// continues the line before. Other tools' lines prove themselves by their offsets alone.
  static func result(of head: TextHead) -> ProvedLayout? {
    guard head.isText else { return nil }
    let tools = [OffsetLayout(.xxd), OffsetLayout(.xxd, base: .decimal), OffsetLayout(.hexdump)]
    // Offsets below ten are the same in both bases: of equal ones, the first.
    let known = tools.map { OffsetProof($0, in: head) }.filter(\.isDump).max { $0.continuing < $1.continuing }
    if let known { return .layout(known.layout) }
    guard let other = learned(from: head), other.isDump, other.continuing * 2 >= other.clean else {
      return nil
    }
    if other.isPackets { return .packets }
    return other.layout.hasWords && other.shown <= 0 ? .words : .layout(other.layout)
  }

  /// The layout that lines prove whose offsets continue each other: of the bases that the first such lines allow, the
  /// one that most lines do. Nil without such lines.
  private static func learned(from head: TextHead) -> OffsetProof? {
    let pairs = zip(head.wholeLines, head.wholeLines.dropFirst())
    return OffsetBase.allCases.compactMap { base in
      for (line, next) in pairs {
        if let layout = OffsetLayout(line.span.bytes, before: next.span.bytes, base) {
          return OffsetProof(layout, in: head)
        }
      }
      return nil
    }.max { $0.continuing < $1.continuing }
  }
}

extension OffsetLayout {
  /// The layout of the dump that begins with `head`; nil if it is not one.
  package init?(of head: TextHead) {
    guard case .layout(let layout) = OffsetProof.result(of: head) else { return nil }
    self = layout
  }

  /// Words before an offset, at most; bytes of a line, at most, and at least after such words.
  private static let mostWords = 12
  private static let mostBytes: UInt64 = 256
  private static let fewestBytes = 4

  /// The layout of a line whose number of bytes is the distance of its offset from that of the `next` one.
  fileprivate init?(_ line: RawSpan, before next: RawSpan, _ base: OffsetBase) {
    self.init(.other, base: base)
    var (start, nextStart) = (line.skippingMarks(from: 0), next.skippingMarks(from: 0))
    while words < Self.mostWords, start < line.byteCount, nextStart < next.byteCount {
      if let offset = offset(line, at: start),
        let (nextOffset, _) = base.read(next, from: next.skippingPrefix(at: nextStart)),
        nextOffset > offset.value, nextOffset - offset.value <= Self.mostBytes
      {
        width = Int(nextOffset - offset.value)
        if words == 0 || width >= Self.fewestBytes, fit(line, afterOffset: offset.end) { return }
      }
      (start, nextStart) = (line.nextWord(from: start), next.nextWord(from: nextStart))
      words += 1
    }
    return nil
  }

  /// Takes the indices of the columns from a line that has `width` bytes; false if it has not.
  private mutating func fit(_ line: RawSpan, afterOffset index: Int) -> Bool {
    guard let column = columnStart(line, afterOffset: index) else { return false }
    var (start, count) = (column, 0)
    (gap, hasWords) = (0, false)
    while let end = Self.groupEnd(line, from: start) {
      count += (end - start) / 2
      hasWords = hasWords || end - start > 2
      length = end - column
      if count >= width { break }
      start = line.skippingPrefix(at: line.skippingMarks(from: end))
      gap = max(gap, start - end)
    }
    return count == width
  }
}
