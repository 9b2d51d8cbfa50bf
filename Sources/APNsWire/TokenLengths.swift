/// The token lengths that count as normal: 32 in every feedback dump seen in public.
public struct TokenLengths: Equatable, Sendable {
  /// One bit for each of the 65,536 lengths that a length field can say.
  private var words = [UInt64](repeating: 0, count: 1024)
  /// The largest length in the set, in bytes.
  public private(set) var longest = 0

  /// - Parameter ranges: at least one range of lengths in bytes, 0 to 65,535; nil without any.
  public init?(_ ranges: [ClosedRange<UInt16>]) {
    guard let last = ranges.map(\.upperBound).max() else { return nil }
    longest = Int(last)
    for length in ranges.joined() {
      words[Int(length >> 6)] |= 1 << UInt64(length & 63)
    }
  }

  /// Reads `32`, `32,54` or `1-100`; nil for anything else.
  public init?(_ text: String) {
    var ranges: [ClosedRange<UInt16>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
      guard (1...2).contains(bounds.count), let first = bounds[0], let last = bounds[bounds.count - 1],
        first <= last, !part.hasPrefix("+"), !part.contains("-+")
      else { return nil }
      ranges.append(first...last)
    }
    self.init(ranges)
  }

  /// Tokens of 32 bytes only.
  public static let standard = TokenLengths(only: 32)

  private init(only length: UInt16) {
    longest = Int(length)
    words[Int(length >> 6)] = 1 << UInt64(length & 63)
  }

  public func contains(_ length: UInt16) -> Bool {
    words[Int(length &>> 6)] &>> UInt64(length & 63) & 1 == 1
  }

  /// The set as it would be written on a command line: `32,54` or `1-100`.
  public var text: String {
    var parts: [String] = []
    var length = 0
    while length <= longest {
      let first = length
      while length <= longest, contains(UInt16(length)) { length += 1 }
      if length > first { parts.append(length - first == 1 ? "\(first)" : "\(first)-\(length - 1)") }
      length += 1
    }
    return parts.joined(separator: ",")
  }
}
