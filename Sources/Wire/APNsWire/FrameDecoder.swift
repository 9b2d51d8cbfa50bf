import WireBytes

/// What a run of HTTP/2 has.
package enum FrameRecord: Equatable, Sendable {
  /// The connection begins: the client's preface, after an upgrade also the HTTP/1.1 message before it.
  /// Empty in a server's direction without an upgrade. Frames follow without a gap.
  case opening(offset: Int, length: Int)
  case frame(Frame)
}

/// Decodes HTTP/2 to frames (docs/spec/pushes.md#frames). `RunDecoder` says how to use it.
package struct FrameDecoder: RunDecoder, RunParser {
  package typealias Record = FrameRecord

  /// The largest SETTINGS_MAX_FRAME_SIZE that is accepted, in bytes.
  private static let greatestLimit = 1 << 20

  private let sender: Direction
  package var cursor: RunCursor
  private var limit = FrameHeader.usualLimit
  /// Whether the connection begins at the cursor.
  private var isOpening: Bool
  /// Whether the bytes that are skipped begin the stream, with a message of HTTP/1.1 that changes to HTTP/2.
  private var startsUpgrade = false

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first plausible frames.
  package init(_ sender: Direction, offset: Int = 0, beginsStream: Bool = true) {
    self.sender = sender
    cursor = RunCursor(offset: offset, beginsStream: beginsStream)
    isOpening = beginsStream
  }

  /// Enough for the longest frame, and for the frames that start decoding.
  package var holdBack: Int { Frame.headerLength &+ Self.greatestLimit }

  /// Sets the maximum payload length in bytes from the next frame on; at most 1 MiB.
  package mutating func allow(payload: Int) {
    limit = min(max(payload, FrameHeader.usualLimit), Self.greatestLimit)
  }

  package mutating func next(in chunk: RawSpan) -> DecoderStep<FrameRecord>? { nextStep(in: chunk) }

  mutating func parse(in run: RawSpan) throws(NeedsBytes) -> Step? {
    guard isOpening else { return frame(in: run) }
    if try begins(in: run) { return open(from: cursor.undecidedOffset) }
    guard
      let isUpgrade = HTTP2Preface.startsUpgrade(
        at: cursor.position, in: run, isFromServer: sender == .server, isWhole: cursor.ended)
    else { return nil }
    startsUpgrade = isUpgrade
    cursor.skipStart = cursor.undecidedOffset
    return nil
  }

  private mutating func frame(in run: RawSpan) -> Step? {
    let index = cursor.position
    let left = run.byteCount &- index
    guard left >= Frame.headerLength else { return cursor.ended && left > 0 ? truncate(in: run) : nil }
    let header = FrameHeader(at: index, in: run)
    guard header.isPossible(limit: limit) else {
      beginSearch()
      return nil
    }
    let start = index &+ Frame.headerLength
    guard header.length <= run.byteCount &- start else { return cursor.ended ? truncate(in: run) : nil }
    let offset = cursor.undecidedOffset
    assert(header.length <= holdBack, "the longest frame can be carried over")
    cursor.position = start &+ header.length
    return .record(
      .frame(
        Frame(
          offset: offset, payload: start..<cursor.position, streamID: header.streamID, type: header.type,
          flags: Frame.Flags(rawValue: header.flags))))
  }

  // MARK: - The beginning of the connection

  /// Whether the stream begins with HTTP/2.
  private func begins(in run: RawSpan) throws(NeedsBytes) -> Bool {
    if sender == .client { return try isPreface(at: cursor.position, in: run) }
    guard run.byteCount &- cursor.position >= Frame.headerLength else {
      if cursor.ended { return false }
      throw NeedsBytes()
    }
    return FrameHeader(at: cursor.position, in: run).isFirstOfServer
  }

  private mutating func open(from offset: Int) -> Step {
    if sender == .client { cursor.position &+= HTTP2Preface.length }
    defer { (isOpening, startsUpgrade) = (false, false) }
    return .record(.opening(offset: offset, length: cursor.undecidedOffset &- offset))
  }

  private func isPreface(at index: Int, in run: RawSpan) throws(NeedsBytes) -> Bool {
    guard HTTP2Preface.mayBegin(at: index, in: run) else { return false }
    if run.byteCount &- index >= HTTP2Preface.length { return true }
    if cursor.ended { return false }
    throw NeedsBytes()
  }

  // MARK: - Starts

  func isStart(at index: Int, in run: RawSpan) throws(NeedsBytes) -> Bool {
    if sender == .client, run.byte(at: index) == HTTP2Preface.first, try isPreface(at: index, in: run) {
      return true
    }
    // After the answer to an upgrade, the first frame of the server is enough.
    if startsUpgrade, sender == .server, run.byteCount &- index >= Frame.headerLength,
      FrameHeader(at: index, in: run).isFirstOfServer
    {
      return true
    }
    return try Self.isStart(at: index, in: run, isWhole: cursor.ended)
  }

  mutating func endSearch(from skipStart: Int, in run: RawSpan) -> Step? {
    isOpening = sender == .client && HTTP2Preface.begins(run.extracting(droppingFirst: cursor.position))
    let isFound = isOpening || sender == .server && cursor.position < run.byteCount
    if startsUpgrade, isFound { return open(from: skipStart) }
    startsUpgrade = false
    return skipped(from: skipStart)
  }

  /// Whether three consecutive plausible frames begin at `index`, or plausible ones up to the run's end.
  static func isStart(at index: Int, in run: RawSpan, isWhole: Bool) throws(NeedsBytes) -> Bool {
    guard let frames = FrameHeader.plausibleFrames(from: index, in: run) else { return false }
    if frames.count == FrameHeader.startLength { return true }
    if isWhole { return frames.left == 0 }
    throw NeedsBytes()
  }
}
