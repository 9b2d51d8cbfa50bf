import WireBytes

/// A decoded request: its position, fields and flags.
public struct RequestFrame: Equatable, Sendable {
  /// Its ranges are indices in the decoder's `carry`, or in the chunk.
  public var fields: RequestFields
  /// Offset of the first byte in its direction of the stream, in bytes from 0, gaps included.
  public var offset: Int
  public var flags: RecordFlags

  /// Index of the request's first byte, the command, from 0.
  @inlinable public var start: Int { fields.start }
  /// Bytes of the whole request, command included.
  @inlinable public var length: Int { fields.length }
  /// The request's bytes, as indices like `start`.
  @inlinable public var range: Range<Int> { fields.range }
}

/// The fields of a whole request with command 0, 1 or 2 (docs/spec/protocol.md#gateway-requests). Ranges are indices from
/// 0 in the bytes that were passed to `init`, or that have the request at another `start` now.
public struct RequestFields: Equatable, Sendable {
  /// Index of the first byte, the command.
  public var start: Int
  @usableFromInline let storedLength: UInt32
  /// As indices from the first byte on; empty at 0 without token or payload.
  @usableFromInline var (tokenPart, payloadPart): (Range<UInt32>, Range<UInt32>) = (0..<0, 0..<0)
  /// The ids of the items, the last one in the lowest byte, and their number in the highest; nil for more than seven, and
  /// for commands 0 and 1.
  package private(set) var itemIDs: UInt64?
  public let command: UInt8
  /// Nil for command 0, and for command 2 if the item is missing or not of 4 bytes.
  public private(set) var identifier: UInt32?
  /// When APNs stops trying to deliver, in seconds since 1970; 0 asks it not to store the request. Nil as for
  /// `identifier`.
  public private(set) var expiry: UInt32?
  /// 5 or 10 in valid requests. Nil for commands 0 and 1, and if the item is missing or not of 1 byte.
  public private(set) var priority: UInt8?
  private var itemFlags: RecordFlags = []

  /// Reads the request in `range` of `bytes`, as a decoder returned it; traps on other ranges.
  public init(_ range: Range<Int>, in bytes: RawSpan) {
    (start, storedLength) = (range.lowerBound, UInt32(range.count))
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
    tokenPart = part(tokenStart..<tokenEnd)
    payloadPart = part(tokenEnd + RequestLayout.lengthSize..<range.upperBound)
  }

  @inlinable public var length: Int { Int(storedLength) }
  @inlinable public var range: Range<Int> { start..<start + length }
  /// Nil if the item of command 2 is missing. Of repeated items the first counts.
  @inlinable public var token: Range<Int>? { range(of: tokenPart) }
  @inlinable public var payload: Range<Int>? { range(of: payloadPart) }
  /// Their lengths in bytes.
  @inlinable public var tokenLength: Int? { length(of: tokenPart) }
  @inlinable public var payloadLength: Int? { length(of: payloadPart) }

  /// The items of command 2; nil for commands 0 and 1.
  public var items: RequestItems? {
    command == 2 ? RequestItems(start + RequestLayout.itemsOffset..<range.upperBound) : nil
  }

  @inlinable @inline(__always)
  func range(of part: Range<UInt32>) -> Range<Int>? {
    part == 0..<0 ? nil : start &+ Int(part.lowerBound)..<start &+ Int(part.upperBound)
  }

  @inlinable @inline(__always)
  func length(of part: Range<UInt32>) -> Int? {
    part == 0..<0 ? nil : Int(part.upperBound &- part.lowerBound)
  }

  @inline(__always)
  private func part(_ range: Range<Int>) -> Range<UInt32> {
    let first = UInt32(truncatingIfNeeded: range.lowerBound &- start)
    return Range(uncheckedBounds: (first, first &+ UInt32(truncatingIfNeeded: range.count)))
  }

  private mutating func readItems(_ range: Range<Int>, in bytes: RawSpan) {
    var rest = RequestItems(range)
    var (seen, ids, count): (UInt8, UInt64, UInt64) = (0, 0, 0)
    while let item = rest.next(in: bytes) {
      ids = ids &<< 8 | UInt64(item.id)
      count &+= 1
      guard let kind = RequestItem.Kind(rawValue: item.id) else {
        itemFlags.insert(.unknownItem)
        continue
      }
      take(kind, item.data, isFirst: seen & kind.bit == 0, in: bytes)
      seen |= kind.bit
    }
    if count < 8 { itemIDs = count &<< 56 | ids }
    if !rest.isAtEnd || tokenPart == 0..<0 || payloadPart == 0..<0 { itemFlags.insert(.malformedItems) }
  }

  @inline(__always)
  private mutating func take(
    _ kind: RequestItem.Kind, _ data: Range<Int>, isFirst: Bool, in bytes: RawSpan
  ) {
    switch kind {
    case .token where isFirst: tokenPart = part(data)
    case .payload where isFirst: payloadPart = part(data)
    case .identifier where RequestItem.Kind.identifier.takes(data.count):
      if isFirst { identifier = bytes.uncheckedBigEndianUInt32(at: data.lowerBound) }
    case .expiry where RequestItem.Kind.expiry.takes(data.count):
      if isFirst { expiry = bytes.uncheckedBigEndianUInt32(at: data.lowerBound) }
    case .priority where RequestItem.Kind.priority.takes(data.count):
      if isFirst { priority = bytes.uncheckedByte(at: data.lowerBound) }
    case .token, .payload, .identifier, .expiry, .priority: itemFlags.insert(.malformedItems)
    }
  }

  /// The flags for the content of the request (docs/spec/decoding-rules.md#flags-of-requests).
  func flags(by rules: RequestRules, in bytes: RawSpan) -> RecordFlags {
    var flags = itemFlags
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
  /// The item ids of the protocol.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case token = 1
    case payload, identifier, expiry, priority

    /// The only valid length of the data in bytes; nil if any is valid.
    @inline(__always)
    package var size: Int? {
      switch self {
      case .token, .payload: nil
      case .identifier, .expiry: 4
      case .priority: 1
      }
    }

    /// Whether `count` is a valid length of the data.
    @inline(__always)
    func takes(_ count: Int) -> Bool { size == nil || size == count }

    var bit: UInt8 { 1 << rawValue }
  }

  public var id: UInt8
  /// The data, 0 to 65,535 bytes: indices from 0 in the bytes that the item was read from.
  public var data: Range<Int>
}

/// Iterates the items of command 2 in wire order, up to the first that does not fit in the frame.
public struct RequestItems: Equatable, Sendable {
  private var index: Int
  private let end: Int

  /// - Parameter range: the bytes of all items, as indices from 0 in the bytes passed to `next(in:)`.
  public init(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0)
    index = range.lowerBound
    end = range.upperBound
  }

  /// The next item; nil at the end of the frame, and if the next item does not fit in it.
  @inline(__always)
  public mutating func next(in bytes: RawSpan) -> RequestItem? {
    precondition(end <= bytes.byteCount)
    guard end &- index >= RequestLayout.itemHeaderLength else { return nil }
    let data = index &+ RequestLayout.itemHeaderLength
    let next = data &+ Int(bytes.uncheckedBigEndianUInt16(at: index &+ 1))
    guard next <= end else { return nil }
    defer { index = next }
    return RequestItem(id: bytes.uncheckedByte(at: index), data: Range(uncheckedBounds: (data, next)))
  }

  /// Whether the items returned so far fill the frame exactly.
  public var isAtEnd: Bool { index == end }
}

/// A gateway request as a value, independent of any buffer (docs/spec/protocol.md#gateway-requests).
public enum GatewayRequest: Equatable, Sendable {
  /// Command 0, which has no identifier.
  case simple(token: [UInt8], payload: [UInt8])
  /// Command 1. `expiry` is in seconds since 1970; 0 asks APNs not to store the request.
  case enhanced(identifier: UInt32, expiry: UInt32, token: [UInt8], payload: [UInt8])
  /// Command 2, items in wire order.
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

  /// Reads the request in `range` of `bytes`, as a decoder returned it. Nil for command 2 if the items do not fill
  /// the frame: such a request has no representation but its bytes.
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
      self = .enhanced(identifier: identifier, expiry: expiry, token: copy(token), payload: copy(payload))
    } else {
      self = .simple(token: copy(token), payload: copy(payload))
    }
  }
}

/// Encodes gateway requests as clients sent them.
public enum RequestEncoder {
  /// Appends one request to `bytes`.
  /// - Returns: false, with nothing appended, if a token, a payload or an item's data is longer than 65,535 bytes,
  ///   or all items together are longer than 4,294,967,295 bytes.
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
