/// The limits by which gateway requests are judged (decoding-rules.md, "Gateway requests").
public struct RequestRules: Equatable, Sendable {
  /// The longest payload that is believed of commands 0 and 1 where a user gives no other, in bytes.
  public static let usualLongestPayload = 4096
  /// The longest frame of command 2 that is believed: bytes behind its length.
  public static let longestItems = 65_535
  /// What APNs took at last, in bytes: of command 2, and of commands 0 and 1.
  static let largestPayload = 2048
  static let largestOldPayload = 256

  /// Token lengths that are normal.
  public let tokenLengths: TokenLengths
  /// The longest token that is believed of commands 0 and 1, in bytes: the given limit, or the longest normal
  /// length if that is more.
  public let longestToken: Int
  /// The longest payload that is believed of commands 0 and 1, in bytes.
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

  /// How many bytes from a place on decide whatever is asked about it: two of the largest requests, and the
  /// lengths of one more (decoding-rules.md, "Hold-back").
  public var holdBack: Int {
    2 * largestRequest + RequestLayout.enhancedHeaderLength + RequestLayout.lengthSize + longestToken
  }
}

/// The shape of gateway requests (protocol.md, "Gateway requests"): offsets in the request, bytes from 0.
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
