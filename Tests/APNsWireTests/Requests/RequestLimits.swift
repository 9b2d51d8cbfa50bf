import APNsWire

/// The options of the rules for requests. Lengths in bytes.
struct RequestLimits: Sendable {
  var allowed: Set<Int>
  /// Raised to the largest allowed length.
  var longest: Int
  var payload: Int

  init(allowed: Set<Int> = [32], longest: Int = 100, payload: Int = 4096) {
    self.allowed = allowed
    self.longest = max(longest, allowed.max() ?? 0)
    self.payload = payload
  }

  /// The same limits for the decoder; nil would be an error in the test.
  var rules: RequestRules? {
    let ranges = allowed.sorted().map { UInt16($0)...UInt16($0) }
    return TokenLengths(ranges).flatMap {
      RequestRules(tokenLengths: $0, longestToken: longest, longestPayload: payload)
    }
  }

  /// Various limits: one length, many lengths, length 0, no limit, the largest.
  static let variety: [(name: String, limits: RequestLimits)] = [
    ("the defaults", .init()),
    ("32 and 54", .init(allowed: [32, 54])),
    ("0 and 32", .init(allowed: [0, 32])),
    ("3, 5 and 6", .init(allowed: [3, 5, 6])),
    ("longest token 0 is raised to 32", .init(longest: 0)),
    ("0 alone, nothing longer", .init(allowed: [0], longest: 0)),
    ("0 alone, no payload", .init(allowed: [0], longest: 0, payload: 0)),
    ("longest token 300", .init(longest: 300)),
    ("80 and 300", .init(allowed: [80, 300])),
    ("longest token 65535", .init(longest: 65_535)),
    ("every token length", .init(allowed: Set(0...65_535))),
    ("no payload", .init(payload: 0)),
    ("payloads of 16", .init(payload: 16)),
    ("payloads of 65535", .init(payload: 65_535)),
    ("everything", .init(allowed: Set(0...65_535), payload: 65_535)),
  ]
}
