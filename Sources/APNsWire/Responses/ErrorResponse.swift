import WireBytes

/// What the gateway says before it closes: 08, status u8, identifier u32 (protocol.md, "Error response").
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

  /// The response at `place` of `bytes`, which must hold it whole.
  public init(at place: Int, in bytes: RawSpan) {
    status = bytes.byte(at: place + Self.statusOffset)
    identifier = bytes.bigEndianUInt32(at: place + Self.identifierOffset)
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
