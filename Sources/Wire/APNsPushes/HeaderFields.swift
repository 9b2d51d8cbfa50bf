import APNsWire

/// The header fields of pushes in one header block. Reused for the next block.
package struct HeaderFields {
  package enum Name: Int, CaseIterable, Sendable {
    case path, method, status
    case topic, pushType, id, uniqueID, priority, expiration, collapseID, channelID, requestID
  }

  /// The maximum length of a value in bytes. A longer value is lost.
  private static let longestValue = 4096

  /// The bytes of all values.
  package var bytes: [UInt8] = []
  private var ranges = InlineArray<12, Range<Int>>(repeating: Self.absent)
  /// Whether a field is lost: its table entry is unknown, it is too long, or part of the block is missing.
  package internal(set) var hasLost = false
  /// The value of `authorization` in the last block that has it; whether that is this block; and whether the value has
  /// changed since `takeChange`. It has 200 bytes, and is mostly that of the block before.
  private(set) var authorization: [UInt8] = []
  private(set) var hasAuthorization = false
  private var hasChanged = false

  private static let absent = 0..<0

  package init() {}

  /// A field's value as indices of `bytes`; nil if absent or lost. Of repeated fields, the first counts.
  package subscript(name: Name) -> Range<Int>? {
    let range = ranges[name.rawValue]
    // Ranges are stored one too high, so that an empty value at 0 differs from `absent`.
    return range == Self.absent ? nil : range.lowerBound &- 1..<range.upperBound &- 1
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    for index in ranges.indices { ranges[index] = Self.absent }
    (hasLost, hasAuthorization) = (false, false)
  }

  /// Marks all fields as lost: their block cannot be read.
  package mutating func lose() {
    removeAll()
    hasLost = true
  }

  /// Adds a field if it is one of `Name`.
  @inline(__always)
  mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    guard let known = Name(name) else { return keepAuthorization(name, value) }
    guard ranges[known.rawValue] == Self.absent else { return }
    guard value.count <= Self.longestValue else {
      hasLost = true
      return
    }
    let start = bytes.count &+ 1
    bytes.append(contentsOf: value)
    ranges[known.rawValue] = start..<start &+ value.count
  }

  private mutating func keepAuthorization(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    guard name.count == 13, name.elementsEqual("authorization".utf8), !hasAuthorization,
      value.count <= Self.longestValue
    else { return }
    hasAuthorization = true
    if value.elementsEqual(authorization) { return }
    (authorization, hasChanged) = (Array(value), true)
  }

  mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  /// The value of a field as an unsigned decimal number; nil for any other text.
  package func number(_ name: Name) -> Int64? {
    self[name].flatMap { PushText.number($0, in: bytes.span.bytes) }
  }
}

extension HeaderFields.Name {
  @inline(__always)
  fileprivate init?(_ text: UnsafeRawBufferPointer) {
    let candidate: (HeaderFields.Name, StaticString)
    switch text.count {
    case 5: candidate = (.path, ":path")
    case 7:
      switch text[1] {
      case UInt8(ascii: "s"): candidate = (.status, ":status")
      case UInt8(ascii: "m"): candidate = (.method, ":method")
      default: candidate = (.id, "apns-id")
      }
    case 10: candidate = (.topic, "apns-topic")
    case 13: candidate = (.priority, "apns-priority")
    case 14 where text[5] == UInt8(ascii: "p"): candidate = (.pushType, "apns-push-type")
    case 14: candidate = (.uniqueID, "apns-unique-id")
    case 15:
      switch text[5] {
      case UInt8(ascii: "e"): candidate = (.expiration, "apns-expiration")
      case UInt8(ascii: "c"): candidate = (.channelID, "apns-channel-id")
      default: candidate = (.requestID, "apns-request-id")
      }
    case 16: candidate = (.collapseID, "apns-collapse-id")
    default: return nil
    }
    guard let start = text.baseAddress, candidate.1.utf8CodeUnitCount == text.count else { return nil }
    for index in 0..<text.count
    where start.load(fromByteOffset: index, as: UInt8.self) != candidate.1.utf8Start[index] { return nil }
    self = candidate.0
  }
}
