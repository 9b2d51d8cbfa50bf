/// A time with milliseconds, of a record or of a row in a store.
package struct StoreTime: Comparable, Hashable, BitwiseCopyable, Sendable {
  /// UNIX seconds, wider than a tuple's 32 unsigned bits, because a user may write any integer into a table.
  package var seconds: Int64
  /// 0 to 999.
  package var milliseconds: UInt16

  @inline(__always)
  package init(seconds: Int64, milliseconds: UInt16 = 0) {
    (self.seconds, self.milliseconds) = (seconds, milliseconds)
  }

  /// UNIX seconds, as tuples have them.
  package init(_ seconds: UInt32) { self.init(seconds: Int64(seconds)) }

  /// Rounded down.
  /// - Parameter units: how many make a second, as 1000 milliseconds.
  @inline(__always)
  init(_ number: Int64, units: Int64) {
    seconds = number.floored(by: units)
    milliseconds = UInt16(truncatingIfNeeded: (number &- seconds &* units) / (units / 1000))
  }

  @inline(__always)
  package static func < (left: StoreTime, right: StoreTime) -> Bool {
    left.seconds != right.seconds ? left.seconds < right.seconds : left.milliseconds < right.milliseconds
  }

  /// The latest possible time: a stored time without a fraction may be any moment of its second.
  @inline(__always)
  var latest: StoreTime { milliseconds > 0 ? self : StoreTime(seconds: seconds, milliseconds: 999) }
  /// Rounded down to a second.
  var whole: StoreTime { StoreTime(seconds: seconds) }
}

extension Int64 {
  /// The quotient, rounded down.
  func floored(by unit: Int64) -> Int64 { self / unit - (self % unit < 0 ? 1 : 0) }
}
