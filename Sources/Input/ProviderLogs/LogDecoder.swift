import APNsWire
import Basics

/// Adjacent lines that are not pushes.
package struct LogSkip: Equatable, Sendable {
  /// Offset in the stream, and length in bytes with line ends.
  package var offset: Int
  package var length: Int
  /// Number of the first line, from 1, and number of lines.
  package var firstLine: Int
  package var lines: Int
  /// The finding of the first line; nil if the lines are unrelated to pushes.
  package var finding: LogFinding?
}

/// What a log has. Offsets and lengths are those of bytes in the stream.
package enum LogRecord: Equatable, Sendable {
  /// A push. See `fields` and `withTexts`.
  case push(offset: Int, length: Int)
  /// A header line, blank lines, or lines of a transcript.
  case passed(offset: Int, length: Int)
  /// Lines that are not pushes. `problemText` is the wrong value.
  case skipped(LogSkip)
}

/// Decodes the log of a provider, in chunks of any size (docs/spec/provider-logs.md). No I/O.
///
/// Used like a `RunDecoder`. Each byte is in exactly one step. If the last line has no line feed and its JSON is cut off,
/// it is truncated. One thread at a time may use it.
package final class LogDecoder: @unchecked Sendable {
  /// The maximum length of a line or CSV record, in bytes with its line end. Longer ones are skipped.
  package static let longestLine = 64 << 10
  /// The maximum number of lines of a CSV record, in case a quote is never closed.
  static let mostLines = 64
  /// The last line that may be the header of a list.
  static let mostTitles = 5

  package typealias Step = DecoderStep<LogRecord>

  let options: LogOptions
  let names: LogNames
  let forms: FormMatcher
  let cache = LogNameCache()
  let push: LogPush
  /// Nil without a header line.
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
  /// Of the next byte, from 1; and whether its line has begun before it.
  @exclusivity(unchecked) var line = 1
  @exclusivity(unchecked) var isLineBegun = false
  /// Whether the rest of a too long line is being skipped.
  @exclusivity(unchecked) var isInLongLine = false
  @exclusivity(unchecked) var skip: LogSkip?
  /// The first `shownBytes` of the wrong value in the first line of the last returned skip.
  @exclusivity(unchecked) package private(set) var findingText: [UInt8] = []
  /// Likewise for the current skip, and for the current line.
  @exclusivity(unchecked) private var skipText: [UInt8] = []
  @exclusivity(unchecked) var nextFindingText: [UInt8] = []
  static let shownBytes = 40
  /// A step that follows the one that was returned last.
  @exclusivity(unchecked) private var held: Step?
  /// Elements of the lists in the current record, as offsets in it, or in the nested text of this depth, from 1.
  @exclusivity(unchecked) var elements: [MemberReader.Element] = []
  @exclusivity(unchecked) var elementsDepth = 0
  /// Elements of the lists in the last element, to be read next.
  @exclusivity(unchecked) var innerElements: [MemberReader.Element] = []
  @exclusivity(unchecked) var nextElement = 0
  /// Offsets of the record in the stream.
  @exclusivity(unchecked) var (elementsStart, elementsEnd) = (0, 0)
  /// Lines of other programs that were values in a line.
  @exclusivity(unchecked) var nestedTexts: [[UInt8]] = [[], []]
  /// The current line without escapes, if it had some.
  @exclusivity(unchecked) var plainLine: [UInt8] = []
  static let deepestText = 2
  /// The structures around the next element, the outermost first.
  @exclusivity(unchecked) var openStructures: [OpenStructure] = []
  /// The last name in an open structure.
  @exclusivity(unchecked) var listName: LogName?
  /// Offset in the stream before which no line begins a structure.
  @exclusivity(unchecked) var structuresBegin = 0
  /// Whether a structure began inside of an unfinished one: two programs may write at once.
  @exclusivity(unchecked) var wasInterrupted = false
  /// Index in `counts` of the reader of the current record.
  @exclusivity(unchecked) var reader = 0
  @exclusivity(unchecked) private var pushes: [Int]
  /// Nil before the first line of a transcript.
  @exclusivity(unchecked) var transcript: Transcript?

  package convenience init(_ options: LogOptions = LogOptions(), offset: Int = 0) {
    let isUsual = options.mapping.paths.isEmpty && options.kind == .pushes
    let names = isUsual ? LogNames.standard : LogNames(options.mapping, of: options.kind)
    self.init(options, names, FormMatcher(options, names), offset: offset)
  }

  private init(_ options: LogOptions, _ names: LogNames, _ forms: FormMatcher, offset: Int) {
    (self.options, self.names, self.forms, undecidedOffset) = (options, names, forms, offset)
    push = LogPush(longestLine: Self.longestLine, options)
    pushes = [Int](repeating: 0, count: ReaderName.count + forms.formNames.count)
  }

  /// What reads lines, besides forms.
  enum ReaderName: Int, CaseIterable {
    case json, table, members, transcript
    static let count = allCases.count
  }

  /// What read how many of the lines so far: `json 20, pushy 4 of 26 lines`.
  package var readers: String {
    let parts = counts.map { "\($0.reader) \($0.pushes)" }
    return (parts.isEmpty ? "none" : parts.joined(separator: ", ")) + " of \(Count.of(lastLine, "line"))"
  }

  /// Why forms are not known, or not matched: a library is missing.
  package var formsError: Message? { forms.message }

  package var counts: [(reader: String, pushes: Int)] {
    let names = ReaderName.allCases.map { "\($0)" } + forms.formNames
    return zip(names, pushes).filter { $0.1 > 0 }.map { ($0, $1) }
  }

  @exclusivity(unchecked) private var timeLines = InlineArray<3, LogLines>(repeating: (0, 0))

  /// Lines with status 410 whose `timestamp` is the log time; or those where that is doubtful.
  package func logTimes(areDoubtful: Bool) -> LogLines {
    let isInvalidation = push.times.isInvalidation || push.nestedTimes.isInvalidation
    let role: LogTimeRole = !areDoubtful ? .line : isInvalidation ? .invalidation : .undecided
    return timeLines[role.rawValue]
  }

  /// The fields of the last step's push.
  @exclusivity(unchecked) package private(set) var fields = PushFields()

  package func withTexts<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try push.withTexts(body)
  }

  /// The record of the last step, in a list.
  package var report: LogReport? { push.report }

  package var isTable: Bool { columns != nil }
  /// Whether it has columns of answers, which are no part of a list, and others: its tokens may be in use.
  package var hasAnswers: Bool { columns?.hasAnswers ?? false }
  package var hasOthers: Bool { columns?.hasOthers ?? false }

  /// Number of the last line, from 1.
  package var lastLine: Int { isLineBegun ? line : line - 1 }

  /// Offset of the first skipped byte; nil if no bytes are being skipped.
  package var pendingSkip: Int? { skip?.offset }

  package func finish() { hasEnded = true }

  /// Learns from the start of the log what its members named `timestamp` are.
  package func prepare(with head: RawSpan) {
    let trial = LogDecoder(options, names, forms, offset: 0)
    while trial.next(inHead: head, isWhole: head.byteCount < Self.longestLine) != nil {}
    push.times = LogTimeEvidence(after: trial.push.times)
    push.nestedTimes = LogTimeEvidence(after: trial.push.nestedTimes)
  }

  /// The next step in a log that begins with `head`, or has no more if it `isWhole`.
  package func next(inHead head: RawSpan, isWhole: Bool) -> Step? {
    if let step = next(in: hasEnded ? RawSpan() : head) { return step }
    guard isWhole, !hasEnded else { return nil }
    finish()
    return next(in: RawSpan())
  }

  /// The next step in `chunk`, which must be the same until it returns nil.
  package func next(in chunk: RawSpan) -> Step? {
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
        if hasEnded, transcript?.finish() == true { continue }
        return hasEnded ? takeSkip() : nil
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

  /// The record at the start of the window.
  struct Read {
    var length: Int
    var outcome: LogOutcome
    /// Line number of its first byte, or of its token, from 1.
    var line: Int
  }

  /// Appends bytes of the chunk to `carry`, up to a line end and no fewer than it has: what needs many lines is not
  /// read again for each of them. Returns false at the end of the chunk.
  private func extendCarry(from chunk: RawSpan) -> Bool {
    guard cursor < chunk.byteCount, !hasEnded else { return false }
    if carryStart > 0 {
      carry.removeFirst(carryStart)
      carryStart = 0
    }
    let most = min(chunk.byteCount &- cursor, max(1, Self.longestLine &+ 1 &- carry.count))
    chunk.extracting(cursor..<cursor &+ most).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let end = lineEnd(base, min(carry.count, bytes.count)..<bytes.count).map { $0 &+ 1 } ?? bytes.count
      carry.append(contentsOf: bytes[..<end])
      cursor &+= end
    }
    return true
  }

  // MARK: - Steps

  /// The step for a record; nil if there is none yet.
  private func step(_ read: Read, _ offset: Int) -> Step? {
    switch read.outcome {
    case .push:
      fields = push.fields
      fields.line = read.line
      pushes[reader] &+= 1
      if let role = push.role?.rawValue {
        if timeLines[role].count == 0 { timeLines[role].first = read.line }
        timeLines[role].count &+= 1
      }
      return after(.record(.push(offset: offset, length: read.length)))
    case .blank where skip != nil, .more:
      skip?.length &+= read.length
      return nil
    case .passed, .blank: return after(.record(.passed(offset: offset, length: read.length)))
    case .truncated: return after(.truncated(offset: offset, length: read.length))
    case .unrelated: return extendSkip(by: read, offset, nil)
    case .finding(let finding): return extendSkip(by: read, offset, finding)
    }
  }

  /// The step for a push of a transcript. Its lines have been passed.
  private func step(_ exchange: Transcript.Exchange) -> Step? {
    push.outerTime = .absent
    guard case .push = exchange.make(by: push) else { return nil }
    fields = push.fields
    fields.line = exchange.location.line
    pushes[ReaderName.transcript.rawValue] &+= 1
    return after(.record(.push(offset: exchange.location.offset, length: 0)))
  }

  private func after(_ step: Step) -> Step {
    guard let skipped = takeSkip() else { return step }
    held = step
    return skipped
  }

  private func takeSkip() -> Step? {
    guard let skipped = skip.take() else { return nil }
    findingText = skipText
    return .record(.skipped(skipped))
  }

  /// Adds a line to the current skip if it has the same finding; otherwise begins a new skip.
  private func extendSkip(by read: Read, _ offset: Int, _ finding: LogFinding?) -> Step? {
    if let current = skip, current.finding?.cause == finding?.cause {
      skip?.length &+= read.length
      // A finding names the first and the last line with errors; blank lines may be between them.
      skip?.lines = finding == nil ? current.lines &+ 1 : read.line &- current.firstLine &+ 1
      return nil
    }
    let before = takeSkip()
    skip = LogSkip(offset: offset, length: read.length, firstLine: read.line, lines: 1, finding: finding)
    skipText = finding == nil ? [] : nextFindingText
    return before
  }
}
