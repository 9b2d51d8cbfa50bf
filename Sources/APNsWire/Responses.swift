import WireBytes

/// A decoded error response, and what is doubtful about it.
public struct ResponseFrame: Equatable, Sendable {
  /// Offset of its first byte in its direction of the stream, from 0, gaps counted in.
  public var offset: Int
  public var response: ErrorResponse
  public var flags: RecordFlags
}

/// Decodes one run of error responses, contiguous bytes of a gateway, in chunks of any size. No I/O.
///
/// It is used as `FeedbackDecoder` is, and under the same laws; at most 7 bytes are held back.
public struct ResponseDecoder: Sendable {
  /// What the decoder has to say next.
  public enum Step: Equatable, Sendable {
    case response(ResponseFrame)
    /// No response can be at `offset`, which does not hold an 8 (finding `unknown-command`). The byte is in the
    /// skipped range that comes next.
    case undecodable(offset: Int, command: UInt8)
    /// `length` bytes from `offset` of the stream belong to no response (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends in fewer bytes than a response has (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The chunk is used up: continue with the next one, or `finish()`.
    case needsBytes
    /// The run has ended, and all of it has been said. Only after `finish()`.
    case finished
  }

  private var run: ChunkedRun<ResponseWalk>

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start.
  public init(offset: Int = 0, beginsStream: Bool = true) {
    run = ChunkedRun(ResponseWalk(offset: offset, beginsStream: beginsStream))
  }

  /// Offset in the stream of the first byte that no answer has covered, apart from `pendingSkip`.
  public var undecidedOffset: Int { run.walk.cursor.undecidedOffset }

  /// Offset in the stream from which on bytes are being skipped, while no index to resume at is found.
  public var pendingSkip: Int? { run.walk.pendingSkip }

  /// The run has no further bytes.
  public mutating func finish() { run.finish() }

  /// The next answer about the run. Call it with the same chunk until it says `needsBytes`; after
  /// `finish()` the chunk is not looked at.
  public mutating func next(in chunk: RawSpan) -> Step {
    run.next(in: chunk) ?? (run.hasEnded ? .finished : .needsBytes)
  }
}

/// The walk over a run of error responses (docs/spec/decoding-rules.md#error-responses).
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

  /// A response, and the first byte after it.
  var holdBack: Int { ErrorResponse.length + 1 }
  var firstCopy: Int { holdBack }

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
    let index = cursor.position
    let left = run.byteCount - index
    guard left >= ErrorResponse.length else { return cursor.ended && left > 0 ? truncate(in: run) : nil }
    guard run.byte(at: index) == ErrorResponse.command else {
      mode = .searching(skipStart: cursor.undecidedOffset, byWalk: true)
      cursor.position += 1
      return .undecodable(offset: cursor.undecidedOffset &- 1, command: run.byte(at: index))
    }
    let response = ErrorResponse(at: index, in: run)
    var flags: RecordFlags = ErrorStatus(rawValue: response.status) == nil ? .unknownStatus : []
    if resynchronised { flags.insert(.resynchronised) }
    resynchronised = false
    cursor.position += ErrorResponse.length
    return .response(
      ResponseFrame(offset: cursor.windowOffset &+ index, response: response, flags: flags))
  }

  /// The first start from the cursor on, which moves over the indices that are none.
  private mutating func search(in run: RawSpan) -> Int? {
    while cursor.position < run.byteCount, cursor.ended || run.byteCount - cursor.position >= holdBack {
      if isStart(at: cursor.position, in: run) { return cursor.position }
      cursor.position &+= 1
    }
    return nil
  }

  /// start(p): byte 8, a known status, whole, and after it nothing or a byte 8.
  private func isStart(at index: Int, in run: RawSpan) -> Bool {
    let end = index + ErrorResponse.length
    guard end <= run.byteCount, run.byte(at: index) == ErrorResponse.command,
      ErrorStatus(rawValue: run.byte(at: index + ErrorResponse.statusOffset)) != nil
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

/// What the gateway says before it closes: 08, status u8, identifier u32 (docs/spec/protocol.md#error-responses).
public struct ErrorResponse: Equatable, Sendable {
  /// The first byte of every one.
  public static let command: UInt8 = 8
  /// Bytes of a whole one.
  public static let length = 6
  static let statusOffset = 1
  static let identifierOffset = 2

  /// Known ones are in `ErrorStatus`.
  public var status: UInt8
  /// Of the request that failed; with status 10 of the last one that was accepted.
  public var identifier: UInt32

  public init(status: UInt8, identifier: UInt32) {
    self.status = status
    self.identifier = identifier
  }

  /// The response at `index` of `bytes`, which must hold it whole.
  public init(at index: Int, in bytes: RawSpan) {
    status = bytes.byte(at: index + Self.statusOffset)
    identifier = bytes.bigEndianUInt32(at: index + Self.identifierOffset)
  }
}

/// Writes error responses as the gateway did.
public enum ResponseEncoder {
  /// Appends one response to `bytes`.
  public static func append(_ response: ErrorResponse, to bytes: inout [UInt8]) {
    bytes += [ErrorResponse.command, response.status]
    withUnsafeBytes(of: response.identifier.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

/// The status of an error response, by Apple's table (docs/spec/protocol.md#error-responses).
public enum ErrorStatus: UInt8, CaseIterable, Sendable {
  case noErrors = 0
  case processingError, missingToken, missingTopic, missingPayload, invalidTokenSize, invalidTopicSize
  case invalidPayloadSize, invalidToken
  case shutdown = 10
  case protocolError = 128
  case unknown = 255

  /// The table's wording.
  public var text: String {
    switch self {
    case .noErrors: "no errors encountered"
    case .processingError: "processing error"
    case .missingToken: "missing device token"
    case .missingTopic: "missing topic"
    case .missingPayload: "missing payload"
    case .invalidTokenSize: "invalid token size"
    case .invalidTopicSize: "invalid topic size"
    case .invalidPayloadSize: "invalid payload size"
    case .invalidToken: "invalid token"
    case .shutdown: "shutdown"
    case .protocolError: "protocol error (APNs could not parse the notification)"
    case .unknown: "none (unknown)"
    }
  }
}
