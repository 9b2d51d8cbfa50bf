import WireBytes

/// The walk over a run of gateway requests (decoding-rules.md, "Gateway requests").
///
/// Nothing waits for more bytes than decide it: where the lengths behind a request are there, the request is
/// told at once. `holdBack` bytes decide everything.
struct RequestWalk: RunWalk {
  typealias Step = RequestDecoder.Step

  private enum Mode: Sendable {
    /// At a boundary.
    case walking
    /// Looking for a start inside the request at the cursor, whose extent is doubtful: from `candidate` on, and
    /// before `end`. Both are bytes behind the cursor. `isCut` where the run ends in it.
    case doubting(candidate: Int, end: Int, isCut: Bool)
    /// Looking for a start from the cursor on; bytes are skipped from `skipStart` of the stream on. `byWalk` is
    /// false where only the beginning of the run is searched for.
    case searching(skipStart: Int, byWalk: Bool)
  }

  let rules: RequestRules
  var cursor: RunCursor
  private var mode: Mode
  /// Whether the walk has just skipped bytes.
  private var resynchronised = false

  init(rules: RequestRules, offset: Int, beginsStream: Bool) {
    self.rules = rules
    cursor = RunCursor(offset: offset)
    mode = beginsStream ? .walking : .searching(skipStart: offset, byWalk: false)
  }

  var holdBack: Int { rules.holdBack }

  /// Offset in the stream of the first byte that is being skipped, while a start is searched for.
  var pendingSkip: Int? {
    if case .searching(let skipStart, _) = mode { skipStart } else { nil }
  }

  mutating func step(in run: RawSpan) -> Step? {
    while true {
      let isAtEnd = cursor.position >= run.byteCount
      switch mode {
      case .walking:
        if isAtEnd { return nil }
        if let step = walk(in: run) { return step }
        // Else it doubts, or waits for bytes.
        if case .walking = mode { return nil }
      case .doubting(let candidate, let end, let isCut):
        return doubt(from: candidate, to: end, isCut: isCut, in: run)
      case .searching(let skipStart, let byWalk):
        guard let found = search(in: run) else { return endOfSearch(from: skipStart, in: run) }
        mode = .walking
        resynchronised = byWalk
        let length = cursor.windowOffset &+ found &- skipStart
        if length > 0 { return .skipped(offset: skipStart, length: length) }
      }
    }
  }

  /// Steps 2, 3 and 5 at the cursor, a boundary. Nil where more bytes are needed, or where it begins to doubt the
  /// request there.
  private mutating func walk(in run: RawSpan) -> Step? {
    let place = cursor.position
    switch rules.extent(at: place, in: run) {
    case .none:
      mode = .searching(skipStart: cursor.undecidedOffset, byWalk: true)
      cursor.position += 1
      return .undecodable(offset: cursor.undecidedOffset &- 1, command: run.byte(at: place))
    case .known(let end) where end <= run.byteCount:
      switch rules.isBelievable(at: end, in: run, ended: cursor.ended) {
      case .yes: return request(endingAt: end, flags: [], in: run)
      case .no: mode = .doubting(candidate: 1, end: end - place, isCut: false)
      case .undecided: break
      }
    case .known, .unfinished:
      if cursor.ended { mode = .doubting(candidate: 1, end: run.byteCount - place, isCut: true) }
    }
    return nil
  }

  /// Looks for a start inside the request at the cursor: it stays where it is until one is found, or none.
  private mutating func doubt(from first: Int, to end: Int, isCut: Bool, in run: RawSpan) -> Step? {
    let place = cursor.position
    var candidate = first
    while candidate < end {
      switch rules.isStart(at: place + candidate, in: run, ended: cursor.ended) {
      case .yes: return skip(to: place + candidate)
      case .no: candidate += 1
      case .undecided:
        mode = .doubting(candidate: candidate, end: end, isCut: isCut)
        return nil
      }
    }
    mode = .walking
    return isCut ? truncate(in: run) : request(endingAt: place + end, flags: .unconfirmedBoundary, in: run)
  }

  /// The first start from the cursor on, which moves over the places that are none.
  private mutating func search(in run: RawSpan) -> Int? {
    while cursor.position < run.byteCount {
      switch rules.isStart(at: cursor.position, in: run, ended: cursor.ended) {
      case .yes: return cursor.position
      case .no: cursor.position &+= 1
      case .undecided: return nil
      }
    }
    return nil
  }

  private mutating func endOfSearch(from skipStart: Int, in run: RawSpan) -> Step? {
    guard cursor.ended else { return nil }
    mode = .walking
    let length = cursor.windowOffset &+ run.byteCount &- skipStart
    return length > 0 ? .skipped(offset: skipStart, length: length) : nil
  }

  private mutating func request(endingAt end: Int, flags: RecordFlags, in run: RawSpan) -> Step {
    let start = cursor.position
    var flags = flags.union(RequestFields(start..<end, in: run).flags(by: rules, in: run))
    if resynchronised { flags.insert(.resynchronised) }
    resynchronised = false
    cursor.position = end
    return .request(
      RequestFrame(
        window: cursor.window, start: start, offset: cursor.windowOffset &+ start, length: end - start,
        flags: flags))
  }

  private mutating func skip(to start: Int) -> Step {
    defer {
      cursor.position = start
      mode = .walking
      resynchronised = true
    }
    return .skipped(offset: cursor.undecidedOffset, length: start - cursor.position)
  }

  private mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.undecidedOffset, length: run.byteCount - cursor.position)
  }
}
