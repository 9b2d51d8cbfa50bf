/// A set of token lengths in bytes, 0 to 65,535. Every public feedback dump has tokens of 32 bytes only.
public struct TokenLengths: Equatable, Sendable {
  /// One bit for each of the 65,536 values of a length field.
  private var words = [UInt64](repeating: 0, count: 1024)
  // In 16 bits, here and in `FeedbackRules`: every decoder has its own, and there are many.
  private let least, greatest: UInt16
  /// The largest length in the set, in bytes.
  public var longest: Int { Int(greatest) }
  /// The smallest.
  package var shortest: Int { Int(least) }

  /// - Parameter ranges: the lengths in bytes; nil for an empty array.
  public init?(_ ranges: [ClosedRange<UInt16>]) {
    guard let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max()
    else { return nil }
    (least, greatest) = (first, last)
    for length in ranges.joined() { words[Int(length >> 6)] |= 1 << UInt64(length & 63) }
  }

  /// Parses a list of lengths and ranges such as `32`, `32,54` or `1-100`; nil for any other text.
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
    (least, greatest) = (length, length)
    words[Int(length >> 6)] = 1 << UInt64(length & 63)
  }

  /// Whether tokens of `length` bytes are in the set.
  public func contains(_ length: UInt16) -> Bool { words[Int(length &>> 6)] &>> UInt64(length & 63) & 1 == 1 }

  /// The length, if there is only one.
  package var only: UInt16? {
    let count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    return count == 1 ? greatest : nil
  }

  /// The set in the form that `init(_:)` parses: `32,54` or `1-100`.
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

/// The limits for feedback tuples (docs/spec/decoding-rules.md#feedback-tuples).
public struct FeedbackRules: Equatable, Sendable {
  /// The default of `earliest`: 2009-06-17T00:00:00Z, when push notifications began.
  public static let serviceStart: UInt32 = 1_245_196_800
  /// The default of `latest`: 2021-04-30T00:00:00Z, a month after the service ended.
  public static let serviceEnd: UInt32 = 1_619_740_800
  /// The largest token size that Apple announced, in bytes.
  public static let announcedLongestToken = 100

  /// The normal token lengths: tokens of other lengths are flagged.
  public let tokenLengths: TokenLengths
  /// The longest plausible token in bytes: the given limit, or the longest normal length if that is larger. It
  /// determines `holdBack`.
  public var longestToken: Int { Int(longest) }
  private let longest: UInt16
  /// The bounds of plausible times, in seconds since 1970, both included.
  public let earliest: UInt32
  public let latest: UInt32

  /// - Returns: nil if `earliest` is after `latest`, or if `longestToken` is not in 0 to 65,535.
  public init?(
    tokenLengths: TokenLengths = .standard, longestToken: Int = announcedLongestToken,
    earliest: UInt32 = serviceStart, latest: UInt32 = serviceEnd
  ) {
    guard earliest <= latest, (0...Int(UInt16.max)).contains(longestToken) else { return nil }
    self.init(tokenLengths, max(longestToken, tokenLengths.longest), earliest, latest)
  }

  private init(_ lengths: TokenLengths, _ longest: Int, _ earliest: UInt32, _ latest: UInt32) {
    (tokenLengths, self.longest) = (lengths, UInt16(clamping: longest))
    (self.earliest, self.latest) = (earliest, latest)
  }

  /// The limits for lists of tokens, whose lines say what is a time, and which are kept to this day.
  package var ofLists: FeedbackRules { FeedbackRules(tokenLengths, longestToken, 0, .max) }

  /// The default limits.
  public static let standard = FeedbackRules(.standard, announcedLongestToken, serviceStart, serviceEnd)

  /// The number of bytes from an index on that suffice for every decision about it: three of the longest tuples and
  /// a header, 324 by default (docs/spec/decoding-rules.md#hold-back). No more undecided bytes are carried over.
  public var holdBack: Int { 3 * (Tuple.headerLength + longestToken) + Tuple.headerLength }

  @inline(__always)
  func isPlausible(_ time: UInt32) -> Bool { earliest <= time && time <= latest }
}

/// The layout of a feedback tuple: time u32, token length u16, token (docs/spec/protocol.md#feedback-tuples).
public enum Tuple {
  /// Bytes of time and token length.
  @inlinable public static var headerLength: Int { 6 }
  /// Offset of the token length in the tuple, in bytes from 0.
  @inlinable public static var lengthOffset: Int { 4 }
}

/// The limits for gateway requests (docs/spec/decoding-rules.md#gateway-requests).
public struct RequestRules: Equatable, Sendable {
  /// The default of `longestPayload`, in bytes.
  public static let defaultLongestPayload = 4096
  /// The longest plausible frame of command 2: bytes after its length field.
  public static let longestItems = 65_535
  /// The largest payloads that APNs accepted in the end, in bytes: with command 2, and with commands 0 and 1.
  package static let largestPayload = 2048
  package static let largestOldPayload = 256

  /// The normal token lengths: tokens of other lengths are flagged.
  public let tokenLengths: TokenLengths
  /// The longest plausible token of commands 0 and 1, in bytes: the given limit, or the longest normal length if
  /// that is larger.
  public let longestToken: Int
  /// The longest plausible payload of commands 0 and 1, in bytes.
  public let longestPayload: Int

  /// - Returns: nil if a limit is not in 0 to 65,535.
  public init?(
    tokenLengths: TokenLengths = .standard, longestToken: Int = FeedbackRules.announcedLongestToken,
    longestPayload: Int = defaultLongestPayload
  ) {
    let lengths = 0...Int(UInt16.max)
    guard lengths.contains(longestToken), lengths.contains(longestPayload) else { return nil }
    self.init(tokenLengths, max(longestToken, tokenLengths.longest), longestPayload)
  }

  private init(_ lengths: TokenLengths, _ longestToken: Int, _ longestPayload: Int) {
    (self.tokenLengths, self.longestToken, self.longestPayload) = (lengths, longestToken, longestPayload)
  }

  /// The default limits.
  public static let standard = RequestRules(
    .standard, FeedbackRules.announcedLongestToken, defaultLongestPayload)

  /// Bytes of the largest request.
  var largestRequest: Int {
    max(
      RequestLayout.enhancedHeaderLength + longestToken + RequestLayout.lengthSize + longestPayload,
      RequestLayout.itemsOffset + Self.longestItems)
  }

  /// The number of bytes from an index on that suffice for every decision about it: two of the largest requests and
  /// the lengths of one more, 131,193 by default (docs/spec/decoding-rules.md#hold-back). No more undecided bytes are
  /// carried over.
  public var holdBack: Int {
    2 * largestRequest + RequestLayout.enhancedHeaderLength + RequestLayout.lengthSize + longestToken
  }
}

/// The layout of gateway requests (docs/spec/protocol.md#gateway-requests): offsets in the request, in bytes from 0.
enum RequestLayout {
  /// Bytes of a token length or a payload length.
  static let lengthSize = 2
  /// Bytes before the token: command, token length.
  static let simpleHeaderLength = 3
  /// Bytes before the token: command, identifier, expiry, token length.
  static let enhancedHeaderLength = 11
  static let identifierOffset = 1
  static let expiryOffset = 5
  /// Offsets of the items' length, a u32, and of the first item in command 2.
  static let itemsLengthOffset = 1
  static let itemsOffset = 5
  /// Bytes before an item's data: id, length u16.
  static let itemHeaderLength = 3

  /// Bytes before the token of command 0 or 1.
  static func headerLength(_ command: UInt8) -> Int {
    command == 0 ? simpleHeaderLength : enhancedHeaderLength
  }
}
