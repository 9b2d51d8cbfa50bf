/// The capture time of a packet, with the precision of the capture file.
public struct CaptureTime: BitwiseCopyable, Equatable, Hashable, Sendable {
  /// The most digits kept: a second in units of 10^-18 s still fits in 64 bits, and in smaller units does not.
  package static let maxDigits = 18

  /// Whole seconds since 1970-01-01T00:00:00Z; negative before it.
  public var seconds: Int64
  /// The fraction of a second, in units of 10^-`digits` s; less than one second.
  public var fraction: UInt64
  /// Digits after the decimal point in the capture's times, 0 to 18.
  public var digits: UInt8

  @inlinable public init(seconds: Int64, fraction: UInt64 = 0, digits: UInt8 = 0) {
    (self.seconds, self.fraction, self.digits) = (seconds, fraction, digits)
  }

  /// - Parameter number: milliseconds since 1970.
  package init(milliseconds number: Int64) {
    let seconds = number >= 0 ? number / 1000 : (number &- 999) / 1000
    self.init(seconds: seconds, fraction: UInt64(clamping: number &- seconds &* 1000), digits: 3)
  }

  /// The largest length of `text`, in bytes.
  package static let maxTextLength = 21 + maxDigits

  /// The time in RFC 3339 format and UTC, `2013-05-01T09:30:00.000123Z`; nil outside the years 0000 to 9999, which
  /// RFC 3339 cannot represent.
  package var text: String? {
    let text = String(unsafeUninitializedCapacity: Self.maxTextLength) { buffer in
      buffer.baseAddress.map { write(to: UnsafeMutableRawPointer($0)) } ?? 0
    }
    return text.isEmpty ? nil : text
  }

  /// Days since 1970-01-01; negative before it.
  private var day: Int64 { seconds >= 0 ? seconds / 86_400 : (seconds &- 86_399) / 86_400 }

  /// Whether the time is in the years 0000 to 9999.
  package var hasText: Bool {
    // 0000-01-01 is 719,528 days before 1970-01-01; 10000-01-01 is 2,932,897 days after it.
    (-719_528..<2_932_897).contains(day)
  }

  /// Microseconds since 1970-01-01T00:00:00Z, of a time that has a text; smaller parts of a second are cut.
  package var microseconds: Int64 {
    var fraction = fraction
    for _ in 6..<max(6, min(Int(digits), Self.maxDigits)) { fraction /= 10 }
    for _ in min(6, Int(digits))..<6 { fraction &*= 10 }
    return seconds &* 1_000_000 &+ Int64(clamping: fraction)
  }

  /// Writes `text`, or nothing if that is nil, to `target`, which has room for `maxTextLength` bytes. Returns the
  /// number of bytes written.
  package func write(to target: UnsafeMutableRawPointer) -> Int {
    guard hasText else { return 0 }
    let day = day
    let date = CivilDate(daysSince1970: Int(day))
    let ofDay = UInt64(seconds &- day &* 86_400)
    var end = target
    Self.write(UInt64(date.year), 4, then: "-", to: &end)
    Self.write(UInt64(date.month), 2, then: "-", to: &end)
    Self.write(UInt64(date.day), 2, then: "T", to: &end)
    Self.write(ofDay / 3600, 2, then: ":", to: &end)
    Self.write(ofDay / 60 % 60, 2, then: ":", to: &end)
    Self.write(ofDay % 60, 2, then: digits > 0 ? "." : "Z", to: &end)
    if digits > 0 { Self.write(fraction, Int(min(digits, UInt8(Self.maxDigits))), then: "Z", to: &end) }
    return end - target
  }

  private static func write(
    _ number: UInt64, _ width: Int, then mark: Unicode.Scalar, to end: inout UnsafeMutableRawPointer
  ) {
    Decimal.shared.write(number, width: width, to: end)
    end.storeBytes(of: UInt8(ascii: mark), toByteOffset: width, as: UInt8.self)
    end += width + 1
  }
}

extension CaptureTime: Comparable {
  /// Compares the points in time. Missing digits count as zeros.
  public static func < (left: CaptureTime, right: CaptureTime) -> Bool {
    if left.seconds != right.seconds { return left.seconds < right.seconds }
    return left.attoseconds < right.attoseconds
  }

  private var attoseconds: UInt64 {
    var value = fraction
    for _ in min(Int(digits), Self.maxDigits)..<Self.maxDigits { value &*= 10 }
    return value
  }
}
