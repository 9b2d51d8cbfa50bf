import WireBytes

/// The JSON body of a response: `{"reason": "Unregistered", "timestamp": 1700000000123}`. Other members are ignored.
package struct PushBody: Equatable, Sendable {
  /// The last millisecond of the year 9999.
  private static let latest: Int64 = 253_402_300_799_999

  /// The text between the quotes, as indices of the given bytes.
  package private(set) var reason: Range<Int>?
  /// In milliseconds since 1970.
  package private(set) var timestamp: Int64?

  /// Nil without a JSON object with `reason` or `timestamp`, or if one has a wrong type, is repeated, or is a
  /// reason with escapes.
  package init?(_ range: Range<Int>, in bytes: RawSpan) {
    guard JSONText.isValue(range, in: bytes) else { return nil }
    var scanner = MemberScanner(range)
    guard scanner.take(UInt8(ascii: "{"), in: bytes) else { return nil }
    while let name = scanner.text(in: bytes) {
      _ = scanner.take(UInt8(ascii: ":"), in: bytes)
      switch Member(name, in: bytes) {
      case .reason:
        guard reason == nil, let text = scanner.text(in: bytes), Self.isPlain(text, in: bytes) else {
          return nil
        }
        reason = text
      case .timestamp:
        guard timestamp == nil, let number = scanner.number(in: bytes), number <= Self.latest else {
          return nil
        }
        timestamp = number
      case nil: scanner.skipValue(in: bytes)
      }
      guard scanner.take(UInt8(ascii: ","), in: bytes) else { break }
    }
    guard reason != nil || timestamp != nil else { return nil }
  }

  private enum Member {
    case reason, timestamp

    init?(_ name: Range<Int>, in bytes: RawSpan) {
      if PushText.matches(name, "reason", in: bytes) {
        self = .reason
      } else if PushText.matches(name, "timestamp", in: bytes) {
        self = .timestamp
      } else {
        return nil
      }
    }
  }

  private static func isPlain(_ text: Range<Int>, in bytes: RawSpan) -> Bool {
    !text.contains { bytes.byte(at: $0) == UInt8(ascii: "\\") }
  }
}

/// Reads the members of an object that is known to be valid JSON.
private struct MemberScanner {
  private var next: Int
  private let end: Int

  init(_ range: Range<Int>) { (next, end) = (range.lowerBound, range.upperBound) }

  /// The next byte that is not white space; 0 at the end.
  private mutating func byte(in bytes: RawSpan) -> UInt8 {
    while next < end {
      let byte = bytes.byte(at: next)
      if byte > 0x20 { return byte }
      next &+= 1
    }
    return 0
  }

  mutating func take(_ expected: UInt8, in bytes: RawSpan) -> Bool {
    guard byte(in: bytes) == expected else { return false }
    next &+= 1
    return true
  }

  /// The bytes between the quotes of the next string; nil if the next value is not a string.
  mutating func text(in bytes: RawSpan) -> Range<Int>? {
    guard take(UInt8(ascii: "\""), in: bytes) else { return nil }
    let start = next
    while next < end, bytes.byte(at: next) != UInt8(ascii: "\"") {
      next &+= bytes.byte(at: next) == UInt8(ascii: "\\") ? 2 : 1
    }
    defer { next &+= 1 }
    return start..<max(start, min(next, end))
  }

  /// A number without sign, fraction and exponent that fits in 63 bits.
  mutating func number(in bytes: RawSpan) -> Int64? {
    _ = byte(in: bytes)
    let start = next
    skipScalar(in: bytes)
    return PushText.number(start..<next, in: bytes)
  }

  private mutating func skipScalar(in bytes: RawSpan) {
    while next < end {
      switch bytes.byte(at: next) {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x00...0x20: return
      default: next &+= 1
      }
    }
  }

  mutating func skipValue(in bytes: RawSpan) {
    var depth = 0
    repeat {
      switch byte(in: bytes) {
      case 0: return
      case UInt8(ascii: "\""): _ = text(in: bytes)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth &+= 1
        next &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth &-= 1
        next &+= 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): next &+= 1
      default: skipScalar(in: bytes)
      }
    } while depth > 0
  }
}

/// Compares and parses ranges of bytes.
package enum PushText {
  package static func matches(_ range: Range<Int>, _ text: StaticString, in bytes: RawSpan) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<range.count where bytes.byte(at: range.lowerBound &+ index) != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// The value of an unsigned decimal number that fits in 63 bits; nil for any other text.
  package static func number(_ range: Range<Int>, in bytes: RawSpan) -> Int64? {
    guard !range.isEmpty else { return nil }
    var number: Int64 = 0
    for index in range {
      let digit = bytes.byte(at: index) &- UInt8(ascii: "0")
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int64(digit))
      guard digit < 10, !overflow, !carry else { return nil }
      number = sum
    }
    return number
  }
}
