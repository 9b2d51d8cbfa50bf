import TokenStores

/// Times as the server's binary format has them: microseconds since the year 2000 in UTC.
enum Timestamp {
  /// 2000-01-01T00:00:00Z in UNIX seconds.
  private static let epoch: Int64 = 946_684_800
  private static let microseconds: Int64 = 1_000_000

  /// - Parameter time: UNIX seconds, of 32 bits or as they were read from the server.
  static func microseconds(of time: Int64) -> Int64 {
    (time &- epoch) &* microseconds
  }

  /// UNIX seconds, a fraction rounded down; nil for infinity of either sign, which is no time.
  static func seconds(of value: Int64) -> Int64? {
    guard value != .max, value != .min else { return nil }
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: microseconds)
    return quotient &+ epoch &- (remainder < 0 ? 1 : 0)
  }

  /// - Parameter name: the column's.
  /// - Throws: `StoreFault.foreignRows` where the value is infinity.
  static func seconds(of value: Int64?, _ name: String) throws(StoreFault) -> Int64? {
    guard let value else { return nil }
    guard let seconds = seconds(of: value) else {
      throw .foreignRows(
        count: 1, first: "\(name) is \(value < 0 ? "-" : "")infinity, expected a time, or null")
    }
    return seconds
  }
}
