import APNsWire
import WireBytes

/// How tuples are searched in bytes of any kind (docs/carving.md).
package struct CarvingOptions: Sendable {
  /// Token lengths, and plausible times.
  package var rules = FeedbackRules.standard
  /// Tuples in a row that are needed: a single one is usually a coincidence.
  package var minChain = 3

  package init() {}
}

/// Finds chains of tuples: back to back, with allowed lengths, plausible times, and tokens that look random.
struct TupleSearch {
  /// Whether a tuple is at an index.
  enum Verdict {
    case tuple(end: Int)
    case none
    /// It depends on bytes after the window.
    case undecided
  }

  /// Distinct values among 32 bytes of a token that looks random. Such a token has 30 on average, and fewer than 20 in one
  /// of 10^12; tables of numbers, which make long chains otherwise, have fewer.
  private static let distinctOf32 = 20

  private let options: CarvingOptions
  /// The low byte of the only allowed token length; nil if there are several, or a long one.
  private let onlyLength: UInt8?

  init(_ options: CarvingOptions) {
    self.options = options
    onlyLength = options.rules.tokenLengths.only.flatMap { UInt8(exactly: $0) }
  }

  /// Bytes after the first one of a chain that suffice to decide on it.
  var needed: Int { options.minChain &* (Tuple.headerLength &+ options.rules.tokenLengths.longest) }

  /// The index from `start` on of the first chain, or of the first byte that is undecided; nil if neither is in the window.
  func firstChain(from start: Int, in window: UnsafeRawBufferPointer, isLast: Bool) -> (
    index: Int, isChain: Bool
  )? {
    var index = start
    while let candidate = nextCandidate(from: index, in: window) {
      switch chain(at: candidate, in: window, isLast: isLast) {
      case .tuple: return (candidate, true)
      case .undecided: return (candidate, false)
      case .none: index = candidate &+ 1
      }
    }
    let rest = max(start, window.count &- Tuple.headerLength &+ 1)
    return isLast || rest >= window.count ? nil : (rest, false)
  }

  private func chain(at start: Int, in window: UnsafeRawBufferPointer, isLast: Bool) -> Verdict {
    var end = start
    for _ in 0..<options.minChain {
      switch tuple(at: end, in: window, isLast: isLast) {
      case .tuple(let next): end = next
      case .none: return .none
      case .undecided: return .undecided
      }
    }
    return .tuple(end: end)
  }

  func tuple(at index: Int, in window: UnsafeRawBufferPointer, isLast: Bool) -> Verdict {
    guard window.count &- index >= Tuple.headerLength else { return isLast ? .none : .undecided }
    let header = UnsafeRawBufferPointer(rebasing: window[index..<index &+ Tuple.headerLength]).bytes
    let length = header.bigEndianUInt16(at: Tuple.lengthOffset)
    let time = header.bigEndianUInt32(at: 0)
    guard options.rules.tokenLengths.contains(length), options.rules.earliest <= time,
      time <= options.rules.latest
    else { return .none }
    let start = index &+ Tuple.headerLength
    let end = start &+ Int(length)
    guard end <= window.count else { return isLast ? .none : .undecided }
    return looksRandom(UnsafeRawBufferPointer(rebasing: window[start..<end])) ? .tuple(end: end) : .none
  }

  /// Whether a token has many distinct bytes; of the first 32, because more would not say more.
  private func looksRandom(_ token: UnsafeRawBufferPointer) -> Bool {
    var seen = SIMD4<UInt64>(repeating: 0)
    let counted = token.prefix(32)
    for byte in counted { seen[Int(byte &>> 6)] |= 1 &<< UInt64(byte & 63) }
    let distinct = (0..<4).reduce(0) { $0 &+ seen[$1].nonzeroBitCount }
    return distinct &* 32 >= Self.distinctOf32 &* counted.count
  }

  // MARK: - Candidates

  /// The first index from `start` on with an allowed length after a time.
  private func nextCandidate(from start: Int, in window: UnsafeRawBufferPointer) -> Int? {
    let last = window.count &- Tuple.headerLength
    guard let base = window.baseAddress, start <= last else { return nil }
    var index = start
    // 8 indices at once: a byte of the mark is 0 where the length's high byte is 0, and its low byte the only one.
    let low = EightBytes.ones &* UInt64(onlyLength ?? 0)
    while index &+ 8 <= last {
      let lengths = base + index + Tuple.lengthOffset
      let high = lengths.loadUnaligned(as: UInt64.self)
      let mark =
        onlyLength == nil ? high : high | (lengths + 1).loadUnaligned(as: UInt64.self) ^ low
      if (mark &- EightBytes.ones) & ~mark & EightBytes.highBits == 0 {
        index &+= 8
        continue
      }
      for candidate in index..<index &+ 8 where isCandidate(base + candidate) { return candidate }
      index &+= 8
    }
    while index <= last {
      if isCandidate(base + index) { return index }
      index &+= 1
    }
    return nil
  }

  private func isCandidate(_ tuple: UnsafeRawPointer) -> Bool {
    let length = (tuple + Tuple.lengthOffset).loadUnaligned(as: UInt16.self).bigEndian
    return options.rules.tokenLengths.contains(length)
  }
}
