import Basics

/// Decodes one run of HTTP/2 (contiguous bytes of one direction) to frames, in chunks of any size. No I/O.
///
/// Used like `FeedbackDecoder`, with the same guarantees: the steps do not depend on where chunks end, and every byte
/// of the run is in exactly one opening, frame, skipped or truncated range.
package struct FrameDecoder: Sendable {
  /// Who sends the bytes.
  package enum Sender: Sendable {
    case client, server
  }

  /// One result of `next(in:)`. Offsets are in bytes from 0, in the direction of the stream, gaps included.
  package enum Step: Equatable, Sendable {
    /// The connection begins: the client's preface, after an upgrade also the HTTP/1.1 message before it.
    /// Empty in a server's direction without an upgrade. Frames follow without a gap.
    case opening(offset: Int, length: Int, isUpgrade: Bool)
    case frame(Frame)
    /// `length` bytes from `offset` on (at least 1) are not part of a frame (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends inside a frame, after its first `length` bytes (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The chunk is used up: pass the next one, or call `finish()`.
    case needsBytes
    /// All steps of the run were returned. Only after `finish()`.
    case finished
  }

  private var run: ChunkedParser<FrameParser>

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first plausible frames.
  package init(_ sender: Sender, offset: Int = 0, beginsStream: Bool = true) {
    run = ChunkedParser(FrameParser(sender, offset: offset, beginsStream: beginsStream))
  }

  /// The buffer that frames with `RunWindow.carry` refer to.
  package var carry: [UInt8] { run.carry }

  /// Offset in the stream of the first undecided byte: all bytes before it were returned, except from `pendingSkip`.
  package var undecidedOffset: Int { run.parser.cursor.undecidedOffset }

  /// Offset in the stream of the first byte that is being skipped while the decoder looks for a frame; nil otherwise.
  package var pendingSkip: Int? { run.parser.pendingSkip }

  /// Sets the maximum payload length in bytes from the next frame on; at most 1 MiB.
  package mutating func allow(payload: Int) {
    run.parser.limit = min(max(payload, FrameHeader.usualLimit), FrameParser.greatestLimit)
  }

  /// Marks the end of the run. Call `next(in:)` afterwards until it returns `finished`.
  package mutating func finish() { run.finish() }

  /// The next step. Call it with the same chunk until it returns `needsBytes`. After `finish()` the chunk is ignored.
  package mutating func next(in chunk: RawSpan) -> Step {
    run.next(in: chunk) ?? (run.hasEnded ? .finished : .needsBytes)
  }
}

/// The parser of a run of frames (docs/spec/pushes.md#frames).
struct FrameParser: RunParser {
  typealias Step = FrameDecoder.Step

  /// The largest SETTINGS_MAX_FRAME_SIZE that is accepted, in bytes.
  static let greatestLimit = 1 << 20
  /// The number of consecutive plausible frames that start decoding.
  private static let startLength = 3

  private enum Mode: Sendable {
    /// At the beginning of the stream.
    case opening
    /// At a frame boundary.
    case decoding
    /// Searching for a frame. Bytes from stream offset `skipStart` on are skipped.
    case searching(skipStart: Int)
  }

  /// Whether decoding can start at an index.
  private enum Verdict {
    case start, preface, none, undecided
  }

  private let sender: FrameDecoder.Sender
  var cursor: RunCursor
  var limit = FrameHeader.usualLimit
  private var mode: Mode
  /// Whether the bytes that are skipped begin the stream, with a message of HTTP/1.1 that changes to HTTP/2.
  private var startsUpgrade = false

  init(_ sender: FrameDecoder.Sender, offset: Int, beginsStream: Bool) {
    self.sender = sender
    cursor = RunCursor(offset: offset)
    mode = beginsStream ? .opening : .searching(skipStart: offset)
  }

  /// Enough for the longest frame, and for the frames that start decoding.
  var holdBack: Int { Frame.headerLength &+ Self.greatestLimit }
  var firstCopy: Int { 512 }

  var pendingSkip: Int? {
    if case .searching(let skipStart) = mode { skipStart } else { nil }
  }

  mutating func step(in run: RawSpan) -> Step? {
    while true {
      switch mode {
      case .decoding: return parse(in: run)
      case .opening:
        guard cursor.position < run.byteCount else { return nil }
        switch opening(in: run) {
        case .undecided: return nil
        case .none:
          guard
            let isUpgrade = HTTP2Preface.startsUpgrade(
              at: cursor.position, in: run, isFromServer: sender == .server, isWhole: cursor.ended)
          else { return nil }
          startsUpgrade = isUpgrade
          mode = .searching(skipStart: cursor.undecidedOffset)
        case .start, .preface: return open(from: cursor.undecidedOffset)
        }
      case .searching(let skipStart):
        let verdict = search(in: run)
        if verdict == .undecided { return nil }
        let length = cursor.undecidedOffset &- skipStart
        if startsUpgrade, verdict == .preface || sender == .server { return open(from: skipStart) }
        startsUpgrade = false
        mode = verdict == .preface ? .opening : .decoding
        if length > 0 { return .skipped(offset: skipStart, length: length) }
      }
    }
  }

  // MARK: - Frames

  private mutating func parse(in run: RawSpan) -> Step? {
    let index = cursor.position
    let left = run.byteCount &- index
    guard left >= Frame.headerLength else { return cursor.ended && left > 0 ? truncate(in: run) : nil }
    let header = FrameHeader(at: index, in: run)
    guard header.isPossible(limit: limit) else {
      mode = .searching(skipStart: cursor.undecidedOffset)
      cursor.position &+= 1
      return step(in: run)
    }
    let start = index &+ Frame.headerLength
    guard header.length <= run.byteCount &- start else { return cursor.ended ? truncate(in: run) : nil }
    let offset = cursor.undecidedOffset
    cursor.position = start &+ header.length
    return .frame(
      Frame(
        offset: offset, window: cursor.window, payload: start..<cursor.position, streamID: header.streamID,
        type: header.type, flags: Frame.Flags(rawValue: header.flags)))
  }

  private mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.undecidedOffset, length: run.byteCount &- cursor.position)
  }

  // MARK: - The beginning of the connection

  /// Whether the stream begins with HTTP/2.
  private func opening(in run: RawSpan) -> Verdict {
    switch sender {
    case .client: return preface(at: cursor.position, in: run)
    case .server:
      guard run.byteCount &- cursor.position >= Frame.headerLength else {
        return cursor.ended ? .none : .undecided
      }
      return FrameHeader(at: cursor.position, in: run).isFirstOfServer ? .start : .none
    }
  }

  /// Moves the cursor past the client's preface.
  private mutating func open(from offset: Int) -> Step {
    if sender == .client { cursor.position &+= HTTP2Preface.length }
    mode = .decoding
    defer { startsUpgrade = false }
    return .opening(offset: offset, length: cursor.undecidedOffset &- offset, isUpgrade: startsUpgrade)
  }

  private func preface(at index: Int, in run: RawSpan) -> Verdict {
    guard HTTP2Preface.mayBegin(at: index, in: run) else { return .none }
    if run.byteCount &- index >= HTTP2Preface.length { return .preface }
    return cursor.ended ? .none : .undecided
  }

  // MARK: - Starts

  /// Moves the cursor to the next start, or to the end of the run. Undecided if the window is too short.
  private mutating func search(in run: RawSpan) -> Verdict {
    while cursor.position < run.byteCount {
      let verdict = verdict(at: cursor.position, in: run)
      if verdict != .none { return verdict }
      cursor.position &+= 1
    }
    return cursor.ended ? .none : .undecided
  }

  private func verdict(at index: Int, in run: RawSpan) -> Verdict {
    if sender == .client, run.byte(at: index) == HTTP2Preface.first {
      let verdict = preface(at: index, in: run)
      if verdict != .none { return verdict }
    }
    return Self.verdict(at: index, in: run, isWhole: cursor.ended) ?? .undecided
  }

  /// A start: three consecutive plausible frames, or plausible ones up to the run's end. Nil if the window
  /// is too short.
  private static func verdict(at index: Int, in run: RawSpan, isWhole: Bool) -> Verdict? {
    var next = index
    for count in 0..<startLength {
      guard run.byteCount &- next >= Frame.headerLength else {
        if isWhole { return next == run.byteCount && count > 0 ? .start : Verdict.none }
        return nil
      }
      let header = FrameHeader(at: next, in: run)
      guard header.isPlausible else { return Verdict.none }
      next &+= Frame.headerLength &+ header.length
    }
    return .start
  }

  /// Whether decoding may begin at `index` of a window that does not end the run.
  static func isStart(at index: Int, in window: RawSpan) -> Bool {
    verdict(at: index, in: window, isWhole: false) == .start
  }
}
