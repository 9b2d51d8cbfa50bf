import WireBytes

/// The known fields of a push, a broadcast or a request for channels, and of its response (docs/spec/pushes.md). Texts are
/// ranges of the accompanying bytes.
package struct PushFields: BitwiseCopyable, Sendable {
  package enum Text: Int, CaseIterable, Sendable {
    /// The token as written in the path or in a log.
    case tokenText
    /// The bytes of the token.
    case token
    case topic, pushType, apnsID, uniqueID, collapseID, reason, payload
    /// Of broadcasts and channels.
    case channelID, requestID

    /// The bundle id in the path of a broadcast or of a request for channels, in place of a topic.
    package static var app: Text { .topic }
  }

  @usableFromInline struct TextRange: BitwiseCopyable, Sendable {
    @usableFromInline var start: UInt32
    /// `absent` if there is no text.
    @usableFromInline var count: UInt32

    @inlinable static var absent: UInt32 { .max }

    @inlinable
    init(start: UInt32, count: UInt32) { (self.start, self.count) = (start, count) }
  }

  @usableFromInline var ranges = InlineArray<11, TextRange>(
    repeating: TextRange(start: 0, count: TextRange.absent))
  package var service = ServiceRequest.push
  /// The id of the stream in its HTTP/2 connection; nil in a log.
  package var http2Stream: UInt32?
  /// The line of a log, from 1; nil in a capture.
  package var line: Int?
  package var priority: UInt8?
  /// Seconds since 1970 until which the push may be delivered; 0 means one attempt.
  package var expiration: Int64?
  /// In bytes. Of a request for channels, the captured length of the answer's body.
  package var payloadLength: Int?
  /// `message-storage-policy` of a channel.
  package var storagePolicy: UInt8?
  /// The number of channels in a list.
  package var channels: Int?
  /// The HTTP status; nil if it is not known.
  package var status: UInt16?
  /// When the token became invalid, in milliseconds since 1970.
  package var timestamp: Int64?
  /// When the line of a log was written, likewise; nil in a capture.
  package var loggedAt: Int64?
  package var flags: PushFlags = []

  package init() {}

  /// The range of a text; nil if it is absent or unknown.
  @inlinable @inline(__always)
  package subscript(text: Text) -> Range<Int>? {
    get {
      let range = ranges[text.rawValue]
      return range.count == TextRange.absent ? nil : Int(range.start)..<Int(range.start) &+ Int(range.count)
    }
    set {
      ranges[text.rawValue] =
        newValue.map {
          TextRange(
            start: UInt32(truncatingIfNeeded: $0.lowerBound), count: UInt32(truncatingIfNeeded: $0.count))
        } ?? TextRange(start: 0, count: TextRange.absent)
    }
  }

  package var outcome: PushOutcome {
    switch status {
    case nil: .unknown
    case 200: .accepted
    case 410 where service == .push: .invalidated
    case let status?: service.kind == .channel && 200..<300 ~= status ? .accepted : .rejected
    }
  }

  /// Whether to send it again: the service did not process it, or had a temporary error.
  package var needsResend: Bool {
    flags.contains(.goaway) || flags.contains(.refused) || [429, 500, 503].contains(status)
  }
}

package enum PushOutcome: String, BitwiseCopyable, CaseIterable, Sendable {
  /// Status 200.
  case accepted
  /// Status 410: the token is invalid since the response's `timestamp`.
  case invalidated
  /// Any other final status.
  case rejected
  /// The status is unknown. The absence of a response proves nothing.
  case unknown

  /// In the order of the cases.
  fileprivate var index: Int {
    switch self {
    case .accepted: 0
    case .invalidated: 1
    case .rejected: 2
    case .unknown: 3
    }
  }
}

package struct PushCounts: Equatable, Sendable {
  private var counts = SIMD4<Int>()

  package init() {}

  package var all: Int { counts.wrappedSum() }

  package subscript(outcome: PushOutcome) -> Int { counts[outcome.index] }

  package mutating func count(_ push: PushFields) { counts[push.outcome.index] &+= 1 }
}

/// Values for pushes, broadcasts and requests for channels.
package struct ByService<Value> {
  package var pushes, broadcasts, channels: Value

  package init(_ value: Value) { (pushes, broadcasts, channels) = (value, value, value) }

  package subscript(kind: ServiceRequest.Kind) -> Value {
    _read {
      switch kind {
      case .push: yield pushes
      case .broadcast: yield broadcasts
      case .channel: yield channels
      }
    }
    _modify {
      switch kind {
      case .push: yield &pushes
      case .broadcast: yield &broadcasts
      case .channel: yield &channels
      }
    }
  }
}

extension ByService: Equatable where Value: Equatable {}
extension ByService: Sendable where Value: Sendable {}

/// What is doubtful about a push.
public struct PushFlags: OptionSet, BitwiseCopyable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The server's GOAWAY excludes the request: it was not processed.
  public static let goaway = PushFlags(rawValue: 1 << 0)
  /// The response body is not a JSON object as the service sends it.
  public static let malformedJSON = PushFlags(rawValue: 1 << 1)
  /// No response is known.
  public static let noResponse = PushFlags(rawValue: 1 << 2)
  /// The status is inferred from the reason, because its header field was lost.
  public static let statusInferred = PushFlags(rawValue: 1 << 3)
  /// One side ended the stream with RST_STREAM.
  public static let streamReset = PushFlags(rawValue: 1 << 4)
  /// The token is not an even number of hex digits, nor, in a log, in another form of a token.
  public static let tokenNotHex = PushFlags(rawValue: 1 << 5)
  /// A response without its request.
  public static let uncorrelated = PushFlags(rawValue: 1 << 6)
  /// The token does not have 32 bytes.
  public static let unexpectedTokenLength = PushFlags(rawValue: 1 << 7)
  /// A header field is unknown: its dynamic table entry, or part of its header block, is missing.
  public static let unknownHeaders = PushFlags(rawValue: 1 << 8)

  /// The body of an error is missing, at least in part.
  public static let bodyLost = PushFlags(rawValue: 1 << 9)
  /// Packets of the capture have different bytes for a part of its frames, and nothing decides between them.
  public static let conflictingBytes = PushFlags(rawValue: 1 << 10)
  /// Of a broadcast or a request for channels: a required header field is missing.
  package static let missingHeader = PushFlags(rawValue: 1 << 11)
  /// A channel id is no base64.
  package static let channelIDNotBase64 = PushFlags(rawValue: 1 << 12)
  /// A body is longer than what is read of it.
  package static let bodyTooLong = PushFlags(rawValue: 1 << 13)

  /// RST_STREAM has the code REFUSED_STREAM: the request was not processed. Reports do not show this flag.
  package static let refused = PushFlags(rawValue: 1 << 15)

  /// The flags and their codes in reports, sorted by code.
  public static let all: [(flag: PushFlags, code: String)] = [
    (.bodyLost, "body-lost"),
    (.bodyTooLong, "body-too-long"),
    (.channelIDNotBase64, "channel-id-not-base64"),
    (.conflictingBytes, "conflicting-bytes"),
    (.goaway, "goaway"),
    (.malformedJSON, "malformed-json"),
    (.missingHeader, "missing-header"),
    (.noResponse, "no-response"),
    (.statusInferred, "status-inferred"),
    (.streamReset, "stream-reset"),
    (.tokenNotHex, "token-not-hex"),
    (.uncorrelated, "uncorrelated"),
    (.unexpectedTokenLength, "unexpected-token-length"),
    (.unknownHeaders, "unknown-headers"),
  ]

  public var codes: [String] { Self.all.filter { contains($0.flag) }.map(\.code) }

  /// Flags that make the token or its invalidation time doubtful.
  package static let tokenFlags: PushFlags = [
    .conflictingBytes, .malformedJSON, .statusInferred, .tokenNotHex, .uncorrelated, .unexpectedTokenLength,
  ]
}

extension PushFields {
  /// Decodes the token's hex text, appends its bytes to `buffer`, and sets its flags. The text stays if it
  /// is not an even number of hex digits.
  /// - Parameter lengths: those without a flag.
  package mutating func settleToken(in buffer: inout [UInt8], _ lengths: TokenLengths) {
    guard let text = self[.tokenText] else { return }
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: text.count / 2))
    let length = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.flatMap { Hex.decode(.init(rebasing: bytes[text]), to: $0 + start) }
    }
    guard let length else {
      buffer.removeSubrange(start...)
      flags.insert(.tokenNotHex)
      return
    }
    self[.token] = start..<buffer.count
    self[.tokenText] = nil
    if !lengths.contains(UInt16(clamping: length)) { flags.insert(.unexpectedTokenLength) }
  }
}
