import Basics
internal import WideBytes

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

  /// All bits of a lane, or none: two words for 16 lanes.
  private typealias Mask = SIMD2<UInt64>

  /// Token lengths, the escape of a zero in quoted-printable, and ports; a multiple of four.
  private let pairs: [BytePair]
  /// Any byte may begin a token length.
  private let anyByte: Bool
  /// Blocks of the shortest chain that are certainly inside it, and how many of them are text at least.
  private let hexProbes: Int
  private let base64Probes: (count: Int, text: Int)

  init(_ tuples: TupleSearch, ports: [UInt16]) {
    // Of several token lengths, a zero or any byte is the first.
    let length = BytePair(
      UInt16(clamping: tuples.onlyLength ?? 0), mask: tuples.onlyLength == nil ? 0 : 0xff)
    let escape = BytePair(first: UInt8(ascii: "="), second: UInt8(ascii: "0"), mask: 0xff)
    let known = [length, escape] + ports.map { BytePair($0) }
    pairs = known + [BytePair](repeating: escape, count: -known.count & 3)
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
      if first == block, !anyByte {
        block = find_block(base, block, end, pairs, pairs.count)
        first = block
        if block >= end { break }
      }
      if first == block, case let text = text(base + block), !text.isEmpty,
        case let confirmed = confirmed(text, at: block, in: window), !confirmed.isEmpty
      {
        return .text(block, confirmed)
      }
      if let found = pair(from: first, inBlock: block, window) { return .pair(found) }
      block &+= Self.blockLength
      first = block
    }
    guard isLast else { return .none(first) }
    return nextAtEnd(from: first, block: block, in: window)
  }

  /// The anchor that follows a text block without records in it.
  func afterText(_ block: Int, in window: UnsafeRawBufferPointer) -> Anchor {
    if block &+ Self.blockLength < window.count {
      if let found = pair(from: block, inBlock: block, window) { return .pair(found) }
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
    for index in start..<max(start, window.count &- 1) where isPair(at: index, window) { return .pair(index) }
    return .none(window.count)
  }

  // MARK: - Pairs

  /// The first pair in a block from `first` on. A byte must follow the block.
  private func pair(from first: Int, inBlock block: Int, _ window: UnsafeRawBufferPointer) -> Int? {
    // A block may begin before the window.
    guard block >= 0, !anyByte, let base = window.baseAddress else {
      return (first..<block &+ Self.blockLength).first { isPair(at: $0, window) }
    }
    let marks = mark_pairs(base + block, pairs, pairs.count) & ~0 &<< UInt32(first &- block)
    return marks == 0 ? nil : block &+ marks.trailingZeroBitCount
  }

  /// - Parameter index: of any byte but the last.
  private func isPair(at index: Int, _ window: UnsafeRawBufferPointer) -> Bool {
    let (first, second) = (window[index], window[index &+ 1])
    return anyByte || pairs.contains { $0.first == first && $0.second == second & $0.mask }
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

extension BytePair {
  fileprivate init(_ number: UInt16, mask: UInt8 = 0xff) {
    self.init(first: UInt8(number >> 8), second: UInt8(truncatingIfNeeded: number), mask: mask)
  }
}
