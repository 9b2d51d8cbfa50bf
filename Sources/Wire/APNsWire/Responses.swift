import WireBytes

/// A decoded error response and its flags.
public struct ResponseFrame: Equatable, Sendable {
  /// Offset of the first byte in its direction of the stream, in bytes from 0, gaps included.
  public var offset: Int
  public var response: ErrorResponse
  public var flags: RecordFlags
}

/// Decodes the error responses of a gateway (docs/spec/decoding-rules.md#error-responses). `RunDecoder` says how to use it.
public struct ResponseDecoder: RunDecoder, RunParser {
  public typealias Record = ResponseFrame

  public var cursor: RunCursor

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first start.
  public init(offset: Int = 0, beginsStream: Bool = true) {
    cursor = RunCursor(offset: offset, beginsStream: beginsStream)
  }

  /// A response, and the first byte after it: 7 bytes.
  public var holdBack: Int { ErrorResponse.length + 1 }

  public mutating func next(in chunk: RawSpan) -> DecoderStep<ResponseFrame>? { nextStep(in: chunk) }

  mutating func parse(in run: RawSpan) -> Step? {
    let left = run.byteCount - cursor.position
    guard left >= ErrorResponse.length else { return cursor.ended && left > 0 ? truncate(in: run) : nil }
    guard run.byte(at: cursor.position) == ErrorResponse.command else { return undecodable(in: run) }
    let offset = cursor.undecidedOffset
    let response = ErrorResponse(at: cursor.position, in: run)
    var flags = cursor.passRecord(to: cursor.position + ErrorResponse.length)
    if ErrorStatus(rawValue: response.status) == nil { flags.insert(.unknownStatus) }
    return .record(ResponseFrame(offset: offset, response: response, flags: flags))
  }

  /// start(p): byte 8, a known status, whole, and then the end of the run or another byte 8.
  func isStart(at index: Int, in run: RawSpan) throws(NeedsBytes) -> Bool {
    if !cursor.ended, run.byteCount - index < holdBack { throw NeedsBytes() }
    let end = index + ErrorResponse.length
    guard end <= run.byteCount, run.byte(at: index) == ErrorResponse.command,
      ErrorStatus(rawValue: run.byte(at: index + ErrorResponse.statusOffset)) != nil
    else { return false }
    return end == run.byteCount || run.byte(at: end) == ErrorResponse.command
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
