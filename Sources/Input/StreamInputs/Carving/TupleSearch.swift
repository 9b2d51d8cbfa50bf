import APNsWire
import Basics

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

/// The decision depends on this number of bytes from the index `start` on, and the window has fewer.
struct NeedsWindow: Error {
  var start: Int
  var count: Int
}

/// Judges chains of tuples: back to back, with allowed lengths, plausible times, and tokens that look random.
struct TupleSearch {
  enum Chain {
    /// - Parameter length: the number of tuples, up to `Carving.maxCountedLength`.
    case found(length: Int)
    /// There are too few tuples, up to `end`.
    case tooShort(end: Int)
  }

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
  var shortestChain: Int { minChain &* (Tuple.headerLength &+ (onlyLength ?? 0)) }

  /// The chain from `start` on, of which tuples up to `limit` are counted.
  /// - Parameter isSpaced: whether separators may lie between its tuples.
  func chain(
    at start: Int, upTo limit: Int, in window: UnsafeRawBufferPointer, isLast: Bool, isSpaced: Bool = false
  ) throws(NeedsWindow) -> Chain {
    var spacing = isSpaced ? TupleSpacing(rules) : nil
    var (end, group) = (start, start)
    var length = 0
    do throws(NeedsBytes) {
      while length < limit {
        if let next = try tuple(at: end, in: window, isLast: isLast) {
          end = next
          length &+= 1
        } else if end > group,
          let next = try spacing?.next(after: end, group: group, in: window.bytes, isLast: isLast)
        {
          (end, group) = (next, next)
        } else {
          break
        }
      }
    } catch {
      // Twice the number each time, so that a long chain is not counted often.
      let count = max(limit &* longestTuple, 2 &* (end &- start) &+ TupleSpacing.reach(rules))
      throw NeedsWindow(start: start, count: count)
    }
    return length >= min(minChain, limit) ? .found(length: length) : .tooShort(end: end)
  }

  /// The end of the whole tuple at `index`.
  func tuple(at index: Int, in window: UnsafeRawBufferPointer, isLast: Bool) throws(NeedsBytes) -> Int? {
    let end = try rules.tupleEnd(at: index, in: window.bytes, isLast: isLast)
    return end ?? 0 > window.count ? nil : end
  }

  func isPlausible(_ time: UInt32) -> Bool { rules.earliest <= time && time <= rules.latest }
}
