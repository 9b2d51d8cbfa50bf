import Basics

extension OffsetLayout {
  /// What the lines of a head say for a layout.
  private struct Evidence {
    /// Lines; those that are valid, with a text column that agrees if there is one; those whose offset continues the
    /// line before.
    var lines = 0
    var clean = 0
    var continuing = 0
    var hasTextColumn = false
    /// Lines that end with a text that shows every printable byte in its column, less those with another text.
    var shown = 0
    /// Whether an offset is less than that of the line before: several dumps.
    var startsAgain = false
    var firstBytes: [UInt8] = []

    var isDump: Bool { (hasTextColumn || continuing > 0) && clean * 2 > lines }
    /// Other tools' lines prove themselves by their offsets alone.
    var isRegular: Bool { isDump && continuing * 2 >= clean }
    /// Whether it is a dump of packets with their headers: of several, or of one that begins with IP or with Ethernet
    /// and IP. (A tuple whose time begins as IP does would be of 2006.)
    var isPackets: Bool {
      let isEthernet =
        firstBytes.count > 14 && [[0x08, 0, 0x45], [0x86, 0xdd, 0x60]].contains(firstBytes[12...14])
      return isRegular && (startsAgain || firstBytes.starts(with: [0x45, 0]) || isEthernet)
    }
  }

  /// The layout of the dump that begins with `head` (`isWhole`: and has no more); nil if it is not one: most lines are
  /// valid, and at least one is unambiguous, as its text column agrees with its bytes or its offset continues the line
  /// before.
  package init?(of head: RawSpan, isWhole: Bool) {
    guard !head.hasControlCharacters else { return nil }
    let tools = [OffsetLayout(.xxd), OffsetLayout(.xxd, base: .decimal), OffsetLayout(.hexdump)]
    let found = tools.map { ($0, $0.evidence(in: head, isWhole: isWhole)) }.filter { $0.1.isDump }
    // Offsets below ten are the same in both bases: of equal ones, the first.
    if let most = found.map({ $0.1.continuing }).max(),
      let best = found.first(where: { $0.1.continuing == most })
    {
      self = best.0
    } else if let other = Self.learned(from: head, isWhole: isWhole),
      case let evidence = other.evidence(in: head, isWhole: isWhole), evidence.isRegular, !evidence.isPackets,
      !other.hasWords || evidence.shown > 0
    {
      self = other
    } else {
      return nil
    }
  }

  func isDump(_ head: RawSpan, isWhole: Bool) -> Bool { evidence(in: head, isWhole: isWhole).isRegular }

  func isPackets(_ head: RawSpan, isWhole: Bool) -> Bool { evidence(in: head, isWhole: isWhole).isPackets }

  private func evidence(in head: RawSpan, isWhole: Bool) -> Evidence {
    var evidence = Evidence()
    var scratch = DecodedText()
    var next: UInt64?
    for range in head.lines(isWhole: isWhole) {
      let line = head.extracting(range)
      scratch.removeAll()
      let isClean = read(line, next: next, into: &scratch, &evidence)
      // Lines around an unknown tool's dump do not count.
      evidence.lines += kind != .other || evidence.clean > 0 || isClean ? 1 : 0
      evidence.clean += isClean ? 1 : 0
      if evidence.firstBytes.isEmpty { evidence.firstBytes = scratch.bytes }
      next = nil
      if isClean, !scratch.bytes.isEmpty, let offset = offset(of: line) {
        next = offset.value &+ UInt64(scratch.bytes.count)
      }
    }
    return evidence
  }

  /// Reads a line after one that ends at the offset `next`; returns whether it is valid.
  private func read(
    _ line: RawSpan, next: UInt64?, into scratch: inout DecodedText, _ evidence: inout Evidence
  ) -> Bool {
    guard let offset = offset(of: line), offset.end - offset.start >= fewestDigits,
      let column = columnStart(line, afterOffset: offset.end)
    else { return false }
    var isClean = column == line.byteCount && kind != .xxd
    if column < line.byteCount,
      case .whole(let end) = readColumn(line, from: column, isTerminated: true, at: 0, into: &scratch)
    {
      let text = compare(line, from: end, with: scratch.bytes[...])
      isClean = text == .agrees || text == .absent
      evidence.shown += shown(scratch.bytes, line)
      if text == .agrees, kind != .other { evidence.hasTextColumn = true }
    }
    if isClean, let next {
      if offset.value == next { evidence.continuing += 1 }
      if offset.value < next, !scratch.bytes.isEmpty { evidence.startsAgain = true }
    }
    return isClean
  }

  /// Whether a text at the end of the line shows every printable byte in its column: 1 or -1; 0 without such bytes.
  private func shown(_ bytes: [UInt8], _ line: RawSpan) -> Int {
    let start = line.byteCount - bytes.count
    let printable = bytes.indices.filter { (0x21...0x7e).contains(bytes[$0]) }
    guard !printable.isEmpty else { return 0 }
    return start > 0 && printable.allSatisfy { line.byte(at: start + $0) == bytes[$0] } ? 1 : -1
  }

  /// The layout that lines prove whose offsets continue each other: of the bases that the first such lines allow, the one
  /// that most lines do. Nil without such lines.
  static func learned(from head: RawSpan, isWhole: Bool) -> OffsetLayout? {
    let lines = head.lines(isWhole: isWhole)
    let layouts = OffsetBase.allCases.compactMap { base in
      zip(lines, lines.dropFirst()).lazy.compactMap { line, next in
        OffsetLayout(head.extracting(line), before: head.extracting(next), base)
      }.first
    }
    return layouts.map { ($0, $0.evidence(in: head, isWhole: isWhole).continuing) }.max { $0.1 < $1.1 }?.0
  }

  /// Words before an offset, at most; bytes of a line, at most, and at least after such words.
  private static let mostWords = 12
  private static let mostBytes: UInt64 = 256
  private static let fewestBytes = 4

  /// The layout of a line whose number of bytes is the distance of its offset from that of the `next` one.
  private init?(_ line: RawSpan, before next: RawSpan, _ base: OffsetBase) {
    var (start, nextStart) = (line.skippingMarks(from: 0), next.skippingMarks(from: 0))
    for words in 0..<Self.mostWords where start < line.byteCount && nextStart < next.byteCount {
      let digits = line.skippingPrefix(at: start)
      if let (offset, end) = base.read(line, from: digits), end - digits >= 4,
        let (nextOffset, _) = base.read(next, from: next.skippingPrefix(at: nextStart)), nextOffset > offset,
        nextOffset - offset <= Self.mostBytes, words == 0 || nextOffset - offset >= Self.fewestBytes
      {
        self.init(.other, base: base)
        (self.words, width) = (words, Int(nextOffset - offset))
        if fit(line, afterOffset: end) { return }
      }
      start = line.skippingMarks(from: line.wordEnd(from: start))
      nextStart = next.skippingMarks(from: next.wordEnd(from: nextStart))
    }
    return nil
  }

  /// Takes the indices of the columns from a line that has `width` bytes; false if it has not.
  private mutating func fit(_ line: RawSpan, afterOffset index: Int) -> Bool {
    guard let column = columnStart(line, afterOffset: index) else { return false }
    var (start, count) = (column, 0)
    gap = 0
    while let end = Self.groupEnd(line, from: start) {
      count += (end - start) / 2
      hasWords = hasWords || end - start > 2
      if count >= width {
        length = end - column
        return count == width
      }
      let next = line.skippingPrefix(at: line.skippingMarks(from: end))
      gap = max(gap, next - end)
      start = next
    }
    return false
  }
}
