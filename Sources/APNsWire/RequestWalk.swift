import WireBytes

/// The walk over a run of gateway requests (docs/spec/decoding-rules.md#gateway-requests).
///
/// Nothing waits for more bytes than decide it: where the lengths after a request are there, the request is
/// told at once. `holdBack` bytes decide everything.
struct RequestWalk: RunWalk {
  typealias Step = RequestDecoder.Step

  private enum Mode: Sendable {
    /// At a boundary.
    case walking
    /// Looking for a start inside the request at the cursor, whose extent is doubtful: from `candidate` on, and
    /// before `end`. Both are bytes after the cursor. `isCut` where the run ends in it.
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
  /// Most requests, with the lengths of the next.
  var firstCopy: Int { 512 }

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
    let index = cursor.position
    switch rules.extent(at: index, in: run) {
    case .none:
      mode = .searching(skipStart: cursor.undecidedOffset, byWalk: true)
      cursor.position += 1
      return .undecodable(offset: cursor.undecidedOffset &- 1, command: run.byte(at: index))
    case .known(let end) where end <= run.byteCount:
      switch rules.isBelievable(at: end, in: run, ended: cursor.ended) {
      case .yes: return request(endingAt: end, flags: [], in: run)
      case .no: mode = .doubting(candidate: 1, end: end - index, isCut: false)
      case .undecided: break
      }
    case .known, .unfinished:
      if cursor.ended { mode = .doubting(candidate: 1, end: run.byteCount - index, isCut: true) }
    }
    return nil
  }

  /// Looks for a start inside the request at the cursor: it stays where it is until one is found, or none.
  private mutating func doubt(from first: Int, to end: Int, isCut: Bool, in run: RawSpan) -> Step? {
    let index = cursor.position
    var candidate = first
    while candidate < end {
      switch rules.isStart(at: index + candidate, in: run, ended: cursor.ended) {
      case .yes: return skip(to: index + candidate)
      case .no: candidate += 1
      case .undecided:
        mode = .doubting(candidate: candidate, end: end, isCut: isCut)
        return nil
      }
    }
    mode = .walking
    return isCut ? truncate(in: run) : request(endingAt: index + end, flags: .unconfirmedBoundary, in: run)
  }

  /// The first start from the cursor on, which moves over the indices that are none.
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

/// How far a request reaches, by the lengths that it says (docs/spec/decoding-rules.md#gateway-requests).
enum RequestExtent: Equatable {
  /// No request: another command, or a length beyond its limit.
  case none
  /// Not all lengths are there; those that are, are within limits.
  case unfinished
  /// The extent is known: the index after it, which may be after the window's end.
  case known(end: Int)
}

/// An answer about bytes of which the window may not hold enough.
enum Belief {
  case yes, no
  /// More bytes decide. Not after the run's end.
  case undecided
}

/// Where a boundary between requests may lie: the predicates of docs/spec/decoding-rules.md#gateway-requests, under their names there.
///
/// `run` is a window of the run's bytes, `ended` says that its end is the run's. Indices count in it,
/// from 0.
extension RequestRules {
  /// What is at `index`, which must lie in the window.
  func extent(at index: Int, in run: RawSpan) -> RequestExtent {
    let left = run.byteCount - index
    let command = run.byte(at: index)
    switch command {
    case 0, 1:
      let header = RequestLayout.headerLength(command)
      guard left >= header else { return .unfinished }
      let token = Int(run.bigEndianUInt16(at: index + header - RequestLayout.lengthSize))
      guard token <= longestToken else { return .none }
      let behindLengths = header + token + RequestLayout.lengthSize
      guard left >= behindLengths else { return .unfinished }
      let payload = Int(run.bigEndianUInt16(at: index + header + token))
      // Five zeros are not an empty request, but what a tool filled a gap with.
      if payload > longestPayload || (command == 0 && token == 0 && payload == 0) { return .none }
      return .known(end: index + behindLengths + payload)
    case 2:
      guard left >= RequestLayout.itemsOffset else { return .unfinished }
      let items = run.bigEndianUInt32(at: index + RequestLayout.itemsLengthOffset)
      guard items <= UInt32(Self.longestItems) else { return .none }
      return .known(end: index + RequestLayout.itemsOffset + Int(items))
    default:
      return .none
    }
  }

  /// believable(o): a boundary may lie at `index`.
  func isBelievable(at index: Int, in run: RawSpan, ended: Bool) -> Belief {
    guard index < run.byteCount else { return ended ? .yes : .undecided }
    switch extent(at: index, in: run) {
    case .none: return .no
    case .unfinished: return ended ? .yes : .undecided
    case .known: return .yes
    }
  }

  /// start(p): decoding may resume at `index`, which must lie in the window.
  func isStart(at index: Int, in run: RawSpan, ended: Bool) -> Belief {
    switch extent(at: index, in: run) {
    case .none: return .no
    case .unfinished: return ended ? .no : .undecided
    case .known(let end):
      guard end <= run.byteCount else { return ended ? .no : .undecided }
      guard isConvincing(from: index, to: end, in: run) else { return .no }
      return isBelievable(at: end, in: run, ended: ended)
    }
  }

  /// Whether the whole request from `index` to `end` is as clients make them: a normal token length, a payload in
  /// braces, and of command 2 items that fill the frame, each known, of its size and there once at most.
  private func isConvincing(from index: Int, to end: Int, in run: RawSpan) -> Bool {
    let command = run.byte(at: index)
    guard command != 2 else {
      return hasConvincingItems(index + RequestLayout.itemsOffset..<end, in: run)
    }
    let header = RequestLayout.headerLength(command)
    let token = run.bigEndianUInt16(at: index + header - RequestLayout.lengthSize)
    let payload = index + header + Int(token) + RequestLayout.lengthSize
    return tokenLengths.contains(token) && isInBraces(payload..<end, in: run)
  }

  /// Looks at six items at most: the seventh would be there twice.
  private func hasConvincingItems(_ range: Range<Int>, in run: RawSpan) -> Bool {
    var items = RequestItems(range)
    var seen: UInt8 = 0
    while let item = items.next(in: run) {
      guard let kind = RequestItem.Kind(rawValue: item.id), seen & kind.bit == 0, item.hasItsSize else {
        return false
      }
      seen |= kind.bit
      if kind == .token, !tokenLengths.contains(UInt16(truncatingIfNeeded: item.data.count)) { return false }
      if kind == .payload, !isInBraces(item.data, in: run) { return false }
    }
    let needed = RequestItem.Kind.token.bit | RequestItem.Kind.payload.bit
    return items.isAtEnd && seen & needed == needed
  }

  private func isInBraces(_ payload: Range<Int>, in run: RawSpan) -> Bool {
    payload.count >= 2 && run.byte(at: payload.lowerBound) == UInt8(ascii: "{")
      && run.byte(at: payload.upperBound - 1) == UInt8(ascii: "}")
  }
}
