import JSON
import WireBytes

/// What a whole request says, and where: the fields of commands 0, 1 and 2 (protocol.md, "Gateway requests").
/// Places are indices from 0 into the bytes that it was read from.
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
      if !item.hasItsSize || (!isFirst && kind.size == nil) { isWellFormed = false }
      if isFirst, item.hasItsSize { take(kind, item.data, in: bytes) }
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

  /// What is wrong inside the request (decoding-rules.md, "Flags").
  func flags(by rules: RequestRules, in bytes: RawSpan) -> RecordFlags {
    var flags: RecordFlags = []
    if !isWellFormed { flags.insert(.malformedFrame) }
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
