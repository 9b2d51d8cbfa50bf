import WireBytes

/// What is doubtful about a record (docs/spec/decoding-rules.md#flags-of-tuples).
public struct RecordFlags: OptionSet, BitwiseCopyable, Hashable, Sendable {
  public let rawValue: UInt32

  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// An error response after the first one of its connection.
  public static let afterClose = RecordFlags(rawValue: 1 << 0)
  /// The text that the time is from names no zone: it is read as UTC.
  public static let assumedUTC = RecordFlags(rawValue: 1 << 1)
  /// Found by a search in bytes of any kind: nothing but its look shows that it is a record.
  public static let carved = RecordFlags(rawValue: 1 << 2)
  /// Packets of the capture have different bytes for a part of the record, and nothing decides between them.
  public static let conflictingBytes = RecordFlags(rawValue: 1 << 3)
  /// An error response that names its request with the bytes of the identifier in the other order.
  public static let identifierSwapped = RecordFlags(rawValue: 1 << 4)
  /// A feedback tuple's time is implausible.
  public static let implausibleTimestamp = RecordFlags(rawValue: 1 << 5)
  /// A request of command 2 whose items do not fill the frame, lack token or payload, have one of them
  /// twice, or are of the wrong size.
  public static let malformedItems = RecordFlags(rawValue: 1 << 6)
  /// The line of text that the record is from has another time, too.
  public static let otherTimeInLine = RecordFlags(rawValue: 1 << 7)
  /// A request's payload is not UTF-8, or not one JSON value.
  public static let payloadNotJSON = RecordFlags(rawValue: 1 << 8)
  /// A request's payload is longer than APNs took.
  public static let payloadTooLarge = RecordFlags(rawValue: 1 << 9)
  /// The first record after bytes that the walk skipped: what it begins with may be foreign.
  public static let resynchronised = RecordFlags(rawValue: 1 << 10)
  /// No plausible boundary follows the record, and none was found inside it.
  public static let unconfirmedBoundary = RecordFlags(rawValue: 1 << 11)
  /// An error response for which no request is found.
  public static let uncorrelated = RecordFlags(rawValue: 1 << 12)
  /// The token length is not one of the normal ones.
  public static let unexpectedTokenLength = RecordFlags(rawValue: 1 << 13)
  /// A request of command 2 has an item that the protocol does not know.
  public static let unknownItem = RecordFlags(rawValue: 1 << 14)
  /// An error response's status is not in Apple's table.
  public static let unknownStatus = RecordFlags(rawValue: 1 << 15)
  /// A request's priority is neither 5 nor 10.
  public static let unusualPriority = RecordFlags(rawValue: 1 << 16)
  /// The token holds eight zero bytes in a row, as gaps that a tool filled with zeros do.
  public static let zeroFilledToken = RecordFlags(rawValue: 1 << 17)
  /// The token is empty, and that is not normal.
  public static let zeroLengthToken = RecordFlags(rawValue: 1 << 18)

  /// Every flag with the code that reports use; in the order of the codes, so that a list of codes made
  /// from it is sorted, and in the order of the bits.
  public static let all: [(flag: RecordFlags, code: String)] = [
    (.afterClose, "after-close"),
    (.assumedUTC, "assumed-utc"),
    (.carved, "carved"),
    (.conflictingBytes, "conflicting-bytes"),
    (.identifierSwapped, "identifier-swapped"),
    (.implausibleTimestamp, "implausible-timestamp"),
    (.malformedItems, "malformed-items"),
    (.otherTimeInLine, "other-time-in-line"),
    (.payloadNotJSON, "payload-not-json"),
    (.payloadTooLarge, "payload-too-large"),
    (.resynchronised, "resynchronised"),
    (.unconfirmedBoundary, "unconfirmed-boundary"),
    (.uncorrelated, "uncorrelated"),
    (.unexpectedTokenLength, "unexpected-token-length"),
    (.unknownItem, "unknown-item"),
    (.unknownStatus, "unknown-status"),
    (.unusualPriority, "unusual-priority"),
    (.zeroFilledToken, "zero-filled-token"),
    (.zeroLengthToken, "zero-length-token"),
  ]

  /// Those that make a request's token doubtful, or that it is one. The others concern the rest of it.
  public static let tokenFlags: RecordFlags = [
    .carved, .conflictingBytes, .malformedItems, .resynchronised, .unconfirmedBoundary,
    .unexpectedTokenLength, .zeroFilledToken, .zeroLengthToken,
  ]

  /// The codes of the flags that are set, sorted.
  public var codes: [String] { Self.all.filter { contains($0.flag) }.map(\.code) }
}

/// Finds the traces of tools that fill gaps with zeros (docs/spec/decoding-rules.md#flags-of-tuples).
enum ZeroFill {
  /// This number of zero bytes in a row makes a token suspicious.
  static let runLength = 8

  /// Whether the `count` bytes from `start` hold eight zero bytes in a row. They must lie in the span, which
  /// is not checked here.
  static func isPresent(in bytes: RawSpan, from start: Int, count: Int) -> Bool {
    let last = start &+ count &- runLength
    var first = start
    while first <= last {
      // No row begins before the last other byte of eight, which is mostly the eighth.
      var other = first &+ runLength &- 1
      if bytes.uncheckedByte(at: other) == 0 {
        repeat { other &-= 1 } while other >= first && bytes.uncheckedByte(at: other) == 0
        if other < first { return true }
      }
      first = other &+ 1
    }
    return false
  }
}
