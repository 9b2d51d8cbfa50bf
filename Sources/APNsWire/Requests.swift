import JSON
import WireBytes

/// Where a decoded request stands, and what is doubtful about it. `RequestFields` reads what it says.
public struct RequestFrame: Equatable, Sendable {
  /// Which bytes `start` counts in.
  public var window: RunWindow
  /// Index in the window of the command, from 0.
  public var start: Int
  /// Offset of the command in its direction of the stream, from 0, gaps counted in.
  public var offset: Int
  /// Bytes of the whole request.
  public var length: Int
  public var flags: RecordFlags

  /// Its bytes in the window.
  public var range: Range<Int> { start..<start + length }
}

/// Decodes one run of gateway requests, contiguous bytes of a client, in chunks of any size. No I/O.
///
/// It is used as `FeedbackDecoder` is, and under the same laws: the answers do not depend on how the run was cut,
/// every byte is in exactly one request, skipped range or truncated range, and at most `rules.holdBack` bytes
/// are held back.
public struct RequestDecoder: Sendable {
  /// What the decoder has to say next.
  public enum Step: Equatable, Sendable {
    case request(RequestFrame)
    /// No request can be at `offset`: `command` is none, or its lengths are beyond the limits (findings
    /// `unknown-command` and `malformed-frame`). The byte is in the skipped range that comes next.
    case undecodable(offset: Int, command: UInt8)
    /// `length` bytes from `offset` of the stream belong to no request (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends in a request that is not whole (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The chunk is used up: continue with the next one, or `finish()`.
    case needsBytes
    /// The run has ended, and all of it has been said. Only after `finish()`.
    case finished
  }

  private var run: ChunkedRun<RequestWalk>

  /// - Parameters:
  ///   - rules: the limits by which requests are judged.
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start.
  public init(rules: RequestRules, offset: Int = 0, beginsStream: Bool = true) {
    run = ChunkedRun(RequestWalk(rules: rules, offset: offset, beginsStream: beginsStream))
  }

  /// Bytes of earlier chunks that are not decided yet, and while a chunk is being decoded as many of its
  /// own as decide them.
  public var carry: [UInt8] { run.carry }

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

/// What a whole request says, and where: the fields of commands 0, 1 and 2 (docs/spec/protocol.md#gateway-requests).
/// Indices count from 0 in the bytes that it was read from.
public struct RequestFields: Equatable, Sendable {
  public let command: UInt8
  /// Nil for command 0, and for command 2 without the item or where it is not of 4 bytes.
  public private(set) var identifier: UInt32?
  /// Seconds since 1970 until which APNs shall try; 0 is not at all. Nil likewise.
  public private(set) var expiry: UInt32?
  /// Only command 2 has one.
  public private(set) var priority: UInt8?
  /// Nil where command 2 lacks the item. Of items that are there twice the first counts.
  public private(set) var token: Range<Int>?
  public private(set) var payload: Range<Int>?
  /// The items of command 2.
  public private(set) var items: RequestItems?
  /// Whether command 2's items fill the frame, with token and payload once, each of its size.
  private var isWellFormed = true
  private var hasUnknownItem = false

  /// The fields of the request in `range`, whose extent must be known and lie in `bytes`.
  public init(_ range: Range<Int>, in bytes: RawSpan) {
    let start = range.lowerBound
    command = bytes.byte(at: start)
    if command == 2 {
      readItems(start + RequestLayout.itemsOffset..<range.upperBound, in: bytes)
      return
    }
    if command == 1 {
      identifier = bytes.bigEndianUInt32(at: start + RequestLayout.identifierOffset)
      expiry = bytes.bigEndianUInt32(at: start + RequestLayout.expiryOffset)
    }
    let tokenStart = start + RequestLayout.headerLength(command)
    let tokenEnd = tokenStart + Int(bytes.bigEndianUInt16(at: tokenStart - RequestLayout.lengthSize))
    token = tokenStart..<tokenEnd
    payload = tokenEnd + RequestLayout.lengthSize..<range.upperBound
  }

  private mutating func readItems(_ range: Range<Int>, in bytes: RawSpan) {
    items = RequestItems(range)
    var rest = RequestItems(range)
    var seen: UInt8 = 0
    while let item = rest.next(in: bytes) {
      guard let kind = RequestItem.Kind(rawValue: item.id) else {
        hasUnknownItem = true
        continue
      }
      let isFirst = seen & kind.bit == 0
      seen |= kind.bit
      let hasItsSize = kind.takes(item.data.count)
      if !hasItsSize || !isFirst && kind.isUnique { isWellFormed = false }
      if isFirst, hasItsSize { take(kind, item.data, in: bytes) }
    }
    if !rest.isAtEnd || token == nil || payload == nil { isWellFormed = false }
  }

  private mutating func take(_ kind: RequestItem.Kind, _ data: Range<Int>, in bytes: RawSpan) {
    switch kind {
    case .token: token = data
    case .payload: payload = data
    case .identifier: identifier = bytes.bigEndianUInt32(at: data.lowerBound)
    case .expiry: expiry = bytes.bigEndianUInt32(at: data.lowerBound)
    case .priority: priority = bytes.byte(at: data.lowerBound)
    }
  }

  /// What is wrong inside the request (docs/spec/decoding-rules.md#flags-of-requests).
  func flags(by rules: RequestRules, in bytes: RawSpan) -> RecordFlags {
    var flags: RecordFlags = []
    if !isWellFormed { flags.insert(.malformedItems) }
    if hasUnknownItem { flags.insert(.unknownItem) }
    if let token {
      if !rules.tokenLengths.contains(UInt16(truncatingIfNeeded: token.count)) {
        flags.insert(token.isEmpty ? .zeroLengthToken : .unexpectedTokenLength)
      }
      if ZeroFill.isPresent(in: bytes, from: token.lowerBound, count: token.count) {
        flags.insert(.zeroFilledToken)
      }
    }
    if let payload {
      if !JSONText.isValue(payload, in: bytes) { flags.insert(.payloadNotJSON) }
      let largest = command == 2 ? RequestRules.largestPayload : RequestRules.largestOldPayload
      if payload.count > largest { flags.insert(.payloadTooLarge) }
    }
    if let priority, priority != 5, priority != 10 { flags.insert(.unusualPriority) }
    return flags
  }
}

/// One item of command 2: id u8, length u16, data (docs/spec/protocol.md#gateway-requests).
public struct RequestItem: Equatable, Sendable {
  /// The items that the protocol knows.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case token = 1
    case payload, identifier, expiry, priority

    /// Whether its data can have `count` bytes.
    func takes(_ count: Int) -> Bool {
      switch self {
      case .token, .payload: true
      case .identifier, .expiry: count == 4
      case .priority: count == 1
      }
    }

    /// Whether a frame that has it twice is malformed.
    var isUnique: Bool { self == .token || self == .payload }

    var bit: UInt8 { 1 << rawValue }
  }

  public var id: UInt8
  /// Where its data stands: indices from 0 into the bytes that it was read from.
  public var data: Range<Int>

  /// Whether its data is as long as that of its kind; of an unknown kind, any is.
  var hasItsSize: Bool { Kind(rawValue: id)?.takes(data.count) ?? true }
}

/// The items of command 2 in the order of the wire, without those that reach beyond the frame.
public struct RequestItems: Equatable, Sendable {
  private var index: Int
  private let end: Int

  /// - Parameter range: where they stand, indices from 0 into the bytes that `next(in:)` is given.
  public init(_ range: Range<Int>) {
    index = range.lowerBound
    end = range.upperBound
  }

  /// The next item; nil where none is whole.
  public mutating func next(in bytes: RawSpan) -> RequestItem? {
    guard end - index >= RequestLayout.itemHeaderLength else { return nil }
    let data = index + RequestLayout.itemHeaderLength
    let length = Int(bytes.bigEndianUInt16(at: index + 1))
    guard end - data >= length else { return nil }
    defer { index = data + length }
    return RequestItem(id: bytes.byte(at: index), data: data..<data + length)
  }

  /// Whether the items so far fill the frame.
  public var isAtEnd: Bool { index == end }
}

/// A gateway request by itself, as a client makes one (docs/spec/protocol.md#gateway-requests).
public enum GatewayRequest: Equatable, Sendable {
  /// Command 0, which has no identifier.
  case simple(token: [UInt8], payload: [UInt8])
  /// Command 1. `expiry` is in seconds since 1970.
  case enhanced(identifier: UInt32, expiry: UInt32, token: [UInt8], payload: [UInt8])
  /// Command 2, items in the order of the wire.
  case items([Item])

  public struct Item: Equatable, Sendable {
    public var id: UInt8
    /// Up to 65,535 bytes.
    public var data: [UInt8]

    public init(id: UInt8, data: [UInt8]) {
      self.id = id
      self.data = data
    }
  }

  /// The request in `range` of `bytes`, where a decoder found one. Nil where it is command 2 and its items do not
  /// fill the frame: nothing else can be said of such a request than its bytes.
  public init?(_ range: Range<Int>, in bytes: RawSpan) {
    let fields = RequestFields(range, in: bytes)
    func copy(_ range: Range<Int>) -> [UInt8] { bytes.extracting(range).withUnsafeBytes { Array($0) } }
    if var rest = fields.items {
      var items: [Item] = []
      while let item = rest.next(in: bytes) { items.append(Item(id: item.id, data: copy(item.data))) }
      guard rest.isAtEnd else { return nil }
      self = .items(items)
      return
    }
    guard let token = fields.token, let payload = fields.payload else { return nil }
    if let identifier = fields.identifier, let expiry = fields.expiry {
      self = .enhanced(
        identifier: identifier, expiry: expiry, token: copy(token), payload: copy(payload))
    } else {
      self = .simple(token: copy(token), payload: copy(payload))
    }
  }
}

/// Writes gateway requests as clients did.
public enum RequestEncoder {
  /// Appends one request to `bytes`.
  /// - Returns: false, with nothing appended, where a token, a payload, an item's data or all items together are
  ///   longer than their length fields can say.
  @discardableResult
  public static func append(_ request: GatewayRequest, to bytes: inout [UInt8]) -> Bool {
    switch request {
    case .simple(let token, let payload):
      return append([0], token, payload, to: &bytes)
    case .enhanced(let identifier, let expiry, let token, let payload):
      return append([1] + octets(identifier) + octets(expiry), token, payload, to: &bytes)
    case .items(let items):
      return append(items, to: &bytes)
    }
  }

  private static func append(
    _ head: [UInt8], _ token: [UInt8], _ payload: [UInt8], to bytes: inout [UInt8]
  ) -> Bool {
    guard let tokenLength = UInt16(exactly: token.count), let payloadLength = UInt16(exactly: payload.count)
    else { return false }
    bytes += head + octets(tokenLength) + token
    bytes += octets(payloadLength) + payload
    return true
  }

  private static func append(_ items: [GatewayRequest.Item], to bytes: inout [UInt8]) -> Bool {
    let length = items.reduce(0) { $0 + RequestLayout.itemHeaderLength + $1.data.count }
    guard let length = UInt32(exactly: length), items.allSatisfy({ $0.data.count <= Int(UInt16.max) }) else {
      return false
    }
    bytes += [2] + octets(length)
    for item in items {
      bytes += [item.id] + octets(UInt16(truncatingIfNeeded: item.data.count))
      bytes += item.data
    }
    return true
  }

  private static func octets(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
