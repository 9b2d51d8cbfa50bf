/// The limits by which feedback bytes are judged (decoding-rules.md, "Feedback tuples").
public struct FeedbackRules: Equatable, Sendable {
  /// 2009-06-17T00:00:00Z, the day push notifications began.
  public static let serviceStart: UInt32 = 1_245_196_800
  /// 2021-04-30T00:00:00Z, a month after the service's end.
  public static let serviceEnd: UInt32 = 1_619_740_800
  /// What Apple announced as the most a token could grow to, in bytes.
  public static let announcedLongestToken = 100

  /// Lengths that are normal.
  public let tokenLengths: TokenLengths
  /// The longest token that is believed, in bytes: the given limit, or the longest normal length if that is
  /// more. It bounds how much a decoder holds back.
  public let longestToken: Int
  /// The plausible times in seconds since 1970, both ends included.
  public let earliest: UInt32
  public let latest: UInt32

  /// - Returns: nil where `earliest` lies behind `latest`, or `longestToken` is not 0 to 65,535.
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

  /// How many bytes from a place on decide whatever is asked about it: three of the longest tuples and a
  /// header (decoding-rules.md, "Hold-back").
  public var holdBack: Int { 3 * (Tuple.headerLength + longestToken) + Tuple.headerLength }

  @inline(__always)
  func isPlausible(_ time: UInt32) -> Bool { earliest <= time && time <= latest }
}

/// The shape of a feedback tuple: time u32, token length u16, token (protocol.md, "Feedback tuple").
public enum Tuple {
  /// Bytes of time and token length.
  @inlinable public static var headerLength: Int { 6 }
  /// Offset of the token length in the tuple, bytes from 0.
  @inlinable public static var lengthOffset: Int { 4 }
}
