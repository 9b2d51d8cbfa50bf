import WireBytes

/// How fast captured times are replayed.
struct ReplayPace {
  /// So many times as fast as captured; above 0.
  var factor: Double
  /// The longest single pause, in seconds.
  var longestPause: Double

  /// The pause, in nanoseconds, for what lay between two packets; 0 where their order or their times are not known.
  func pause(from first: CaptureTime?, to second: CaptureTime?) -> Int64 {
    guard let first, let second else { return 0 }
    let seconds = Double(second.seconds &- first.seconds) + second.part - first.part
    return Int64(min(max(seconds / factor, 0), longestPause) * 1e9)
  }
}

extension CaptureTime {
  /// What is behind the whole seconds, in seconds.
  fileprivate var part: Double {
    var unit = 1.0
    for _ in 0..<min(digits, UInt8(Self.maxDigits)) { unit *= 10 }
    return Double(fraction) / unit
  }
}
