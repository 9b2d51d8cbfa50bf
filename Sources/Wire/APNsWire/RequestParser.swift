import Basics

/// The parser of a run of gateway requests (docs/spec/decoding-rules.md#gateway-requests).
///
/// Every step is returned as soon as the window has enough bytes to decide it: a request, once the lengths after it
/// have arrived. `holdBack` bytes always suffice.
struct RequestParser: RunParser {
  typealias Step = RequestDecoder.Step

  private enum Mode: Sendable {
    /// At a boundary.
    case decoding
    /// Looking for a start inside the request at the cursor, whose extent is doubtful, from `candidate` on and
    /// before `end`. Both are relative to the cursor. `isCut` is true if the run ends inside the request.
    case doubting(candidate: Int, end: Int, isCut: Bool)
    /// Looking for a start; bytes are skipped from offset `skipStart` of the stream on. `resynchronises` is false
    /// at the beginning of a run.
    case searching(skipStart: Int, resynchronises: Bool)
  }

  let rules: RequestRules
  var cursor: RunCursor
  private var mode: Mode
  /// Whether bytes were skipped just before the cursor.
  private var resynchronised = false

  init(rules: RequestRules, offset: Int, beginsStream: Bool) {
    self.rules = rules
    cursor = RunCursor(offset: offset)
    mode = beginsStream ? .decoding : .searching(skipStart: offset, resynchronises: false)
  }

  var holdBack: Int { rules.holdBack }
  /// Enough for most requests and the lengths of the next one.
  var firstCopy: Int { 512 }

  /// Offset in the stream of the first byte that is being skipped, while the parser looks for a start.
  var pendingSkip: Int? {
    if case .searching(let skipStart, _) = mode { skipStart } else { nil }
  }

  mutating func step(in run: RawSpan) -> Step? {
    while true {
      let isAtEnd = cursor.position >= run.byteCount
      switch mode {
      case .decoding:
        if isAtEnd { return nil }
        if let step = parse(in: run) { return step }
        // Either it now doubts the request, or it needs more bytes.
        if case .decoding = mode { return nil }
      case .doubting(let candidate, let end, let isCut):
        return doubt(from: candidate, to: end, isCut: isCut, in: run)
      case .searching(let skipStart, let resynchronises):
        guard let found = search(in: run) else { return endOfSearch(from: skipStart, in: run) }
        mode = .decoding
        resynchronised = resynchronises
        let length = cursor.windowOffset &+ found &- skipStart
        if length > 0 { return .skipped(offset: skipStart, length: length) }
      }
    }
  }

  /// Steps 2, 3 and 5 at the cursor, a boundary. Nil if more bytes are needed, or if the request there is doubtful.
  private mutating func parse(in run: RawSpan) -> Step? {
    let index = cursor.position
    switch rules.extent(at: index, in: run) {
    case .none:
      mode = .searching(skipStart: cursor.undecidedOffset, resynchronises: true)
      cursor.position += 1
      return .undecodable(offset: cursor.undecidedOffset &- 1, command: run.byte(at: index))
    case .known(let end) where end <= run.byteCount:
      switch rules.isPlausibleBoundary(at: end, in: run, ended: cursor.ended) {
      case .yes: return request(endingAt: end, flags: [], in: run)
      case .no: mode = .doubting(candidate: 1, end: end - index, isCut: false)
      case .undecided: break
      }
    case .known, .unfinished:
      if cursor.ended { mode = .doubting(candidate: 1, end: run.byteCount - index, isCut: true) }
    }
    return nil
  }

  /// Looks for a start inside the request at the cursor. The cursor stays until the search is over.
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
    mode = .decoding
    return isCut ? truncate(in: run) : request(endingAt: index + end, flags: .unconfirmedBoundary, in: run)
  }

  /// The first start from the cursor on. The cursor moves past all other indices.
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
    mode = .decoding
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
      mode = .decoding
      resynchronised = true
    }
    return .skipped(offset: cursor.undecidedOffset, length: start - cursor.position)
  }

  private mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.undecidedOffset, length: run.byteCount - cursor.position)
  }
}

/// The extent of a request, from its length fields (docs/spec/decoding-rules.md#gateway-requests).
enum RequestExtent: Equatable {
  /// No request: unknown command, or a length above its limit.
  case none
  /// The window ends before the last length field; the earlier ones are within their limits.
  case unfinished
  /// `end` is the index after the request, which may be after the end of the window.
  case known(end: Int)
}

/// Whether an index is a plausible boundary or start, if the window has enough bytes to decide.
enum Plausibility {
  case yes, no
  /// More bytes are needed. Never at the end of the run.
  case undecided
}

/// The predicates for request boundaries of docs/spec/decoding-rules.md#plausible-boundaries, each with its name there.
///
/// `run` is a window of the run, and `ended` is true if it ends where the run ends. Indices are from 0, in `run`.
extension RequestRules {
  /// The extent of the request at `index`, which must be in the window.
  func extent(at index: Int, in run: RawSpan) -> RequestExtent {
    let left = run.byteCount - index
    let command = run.byte(at: index)
    switch command {
    case 0, 1:
      let header = RequestLayout.headerLength(command)
      guard left >= header else { return .unfinished }
      let token = Int(run.bigEndianUInt16(at: index + header - RequestLayout.lengthSize))
      guard token <= longestToken else { return .none }
      let lengthsEnd = header + token + RequestLayout.lengthSize
      guard left >= lengthsEnd else { return .unfinished }
      let payload = Int(run.bigEndianUInt16(at: index + header + token))
      // Five zeros are not an empty request: capture tools fill gaps with zeros.
      if payload > longestPayload || (command == 0 && token == 0 && payload == 0) { return .none }
      return .known(end: index + lengthsEnd + payload)
    case 2:
      guard left >= RequestLayout.itemsOffset else { return .unfinished }
      let items = run.bigEndianUInt32(at: index + RequestLayout.itemsLengthOffset)
      guard items <= UInt32(Self.longestItems) else { return .none }
      return .known(end: index + RequestLayout.itemsOffset + Int(items))
    default:
      return .none
    }
  }

  /// boundary(o): `index` is a plausible boundary.
  func isPlausibleBoundary(at index: Int, in run: RawSpan, ended: Bool) -> Plausibility {
    guard index < run.byteCount else { return ended ? .yes : .undecided }
    switch extent(at: index, in: run) {
    case .none: return .no
    case .unfinished: return ended ? .yes : .undecided
    case .known: return .yes
    }
  }

  /// start(p): decoding may resume at `index`, which must be in the window.
  func isStart(at index: Int, in run: RawSpan, ended: Bool) -> Plausibility {
    switch extent(at: index, in: run) {
    case .none: return .no
    case .unfinished: return ended ? .no : .undecided
    case .known(let end):
      guard end <= run.byteCount else { return ended ? .no : .undecided }
      guard isConvincing(from: index, to: end, in: run) else { return .no }
      return isPlausibleBoundary(at: end, in: run, ended: ended)
    }
  }

  /// Whether the whole request from `index` to `end` looks like a client's: a normal token length, a payload in
  /// braces, and for command 2 items that fill the frame, each known, of the right size and at most once.
  func isConvincing(from index: Int, to end: Int, in run: RawSpan) -> Bool {
    let command = run.byte(at: index)
    guard command != 2 else {
      return hasConvincingItems(index + RequestLayout.itemsOffset..<end, in: run)
    }
    let header = RequestLayout.headerLength(command)
    let token = run.bigEndianUInt16(at: index + header - RequestLayout.lengthSize)
    let payload = index + header + Int(token) + RequestLayout.lengthSize
    return tokenLengths.contains(token) && isInBraces(payload..<end, in: run)
  }

  /// Reads at most six items: with five kinds, the sixth is a repetition.
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
