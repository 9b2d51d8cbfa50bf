import Basics

/// Finds, in a fast pass over all bytes, the few offsets at which a record may be: pairs of bytes that records have, and
/// blocks of text that may be hex or base64.
///
/// Blocks lie at multiples of 32 bytes of the file, so that the result does not depend on where windows begin. Of each,
/// the first 16 bytes show whether it is text. A chain in text is so long that the blocks in it are known to be text,
/// except for those of base64 with a line break in them.
struct AnchorScan {
  enum Anchor {
    /// Of a token length, a port, or a byte in quoted-printable.
    case pair(Int)
    case text(Int, Text)
    /// Nothing before this index.
    case none(Int)
  }

  /// What the text of a block may be.
  struct Text: OptionSet {
    let rawValue: UInt8
    static let hex = Text(rawValue: 1)
    static let base64 = Text(rawValue: 2)
    /// Part of a token as NSData prints it.
    static let token = Text(rawValue: 4)
  }

  static let blockLength = 32
  /// The bytes of a block that are tested for text.
  static let probeLength = 16
  /// Characters of a line of base64 that is found, with its line break.
  private static let shortestLine = 61
  /// The most blocks of one chain that are tested.
  private static let mostProbes = 8
  /// Bytes from a block on that decide on it.
  private static let reach = mostProbes * blockLength

  private typealias Lanes = SIMD16<UInt8>
  /// All bits of a lane, or none: two words for 16 lanes.
  private typealias Mask = SIMD2<UInt64>

  private struct Pair {
    var first: Lanes
    var second: Lanes

    init(_ first: UInt8, _ second: UInt8) {
      self.first = Lanes(repeating: first)
      self.second = Lanes(repeating: second)
    }

    init(_ number: UInt16) { self.init(UInt8(number >> 8), UInt8(truncatingIfNeeded: number)) }
  }

  /// The token length, the escape of a zero in quoted-printable, and two ports.
  private let length: Pair
  private let escape = Pair(UInt8(ascii: "="), UInt8(ascii: "0"))
  private let ports: (Pair, Pair)
  private let morePorts: [Pair]
  /// With several token lengths, a zero or any byte begins one.
  private let anyLength: Bool
  private let anyByte: Bool
  /// Blocks of the shortest chain that are certainly inside it, and how many of them are text at least.
  private let hexProbes: Int
  private let base64Probes: (count: Int, text: Int)

  init(_ tuples: TupleSearch, ports: [UInt16]) {
    length = Pair(UInt16(clamping: tuples.onlyLength ?? 0))
    let pairs = ports.map { Pair($0) }
    self.ports = (pairs.first ?? escape, pairs.dropFirst().first ?? escape)
    morePorts = Array(pairs.dropFirst(2))
    anyLength = tuples.onlyLength == nil
    anyByte = tuples.onlyLength == nil && tuples.rules.tokenLengths.longest > 0xff
    func probes(_ characters: Int) -> Int {
      let blocks = (characters - Self.blockLength - Self.probeLength + 1) / Self.blockLength + 1
      return max(1, min(blocks, Self.mostProbes))
    }
    hexProbes = probes(2 * tuples.shortestChain)
    let count = probes(tuples.shortestChain * 4 / 3)
    let tested = (count - 1) * Self.blockLength + Self.probeLength
    let breaks = (tested + Self.shortestLine - 1) / Self.shortestLine
    base64Probes = (count, max(1, count - breaks))
  }

  func next(from start: Int, in window: UnsafeRawBufferPointer, windowOffset: Int, isLast: Bool) -> Anchor {
    guard let base = window.baseAddress else { return .none(start) }
    // An index of the window at a multiple of the block length of the file; it may be before the window.
    var block = start &- ((windowOffset &+ start) & (Self.blockLength &- 1))
    var first = start
    let end = window.count &- (isLast ? Self.blockLength : Self.reach)
    while block < end {
      if first == block, case let text = text(base + block), !text.isEmpty,
        case let confirmed = confirmed(text, at: block, in: window), !confirmed.isEmpty
      {
        return .text(block, confirmed)
      }
      if let found = pair(from: first, inBlock: block, base) { return .pair(found) }
      block &+= Self.blockLength
      first = block
    }
    guard isLast else { return .none(first) }
    return nextAtEnd(from: first, block: block, in: window)
  }

  /// The anchor that follows a text block without records in it.
  func afterText(_ block: Int, in window: UnsafeRawBufferPointer) -> Anchor {
    if let base = window.baseAddress, block &+ Self.blockLength < window.count {
      if let found = pair(from: block, inBlock: block, base) { return .pair(found) }
      return .none(block &+ Self.blockLength)
    }
    return lastPair(from: block, in: window)
  }

  private func nextAtEnd(from start: Int, block: Int, in window: UnsafeRawBufferPointer) -> Anchor {
    if start == block, block &+ Self.probeLength <= window.count, let base = window.baseAddress {
      let confirmed = confirmed(text(base + block), at: block, in: window)
      if !confirmed.isEmpty { return .text(block, confirmed) }
    }
    return lastPair(from: start, in: window)
  }

  private func lastPair(from start: Int, in window: UnsafeRawBufferPointer) -> Anchor {
    for index in start..<max(start, window.count) where isPair(at: index, in: window) { return .pair(index) }
    return .none(window.count)
  }

  // MARK: - Pairs

  @inline(__always)
  private func pair(from first: Int, inBlock block: Int, _ base: UnsafeRawPointer) -> Int? {
    let (low, high) = (marks(base + block), marks(base + block + 16))
    let both = low | high
    if both[0] | both[1] == 0 { return nil }
    return firstMark(low, high, from: first &- block).map { block &+ $0 }
  }

  /// The lanes at which a pair begins.
  @inline(__always)
  private func marks(_ bytes: UnsafeRawPointer) -> Mask {
    let these = bytes.loadUnaligned(as: Lanes.self)
    let next = (bytes + 1).loadUnaligned(as: Lanes.self)
    func lanes(_ pair: Pair) -> Mask { Self.equal(these, pair.first) & Self.equal(next, pair.second) }
    let found = lanes(length) | lanes(escape) | lanes(ports.0) | lanes(ports.1)
    if anyLength || !morePorts.isEmpty { return found | unusualMarks(these, next) }
    return found
  }

  @inline(never)
  private func unusualMarks(_ these: Lanes, _ next: Lanes) -> Mask {
    if anyByte { return Mask(repeating: ~0) }
    var found = anyLength ? Self.equal(these, Lanes(repeating: 0)) : Mask(repeating: 0)
    for port in morePorts { found |= Self.equal(these, port.first) & Self.equal(next, port.second) }
    return found
  }

  /// The index of the first mark that is not before `first`.
  @inline(never)
  private func firstMark(_ low: Mask, _ high: Mask, from first: Int) -> Int? {
    for (word, lanes) in [low[0], low[1], high[0], high[1]].enumerated() {
      var rest = UInt64(littleEndian: lanes)
      let skipped = first &- 8 &* word
      if skipped >= 8 { continue }
      if skipped > 0 { rest &= ~0 &<< UInt64(8 &* skipped) }
      if rest != 0 { return 8 &* word &+ rest.trailingZeroBitCount &>> 3 }
    }
    return nil
  }

  private func isPair(at index: Int, in window: UnsafeRawBufferPointer) -> Bool {
    guard index &+ 1 < window.count else { return false }
    let (first, second) = (window[index], window[index &+ 1])
    if anyLength, anyByte || first == 0 { return true }
    return ([length, escape, ports.0, ports.1] + morePorts).contains {
      $0.first[0] == first && $0.second[0] == second
    }
  }

  // MARK: - Text

  /// What 16 bytes may be part of. Hex and base64 allow a few more characters here.
  @inline(__always)
  private func text(_ bytes: UnsafeRawPointer) -> Text {
    let these = bytes.loadUnaligned(as: Mask.self)
    // Binary bytes are seldom all ASCII, which the comparisons need.
    if (these[0] | these[1]) & EightBytes.highBits != 0 { return [] }
    let lower = these | Mask(repeating: EightBytes.ones &* 0x20)
    let letters = Self.range(lower, "a", "z")
    let base64 = letters | Self.range(these, "+", "9") | Self.range(these, "_", "_")
    let hexLetters = Self.range(lower, "a", "f")
    let hex =
      hexLetters | Self.range(these, " ", ">") | Self.range(these, "\t", "\r") | Self.range(lower, "x", "x")
      | Self.range(these, "\\", "\\")
    var text: Text = Self.isFull(base64) ? .base64 : []
    guard Self.isFull(hex) else { return text }
    text.insert(.hex)
    let token =
      hexLetters | Self.range(these, "0", "9") | Self.range(these, " ", " ") | Self.range(these, "<", "<")
      | Self.range(these, ">", ">")
    if Self.isFull(token) { text.insert(.token) }
    return text
  }

  /// Without the forms of which the later blocks of a chain are not.
  @inline(never)
  private func confirmed(_ text: Text, at block: Int, in window: UnsafeRawBufferPointer) -> Text {
    guard let base = window.baseAddress else { return [] }
    var confirmed = text
    var misses = 0
    for probe in 1..<max(hexProbes, base64Probes.count, 2) {
      guard !confirmed.isDisjoint(with: [.hex, .base64]) else { break }
      let next = block &+ probe &* Self.blockLength
      let found = next &+ Self.probeLength <= window.count ? self.text(base + next) : []
      if probe < hexProbes, !found.contains(.hex) { confirmed.remove(.hex) }
      if probe < base64Probes.count, !found.contains(.base64) {
        misses &+= 1
        if misses > base64Probes.count &- base64Probes.text { confirmed.remove(.base64) }
      }
    }
    return confirmed
  }

  // MARK: - Lanes

  // The operators of SIMD masks are not compiled to instructions; those of integers are.

  @inline(__always)
  private static func equal(_ left: Lanes, _ right: Lanes) -> Mask {
    unsafeBitCast(left .== right, to: Mask.self)
  }

  /// The high bit of each lane from `first` to `last`. All lanes are ASCII, so that no sum has a carry.
  @inline(__always)
  private static func range(_ lanes: Mask, _ first: Unicode.Scalar, _ last: Unicode.Scalar) -> Mask {
    let notBelow = lanes &+ Mask(repeating: EightBytes.ones &* UInt64(0x80 &- UInt8(ascii: first)))
    let above = lanes &+ Mask(repeating: EightBytes.ones &* UInt64(0x7f &- UInt8(ascii: last)))
    return notBelow & ~above
  }

  /// Whether the high bits of all lanes are set.
  @inline(__always)
  private static func isFull(_ mask: Mask) -> Bool {
    mask[0] & mask[1] & EightBytes.highBits == EightBytes.highBits
  }
}
