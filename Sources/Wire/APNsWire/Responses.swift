import Basics

/// A decoded error response and its flags.
public struct ResponseFrame: Equatable, Sendable {
  /// Offset of the first byte in its direction of the stream, in bytes from 0, gaps included.
  public var offset: Int
  public var response: ErrorResponse
  public var flags: RecordFlags
}

/// Decodes one run of error responses (contiguous, from a gateway), in chunks of any size. No I/O.
///
/// Used like `FeedbackDecoder`, with the same guarantees; at most 7 bytes are carried over.
public struct ResponseDecoder: Sendable {
  /// One result of `next(in:)`. Offsets are in bytes from 0, in the direction of the stream, gaps included.
  public enum Step: Equatable, Sendable {
    case response(ResponseFrame)
    /// No response can begin at `offset`: `command` is not 8 (finding `unknown-command`). The byte is also in the
    /// skipped range that follows.
    case undecodable(offset: Int, command: UInt8)
    /// `length` bytes from `offset`, at least 1, belong to no response (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends inside a response, of which it has `length` bytes, 1 to 5 (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The chunk is used up: pass the next one, or call `finish()`.
    case needsBytes
    /// All steps of the run were returned. Only after `finish()`.
    case finished
  }

  private var run: ChunkedParser<ResponseParser>

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first start.
  public init(offset: Int = 0, beginsStream: Bool = true) {
    run = ChunkedParser(ResponseParser(offset: offset, beginsStream: beginsStream))
  }

  /// Offset in the stream of the first undecided byte: all bytes before it were returned, except from `pendingSkip`.
  public var undecidedOffset: Int { run.parser.cursor.undecidedOffset }

  /// Offset in the stream of the first byte that is being skipped while the decoder looks for a start; nil otherwise.
  public var pendingSkip: Int? { run.parser.pendingSkip }

  /// Marks the end of the run. Call `next(in:)` afterwards until it returns `finished`.
  public mutating func finish() { run.finish() }

  /// The next step. Call it with the same chunk until it returns `needsBytes`. After `finish()` the chunk is ignored.
  public mutating func next(in chunk: RawSpan) -> Step {
    run.next(in: chunk) ?? (run.hasEnded ? .finished : .needsBytes)
  }
}

/// The parser of a run of error responses (docs/spec/decoding-rules.md#error-responses).
struct ResponseParser: RunParser {
  typealias Step = ResponseDecoder.Step

  private enum Mode: Sendable {
    /// At a boundary.
    case decoding
    /// Looking for a start; bytes are skipped from offset `skipStart` of the stream on. `resynchronises` is false
    /// at the beginning of a run.
    case searching(skipStart: Int, resynchronises: Bool)
  }

  var cursor: RunCursor
  private var mode: Mode
  /// Whether bytes were skipped just before the cursor.
  private var resynchronised = false

  init(offset: Int, beginsStream: Bool) {
    cursor = RunCursor(offset: offset)
    mode = beginsStream ? .decoding : .searching(skipStart: offset, resynchronises: false)
  }

  /// A response, and the first byte after it.
  var holdBack: Int { ErrorResponse.length + 1 }
  var firstCopy: Int { holdBack }

  /// Offset in the stream of the first byte that is being skipped, while the parser looks for a start.
  var pendingSkip: Int? {
    if case .searching(let skipStart, _) = mode { skipStart } else { nil }
  }

  mutating func step(in run: RawSpan) -> Step? {
    while true {
      switch mode {
      case .decoding:
        return parse(in: run)
      case .searching(let skipStart, let resynchronises):
        guard let found = search(in: run) else { return endOfSearch(from: skipStart, in: run) }
        mode = .decoding
        resynchronised = resynchronises
        let length = cursor.windowOffset &+ found &- skipStart
        if length > 0 { return .skipped(offset: skipStart, length: length) }
      }
    }
  }

  private mutating func parse(in run: RawSpan) -> Step? {
    let index = cursor.position
    let left = run.byteCount - index
    guard left >= ErrorResponse.length else { return cursor.ended && left > 0 ? truncate(in: run) : nil }
    guard run.byte(at: index) == ErrorResponse.command else {
      mode = .searching(skipStart: cursor.undecidedOffset, resynchronises: true)
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

  /// The first start from the cursor on. The cursor moves past all other indices.
  private mutating func search(in run: RawSpan) -> Int? {
    while cursor.position < run.byteCount, cursor.ended || run.byteCount - cursor.position >= holdBack {
      if isStart(at: cursor.position, in: run) { return cursor.position }
      cursor.position &+= 1
    }
    return nil
  }

  /// start(p): byte 8, a known status, whole, and then the end of the run or another byte 8.
  private func isStart(at index: Int, in run: RawSpan) -> Bool {
    let end = index + ErrorResponse.length
    guard end <= run.byteCount, run.byte(at: index) == ErrorResponse.command,
      ErrorStatus(rawValue: run.byte(at: index + ErrorResponse.statusOffset)) != nil
    else { return false }
    return end == run.byteCount || run.byte(at: end) == ErrorResponse.command
  }

  private mutating func endOfSearch(from skipStart: Int, in run: RawSpan) -> Step? {
    guard cursor.ended else { return nil }
    mode = .decoding
    let length = cursor.windowOffset &+ run.byteCount &- skipStart
    return length > 0 ? .skipped(offset: skipStart, length: length) : nil
  }

  private mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.undecidedOffset, length: run.byteCount - cursor.position)
  }
}

/// The response that the gateway sends before it closes: 08, status u8, identifier u32 (docs/spec/protocol.md#error-responses).
public struct ErrorResponse: Equatable, Sendable {
  /// The first byte of every response.
  public static let command: UInt8 = 8
  /// Bytes of a whole response.
  public static let length = 6
  static let statusOffset = 1
  static let identifierOffset = 2

  /// `ErrorStatus` has the known values.
  public var status: UInt8
  /// Identifier of the request that failed or, with status 10, of the last accepted request.
  public var identifier: UInt32

  public init(status: UInt8, identifier: UInt32) {
    self.status = status
    self.identifier = identifier
  }

  /// Reads the response at `index` of `bytes`; traps if fewer than 6 bytes are left there.
  public init(at index: Int, in bytes: RawSpan) {
    status = bytes.byte(at: index + Self.statusOffset)
    identifier = bytes.bigEndianUInt32(at: index + Self.identifierOffset)
  }
}

/// Encodes error responses as the gateway sent them.
public enum ResponseEncoder {
  /// Appends one response, 6 bytes, to `bytes`.
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

  /// The description in Apple's table, in lower case.
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
