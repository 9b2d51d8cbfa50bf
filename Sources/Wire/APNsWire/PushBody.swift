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
    let isObject = JSONText.readObject(range, in: bytes) { take($0, $1, in: bytes) }
    guard isObject, reason != nil || timestamp != nil else { return nil }
  }

  private mutating func take(_ name: Range<Int>, _ value: Range<Int>, in bytes: RawSpan) -> Bool {
    if PushText.matches(name, "\"reason\"", in: bytes) {
      guard reason == nil, let text = JSONText.plainString(value, in: bytes) else { return false }
      reason = text
    } else if PushText.matches(name, "\"timestamp\"", in: bytes) {
      guard timestamp == nil, let number = PushText.number(value, in: bytes), number <= Self.latest else {
        return false
      }
      timestamp = number
    }
    return true
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
