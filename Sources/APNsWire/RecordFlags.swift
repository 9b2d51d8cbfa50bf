/// What is doubtful about a decoded record (decoding-rules.md, "Walk" and "Further flags").
public struct RecordFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The time lies outside the plausible ones.
  public static let implausibleTimestamp = RecordFlags(rawValue: 1 << 0)
  /// The first record behind bytes that the walk skipped: its time may hold foreign bytes.
  public static let resynchronised = RecordFlags(rawValue: 1 << 1)
  /// No boundary can be believed behind the tuple, and none was found inside it.
  public static let unconfirmedBoundary = RecordFlags(rawValue: 1 << 2)
  /// The token length is not one of the normal ones.
  public static let unexpectedTokenLength = RecordFlags(rawValue: 1 << 3)
  /// The token holds eight zero bytes in a row, as gaps that a tool filled with zeros do.
  public static let zeroFilledToken = RecordFlags(rawValue: 1 << 4)
  /// The token is empty, and that is not normal.
  public static let zeroLengthToken = RecordFlags(rawValue: 1 << 5)

  /// Every flag with the code that reports use; in the order of the codes, so that a list of codes made
  /// from it is sorted, and in the order of the bits.
  public static let all: [(flag: RecordFlags, code: String)] = [
    (.implausibleTimestamp, "implausible-timestamp"),
    (.resynchronised, "resynchronised"),
    (.unconfirmedBoundary, "unconfirmed-boundary"),
    (.unexpectedTokenLength, "unexpected-token-length"),
    (.zeroFilledToken, "zero-filled-token"),
    (.zeroLengthToken, "zero-length-token"),
  ]

  /// The codes of the flags that are set, sorted.
  public var codes: [String] {
    Self.all.filter { contains($0.flag) }.map(\.code)
  }
}
