import WireBytes

/// The walk over a run of error responses (decoding-rules.md, "Error responses").
struct ResponseWalk: RunWalk {
  typealias Step = ResponseDecoder.Step

  private enum Mode: Sendable {
    /// At a boundary.
    case walking
    /// Looking for a start from the cursor on; bytes are skipped from `skipStart` of the stream on. `byWalk` is
    /// false where only the beginning of the run is searched for.
    case searching(skipStart: Int, byWalk: Bool)
  }

  var cursor: RunCursor
  private var mode: Mode
  /// Whether the walk has just skipped bytes.
  private var resynchronised = false

  init(offset: Int, beginsStream: Bool) {
    cursor = RunCursor(offset: offset)
    mode = beginsStream ? .walking : .searching(skipStart: offset, byWalk: false)
  }

  /// A response, and the first byte behind it.
  var holdBack: Int { ErrorResponse.length + 1 }

  /// Offset in the stream of the first byte that is being skipped, while a start is searched for.
  var pendingSkip: Int? {
    if case .searching(let skipStart, _) = mode { skipStart } else { nil }
  }

  mutating func step(in run: RawSpan) -> Step? {
    while true {
      switch mode {
      case .walking:
        return walk(in: run)
      case .searching(let skipStart, let byWalk):
        guard let found = search(in: run) else { return endOfSearch(from: skipStart, in: run) }
        mode = .walking
        resynchronised = byWalk
        let length = cursor.windowOffset &+ found &- skipStart
        if length > 0 { return .skipped(offset: skipStart, length: length) }
      }
    }
  }

  private mutating func walk(in run: RawSpan) -> Step? {
    let place = cursor.position
    let left = run.byteCount - place
    guard left >= ErrorResponse.length else { return cursor.ended && left > 0 ? truncate(in: run) : nil }
    guard run.byte(at: place) == ErrorResponse.command else {
      mode = .searching(skipStart: cursor.undecidedOffset, byWalk: true)
      cursor.position += 1
      return .undecodable(offset: cursor.undecidedOffset &- 1, command: run.byte(at: place))
    }
    let response = ErrorResponse(at: place, in: run)
    var flags: RecordFlags = ErrorStatus(rawValue: response.status) == nil ? .unknownStatus : []
    if resynchronised { flags.insert(.resynchronised) }
    resynchronised = false
    cursor.position += ErrorResponse.length
    return .response(
      ResponseFrame(offset: cursor.windowOffset &+ place, response: response, flags: flags))
  }

  /// The first start from the cursor on, which moves over the places that are none.
  private mutating func search(in run: RawSpan) -> Int? {
    while cursor.position < run.byteCount, cursor.ended || run.byteCount - cursor.position >= holdBack {
      if isStart(at: cursor.position, in: run) { return cursor.position }
      cursor.position &+= 1
    }
    return nil
  }

  /// start(p): byte 8, a known status, whole, and behind it nothing or a byte 8.
  private func isStart(at place: Int, in run: RawSpan) -> Bool {
    let end = place + ErrorResponse.length
    guard end <= run.byteCount, run.byte(at: place) == ErrorResponse.command,
      ErrorStatus(rawValue: run.byte(at: place + ErrorResponse.statusOffset)) != nil
    else { return false }
    return end == run.byteCount || run.byte(at: end) == ErrorResponse.command
  }

  private mutating func endOfSearch(from skipStart: Int, in run: RawSpan) -> Step? {
    guard cursor.ended else { return nil }
    mode = .walking
    let length = cursor.windowOffset &+ run.byteCount &- skipStart
    return length > 0 ? .skipped(offset: skipStart, length: length) : nil
  }

  private mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.undecidedOffset, length: run.byteCount - cursor.position)
  }
}
