import APNsWire
import WireBytes

/// Lines that are no push.
package struct LogSkip: Equatable, Sendable {
  /// Offset in the stream, and number of bytes with the line ends.
  package var offset: Int
  package var length: Int
  /// Number of the first line, from 1, and number of lines.
  package var firstLine: Int
  package var lines: Int
  /// What is wrong with the first line; nil if the lines say nothing of pushes.
  package var problem: LogProblem?
}

/// Decodes the log of a provider, in chunks of any size (docs/spec/provider-logs.md). No I/O.
///
/// Each byte is in exactly one step. The steps do not depend on where chunks end.
package final class LogDecoder {
  /// The longest line, or record of several lines in CSV, in bytes with its end. Longer ones are skipped.
  package static let longestLine = 64 << 10
  /// The most lines of a record in CSV: a quote that is never closed must not hide more.
  static let mostLines = 64

  package enum Step: Equatable, Sendable {
    /// A push: `fields` and `texts` have what is known of it.
    case push(offset: Int, length: Int)
    /// A header, or lines without text.
    case passed(offset: Int, length: Int)
    /// `problemText` has the value that is wrong.
    case skipped(LogSkip)
    /// The last line has no end, and no JSON is complete in it.
    case truncated(offset: Int, length: Int)
    /// The chunk is used up.
    case needsBytes
    /// All steps were returned; only after `finish()`.
    case finished
  }

  let names: LogNames
  let cache = LogNameCache()
  let push = LogPush(longestLine: LogDecoder.longestLine)
  /// Nil unless the log began with a header line.
  @exclusivity(unchecked) var columns: CSVColumns?
  @exclusivity(unchecked) var hasBegun = false
  @exclusivity(unchecked) var hasEnded = false

  /// Undecided bytes of earlier chunks; those before `carryStart` are decided.
  @exclusivity(unchecked) private var carry: [UInt8] = []
  @exclusivity(unchecked) private var carryStart = 0
  /// Index in the chunk of the next byte.
  @exclusivity(unchecked) private var cursor = 0
  /// Offset in the stream of the next undecided byte.
  @exclusivity(unchecked) package private(set) var undecidedOffset: Int
  @exclusivity(unchecked) var line = 1
  /// Whether the rest of a line is skipped that is too long.
  @exclusivity(unchecked) var isInLongLine = false
  @exclusivity(unchecked) var skip: LogSkip?
  /// Up to `shownBytes` of the value that is wrong in the first line of the skip that was returned last.
  @exclusivity(unchecked) package private(set) var problemText: [UInt8] = []
  /// The same of the current skip, and of the line that is being read.
  @exclusivity(unchecked) private var skipText: [UInt8] = []
  @exclusivity(unchecked) var nextProblemText: [UInt8] = []
  static let shownBytes = 40
  /// A step that follows the one that was returned last.
  @exclusivity(unchecked) private var held: Step?
  /// Pushes of one line that were not returned so far; their ranges are offsets in the stream.
  @exclusivity(unchecked) var elements: [JSONLine.Element] = []
  @exclusivity(unchecked) var nextElement = 0
  @exclusivity(unchecked) var elementsEnd = 0
  /// Nil until a line begins one.
  @exclusivity(unchecked) var transcript: Transcript?

  package init(_ mapping: LogMapping = LogMapping(), offset: Int = 0) {
    names = LogNames(mapping)
    undecidedOffset = offset
  }

  /// What is known of the push of the last step.
  @exclusivity(unchecked) package private(set) var fields = PushFields()

  /// Calls `body` with the buffer that its texts are ranges of.
  package func withTexts<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try push.withTexts(body)
  }

  /// Offset of the first byte that is being skipped; nil if none is.
  package var pendingSkip: Int? { skip?.offset }

  /// Marks the end of the stream.
  package func finish() { hasEnded = true }

  /// Learns from the beginning of the log whether `timestamp` is the time of a line.
  package func prepare(with head: RawSpan) {
    guard !push.hasLineTimes else { return }
    let trial = LogDecoder(mapping: names)
    while true {
      switch trial.next(in: head) {
      case .needsBytes, .finished:
        push.hasLineTimes = trial.push.hasLineTimes
        return
      default: break
      }
    }
  }

  private init(mapping names: LogNames) {
    self.names = names
    undecidedOffset = 0
  }

  /// The next step in `chunk`, which must be the same until it returns `needsBytes`.
  package func next(in chunk: RawSpan) -> Step {
    if let step = held {
      held = nil
      return step
    }
    while true {
      if let exchange = transcript?.takeReady() {
        if let step = step(exchange) { return step }
        continue
      }
      var read: Read?
      let isFromCarry = !carry.isEmpty
      if isFromCarry {
        read = carry.withUnsafeBytes { bytes in
          bytes.baseAddress.flatMap { self.read($0 + carryStart, bytes.count - carryStart) }
        }
      } else if cursor < chunk.byteCount {
        read = chunk.withUnsafeBytes { bytes in
          bytes.baseAddress.flatMap { self.read($0 + cursor, bytes.count - cursor) }
        }
      }
      guard let read else {
        if extendCarry(from: chunk) { continue }
        cursor = 0
        if hasEnded, let transcript, transcript.isOpen {
          transcript.finish()
          continue
        }
        return hasEnded ? takeSkip() ?? .finished : .needsBytes
      }
      let offset = undecidedOffset
      undecidedOffset &+= read.length
      if isFromCarry {
        carryStart &+= read.length
        if carryStart == carry.count {
          carry.removeAll(keepingCapacity: true)
          carryStart = 0
        }
      } else {
        cursor &+= read.length
      }
      if let step = step(read, offset) { return step }
    }
  }

  /// What was read from the beginning of the window.
  struct Read {
    var length: Int
    var outcome: Outcome
    /// Of its first byte.
    var line: Int

    enum Outcome {
      case push, passed, blank, unrelated, truncated
      case problem(LogProblem)
      /// The rest of a line that is too long.
      case more
    }
  }

  /// Appends bytes of the chunk to `carry`, up to the end of a line. Returns false if there are none.
  private func extendCarry(from chunk: RawSpan) -> Bool {
    guard cursor < chunk.byteCount, !hasEnded else { return false }
    if carryStart > 0 {
      carry.removeFirst(carryStart)
      carryStart = 0
    }
    let most = min(chunk.byteCount &- cursor, max(1, Self.longestLine &+ 1 &- carry.count))
    chunk.extracting(cursor..<cursor &+ most).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let end = LineSearch.lineEnd(base, 0..<bytes.count).map { $0 &+ 1 } ?? bytes.count
      carry.append(contentsOf: bytes[..<end])
      cursor &+= end
    }
    return true
  }

  // MARK: - Steps

  /// The step for what was read; nil if more must be read for it.
  private func step(_ read: Read, _ offset: Int) -> Step? {
    switch read.outcome {
    case .push:
      fields = push.fields
      fields.line = read.line
      return after(.push(offset: offset, length: read.length))
    case .blank where skip != nil:
      skip?.length &+= read.length
      return nil
    case .passed, .blank: return after(.passed(offset: offset, length: read.length))
    case .truncated: return after(.truncated(offset: offset, length: read.length))
    case .more:
      skip?.length &+= read.length
      return nil
    case .unrelated: return extendSkip(by: read, offset, nil)
    case .problem(let problem): return extendSkip(by: read, offset, problem)
    }
  }

  /// A push of several lines, which were passed before.
  private func step(_ exchange: Transcript.Exchange) -> Step? {
    let result = exchange.text.withUnsafeBytes { text in
      text.baseAddress.map { push.make(exchange.values, of: $0) } ?? .unrelated
    }
    guard case .push = result else { return nil }
    fields = push.fields
    fields.line = exchange.line
    return after(.push(offset: exchange.offset, length: 0))
  }

  private func after(_ step: Step) -> Step {
    guard let skipped = takeSkip() else { return step }
    held = step
    return skipped
  }

  private func takeSkip() -> Step? {
    guard let skipped = skip.take() else { return nil }
    problemText = skipText
    return .skipped(skipped)
  }

  /// Adds lines to the current skip if they have the same problem; else begins a new one.
  private func extendSkip(by read: Read, _ offset: Int, _ problem: LogProblem?) -> Step? {
    if let current = skip, current.problem?.cause == problem?.cause {
      skip?.length &+= read.length
      skip?.lines &+= 1
      return nil
    }
    let before = takeSkip()
    skip = LogSkip(offset: offset, length: read.length, firstLine: read.line, lines: 1, problem: problem)
    skipText = problem == nil ? [] : nextProblemText
    return before
  }
}
