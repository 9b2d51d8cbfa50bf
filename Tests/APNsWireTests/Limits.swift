import APNsWire

/// The options of the rules for feedback tuples. Times in seconds since 1970, lengths in bytes.
struct FeedbackLimits: Sendable {
  var allowed: Set<Int>
  /// Raised to the largest allowed length.
  var longest: Int
  var earliest: Int
  var latest: Int

  init(
    allowed: Set<Int> = [32], longest: Int = 100, earliest: Int = 1_245_196_800, latest: Int = 1_619_740_800
  ) {
    self.allowed = allowed
    self.longest = max(longest, allowed.max() ?? 0)
    (self.earliest, self.latest) = (earliest, latest)
  }

  /// The same limits for the decoder; nil would be an error in the test.
  var rules: FeedbackRules? {
    let ranges = allowed.sorted().map { UInt16($0)...UInt16($0) }
    return TokenLengths(ranges).flatMap {
      FeedbackRules(
        tokenLengths: $0, longestToken: longest, earliest: UInt32(earliest), latest: UInt32(latest))
    }
  }

  /// Various limits: one length, many lengths, length 0, large lengths, all times, few times.
  static let variety: [(name: String, limits: FeedbackLimits)] = [
    ("the defaults", .init()),
    ("32 and 54", .init(allowed: [32, 54])),
    ("3, 5 and 6", .init(allowed: [3, 5, 6])),
    ("0 and 32", .init(allowed: [0, 32])),
    ("0 alone, nothing longer", .init(allowed: [0], longest: 0)),
    ("1 to 100", .init(allowed: Set(1...100))),
    ("33", .init(allowed: [33])),
    ("80 and 300", .init(allowed: [80, 300])),
    ("longest 0 is raised to 32", .init(longest: 0)),
    ("longest 255", .init(longest: 255)),
    ("longest 256", .init(longest: 256)),
    ("longest 65535", .init(longest: 65_535)),
    ("every length", .init(allowed: Set(0...65_535))),
    (
      "256 seconds that share three bytes", .init(earliest: 1_400_000_000 & ~255, latest: 1_400_000_000 | 255)
    ),
    ("times across a change of the first byte", .init(earliest: 0x52ff_fff0, latest: 0x5300_000f)),
    ("one time only", .init(earliest: 1_400_000_000, latest: 1_400_000_000)),
    ("all times", .init(earliest: 0, latest: Int(UInt32.max))),
    ("all times and every length", .init(allowed: Set(0...65_535), earliest: 0, latest: Int(UInt32.max))),
  ]
}
