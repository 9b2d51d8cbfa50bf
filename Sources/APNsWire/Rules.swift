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

/// The limits by which feedback bytes are judged (docs/spec/decoding-rules.md#feedback-tuples).
public struct FeedbackRules: Equatable, Sendable {
  /// 2009-06-17T00:00:00Z, the day push notifications began.
  public static let serviceStart: UInt32 = 1_245_196_800
  /// 2021-04-30T00:00:00Z, a month after the service's end.
  public static let serviceEnd: UInt32 = 1_619_740_800
  /// What Apple announced as the most a token could grow to, in bytes.
  public static let announcedLongestToken = 100

  /// Lengths that are normal.
  public let tokenLengths: TokenLengths
  /// The longest token that is plausible, in bytes: the given limit, or the longest normal length if that is
  /// more. It bounds how much a decoder holds back.
  public let longestToken: Int
  /// The plausible times in seconds since 1970, both ends included.
  public let earliest: UInt32
  public let latest: UInt32

  /// - Returns: nil where `earliest` is after `latest`, or `longestToken` is not 0 to 65,535.
  public init?(
    tokenLengths: TokenLengths = .standard, longestToken: Int = announcedLongestToken,
    earliest: UInt32 = serviceStart, latest: UInt32 = serviceEnd
  ) {
    guard earliest <= latest, (0...Int(UInt16.max)).contains(longestToken) else { return nil }
    self.init(tokenLengths, max(longestToken, tokenLengths.longest), earliest, latest)
  }

  private init(_ lengths: TokenLengths, _ longest: Int, _ earliest: UInt32, _ latest: UInt32) {
    self.tokenLengths = lengths
    self.longestToken = longest
    self.earliest = earliest
    self.latest = latest
  }

  /// The limits that hold where a user gives none.
  public static let standard = FeedbackRules(.standard, announcedLongestToken, serviceStart, serviceEnd)

  /// How many bytes from an index on decide whatever is asked about it: three of the longest tuples and a
  /// header (docs/spec/decoding-rules.md#hold-back).
  public var holdBack: Int { 3 * (Tuple.headerLength + longestToken) + Tuple.headerLength }

  @inline(__always)
  func isPlausible(_ time: UInt32) -> Bool { earliest <= time && time <= latest }
}

/// The shape of a feedback tuple: time u32, token length u16, token (docs/spec/protocol.md#feedback-tuples).
public enum Tuple {
  /// Bytes of time and token length.
  @inlinable public static var headerLength: Int { 6 }
  /// Offset of the token length in the tuple, bytes from 0.
  @inlinable public static var lengthOffset: Int { 4 }
}

/// The limits by which gateway requests are judged (docs/spec/decoding-rules.md#gateway-requests).
public struct RequestRules: Equatable, Sendable {
  /// The longest payload that is plausible of commands 0 and 1 where a user gives no other, in bytes.
  public static let usualLongestPayload = 4096
  /// The longest frame of command 2 that is plausible: bytes after its length.
  public static let longestItems = 65_535
  /// What APNs took at last, in bytes: of command 2, and of commands 0 and 1.
  static let largestPayload = 2048
  static let largestOldPayload = 256

  /// Token lengths that are normal.
  public let tokenLengths: TokenLengths
  /// The longest token that is plausible of commands 0 and 1, in bytes: the given limit, or the longest normal
  /// length if that is more.
  public let longestToken: Int
  /// The longest payload that is plausible of commands 0 and 1, in bytes.
  public let longestPayload: Int

  /// - Returns: nil where a limit is not 0 to 65,535.
  public init?(
    tokenLengths: TokenLengths = .standard, longestToken: Int = FeedbackRules.announcedLongestToken,
    longestPayload: Int = usualLongestPayload
  ) {
    let lengths = 0...Int(UInt16.max)
    guard lengths.contains(longestToken), lengths.contains(longestPayload) else { return nil }
    self.init(tokenLengths, max(longestToken, tokenLengths.longest), longestPayload)
  }

  private init(_ lengths: TokenLengths, _ longestToken: Int, _ longestPayload: Int) {
    self.tokenLengths = lengths
    self.longestToken = longestToken
    self.longestPayload = longestPayload
  }

  /// The limits that hold where a user gives none.
  public static let standard = RequestRules(
    .standard, FeedbackRules.announcedLongestToken, usualLongestPayload)

  /// Bytes of the largest request.
  var largestRequest: Int {
    max(
      RequestLayout.enhancedHeaderLength + longestToken + RequestLayout.lengthSize + longestPayload,
      RequestLayout.itemsOffset + Self.longestItems)
  }

  /// How many bytes from an index on decide whatever is asked about it: two of the largest requests, and the
  /// lengths of one more (docs/spec/decoding-rules.md#hold-back).
  public var holdBack: Int {
    2 * largestRequest + RequestLayout.enhancedHeaderLength + RequestLayout.lengthSize + longestToken
  }
}

/// The shape of gateway requests (docs/spec/protocol.md#gateway-requests): offsets in the request, bytes from 0.
enum RequestLayout {
  /// Bytes of a token length or a payload length.
  static let lengthSize = 2
  /// Bytes before the token: command, token length.
  static let simpleHeaderLength = 3
  /// Bytes before the token: command, identifier, expiry, token length.
  static let enhancedHeaderLength = 11
  static let identifierOffset = 1
  static let expiryOffset = 5
  /// Where the length of command 2's items stands, a u32, and where they begin.
  static let itemsLengthOffset = 1
  static let itemsOffset = 5
  /// Bytes before an item's data: id, length u16.
  static let itemHeaderLength = 3

  /// Bytes before the token of command 0 or 1.
  static func headerLength(_ command: UInt8) -> Int {
    command == 0 ? simpleHeaderLength : enhancedHeaderLength
  }
}
