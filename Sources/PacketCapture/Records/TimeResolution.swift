import WireBytes

/// What the time stamps of an interface count (pcapng, options `if_tsresol` and `if_tsoffset`): units of
/// 10^-n or 2^-n seconds since 1970, to which whole seconds are added.
struct TimeResolution: Equatable, Sendable {
  private enum Unit: Equatable, Sendable {
    case micro, nano
    /// 10^-n s, n to 127.
    case decimal(Int)
    /// 2^-n s, n to 127.
    case binary(Int)
  }

  private var unit: Unit
  /// Seconds that the time stamps leave out.
  var offset: Int64 = 0

  /// What holds where an interface says nothing.
  static let standard = TimeResolution(option: 6)

  /// - Parameter option: the value of `if_tsresol`. Its highest bit tells powers of 2 from those of 10, the
  ///   others are the negative exponent.
  init(option: UInt8) {
    let exponent = Int(option & 0x7f)
    switch (option & 0x80 == 0, exponent) {
    case (true, 6): unit = .micro
    case (true, 9): unit = .nano
    case (true, _): unit = .decimal(exponent)
    case (false, _): unit = .binary(exponent)
    }
  }

  /// The time that `stamp` units are.
  @inline(__always)
  func time(of stamp: UInt64) -> CaptureTime {
    // Divisions by a constant are multiplications: these two units are nearly all that there are.
    switch unit {
    case .micro: moment(stamp / 1_000_000, stamp % 1_000_000, digits: 6)
    case .nano: moment(stamp / 1_000_000_000, stamp % 1_000_000_000, digits: 9)
    case .decimal(let exponent): decimal(stamp, exponent)
    case .binary(let exponent): binary(stamp, exponent)
    }
  }

  @inline(__always)
  private func moment(_ seconds: UInt64, _ fraction: UInt64, digits: UInt8) -> CaptureTime {
    let whole = Int64(clamping: seconds)
    let (sum, overflows) = whole.addingReportingOverflow(offset)
    return CaptureTime(
      seconds: overflows ? (offset < 0 ? .min : .max) : sum, fraction: fraction, digits: digits)
  }

  private func decimal(_ stamp: UInt64, _ exponent: Int) -> CaptureTime {
    let kept = min(exponent, CaptureTime.maxDigits)
    // Digits behind the 18th are cut off first; 10^19 is the last power that 64 bits hold.
    let dropped = exponent - kept
    let units = dropped > 19 ? 0 : stamp / Self.power(dropped)
    let second = Self.power(kept)
    return moment(units / second, units % second, digits: UInt8(kept))
  }

  private func binary(_ stamp: UInt64, _ exponent: Int) -> CaptureTime {
    let seconds = exponent > 63 ? 0 : stamp >> UInt64(exponent)
    let rest = exponent > 63 ? stamp : stamp & (1 << UInt64(exponent) &- 1)
    // 2^-n has n digits behind the point, so all there are up to the 18th.
    let digits = min(exponent, CaptureTime.maxDigits)
    let (high, low) = rest.multipliedFullWidth(by: Self.power(digits))
    return moment(seconds, Self.shiftRight(high, low, by: exponent), digits: UInt8(digits))
  }

  private static func shiftRight(_ high: UInt64, _ low: UInt64, by count: Int) -> UInt64 {
    switch count {
    case 0: low
    case 1..<64: high << UInt64(64 - count) | low >> UInt64(count)
    default: high >> UInt64(count - 64)
    }
  }

  /// 10 to the power of `exponent`, which is at most 19.
  private static func power(_ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { value, _ in value &* 10 }
  }
}
