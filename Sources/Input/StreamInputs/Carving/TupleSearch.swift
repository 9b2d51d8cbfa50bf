import APNsWire
import WireBytes

/// How records are searched in bytes of any kind (docs/carving.md).
package struct CarvingOptions: Sendable {
  /// Token lengths, and plausible times.
  package var rules = FeedbackRules.standard
  package var requestRules = RequestRules.standard
  /// Tuples in a row that are needed: a single one is usually a coincidence.
  package var minChain = 3
  /// The clock of times in text that name no zone; nil reads them as UTC, with a flag.
  package var logZone: LogZone?

  package init() {}
}

/// Judges chains of tuples: back to back, with allowed lengths, plausible times, and tokens that look random.
struct TupleSearch {
  enum Verdict {
    case tuple(end: Int)
    case none
    /// It depends on bytes after the window.
    case undecided
  }

  enum ChainVerdict {
    /// - Parameter length: the number of tuples, up to `Carving.maxCountedLength`.
    case chain(length: Int)
    /// There are fewer tuples, up to `end`.
    case none(end: Int)
    case undecided
  }

  /// Distinct values among 32 bytes of a token that looks random. Such a token has 30 on average, and fewer than 20 in one
  /// of 10^12; tables of numbers, which make long chains otherwise, have fewer.
  private static let distinctOf32 = 20

  let rules: FeedbackRules
  let minChain: Int
  /// The only allowed token length; nil if there are several.
  let onlyLength: Int?

  init(_ options: CarvingOptions) {
    rules = options.rules
    minChain = options.minChain
    onlyLength = options.rules.tokenLengths.only.map(Int.init)
  }

  var longestTuple: Int { Tuple.headerLength &+ rules.tokenLengths.longest }
  /// Bytes of the shortest chain.
  var shortestChain: Int { minChain &* (Tuple.headerLength &+ (onlyLength ?? 0)) }

  /// The chain from `start` on, of which tuples up to `limit` are counted.
  func chain(
    at start: Int, upTo limit: Int = .max, in window: UnsafeRawBufferPointer, isLast: Bool
  ) -> ChainVerdict {
    var end = start
    var length = 0
    counting: while length < limit {
      switch tuple(at: end, in: window, isLast: isLast) {
      case .tuple(let next): end = next
      case .none: break counting
      case .undecided: return .undecided
      }
      length &+= 1
    }
    return length >= min(minChain, limit) ? .chain(length: length) : .none(end: end)
  }

  func tuple(at index: Int, in window: UnsafeRawBufferPointer, isLast: Bool) -> Verdict {
    guard window.count &- index >= Tuple.headerLength else { return isLast ? .none : .undecided }
    let time = UInt32(bigEndian: window.loadUnaligned(fromByteOffset: index, as: UInt32.self))
    let length = UInt16(
      bigEndian: window.loadUnaligned(fromByteOffset: index &+ Tuple.lengthOffset, as: UInt16.self))
    guard rules.tokenLengths.contains(length), isPlausible(time) else { return .none }
    let start = index &+ Tuple.headerLength
    let end = start &+ Int(length)
    guard end <= window.count else { return isLast ? .none : .undecided }
    return looksRandom(UnsafeRawBufferPointer(rebasing: window[start..<end])) ? .tuple(end: end) : .none
  }

  func isPlausible(_ time: UInt32) -> Bool { rules.earliest <= time && time <= rules.latest }

  /// Whether a token has many distinct bytes; of the first 32, because more would not say more.
  func looksRandom(_ token: UnsafeRawBufferPointer) -> Bool {
    var seen = SIMD4<UInt64>(repeating: 0)
    let counted = token.prefix(32)
    for byte in counted { seen[Int(byte &>> 6)] |= 1 &<< UInt64(byte & 63) }
    let distinct = (0..<4).reduce(0) { $0 &+ seen[$1].nonzeroBitCount }
    return distinct &* 32 >= Self.distinctOf32 &* counted.count
  }
}
