import Basics

/// Why a line cannot be read as a push.
package struct LogFinding: Equatable, Sendable {
  package enum Cause: Equatable, Sendable {
    /// Not JSON; `expected` is the expected JSON token.
    case json(expected: String)
    case tokenIsNoText, statusIsNoStatus, reasonIsNoText, timeIsNoTime
    case columns(found: Int, expected: Int)
    case textAfterQuote, openQuote
    case tooLong
    /// Two members or columns of equal rank have different values.
    case twoValues
    /// Lines of another object, or of another answer, may be among those of this one.
    case interleaved
    case patternSteps
    /// The time of the invalidation has no offset from UTC.
    case timeHasNoZone
    /// In a list.
    case tokenIsNoHex, unknownFlag
  }

  package var cause: Cause
  /// The wrong value, as byte offsets in the line.
  package var range: Range<Int>

  package init(_ cause: Cause, _ range: Range<Int> = 0..<0) {
    (self.cause, self.range) = (cause, range)
  }
}

extension LogFinding {
  /// - Parameter found: the beginning of the wrong value.
  package func message(found: [UInt8]) -> Message {
    let text = String(decoding: found, as: UTF8.self)
    let quoted = text.isEmpty ? "empty" : "\"\(text)\""
    return switch cause {
    case .json(let expected):
      "not JSON: expected \(expected), found \(text.isEmpty ? "the end of the line" : quoted)"
    case .tokenIsNoText: "the token is \(quoted); expected a string (--map token=NAME selects another member)"
    case .statusIsNoStatus:
      "the status is \(quoted); expected a number from 100 to 599 (--map status=NAME selects another "
        + "member)"
    case .reasonIsNoText:
      "the reason is \(quoted); expected a string (--map reason=NAME selects another member)"
    case .timeIsNoTime:
      "the timestamp is \(quoted); expected seconds or milliseconds since 1970, or a time with its "
        + "offset such as 2026-05-01T09:30:00Z"
    case .timeHasNoZone: "the timestamp \(quoted) has no offset from UTC; --log-zone names its time zone"
    case .patternSteps: "the pattern of a form needs too many steps (--max-pattern-steps)"
    case .tokenIsNoHex: "the token is \(quoted); expected hex or base64"
    case .unknownFlag: "the flags are \(quoted), of which one is unknown"
    case .columns(let found, let expected): "\(Count.of(found, "column")), but the header has \(expected)"
    case .textAfterQuote: "text after a closing quote; expected a delimiter or the end of the line"
    case .openQuote: "a quote is not closed"
    case .interleaved: "lines of several programs are mixed: one answer begins before another one ends"
    case .twoValues: "two values for one field, the second is \(quoted); select one with --map"
    case .tooLong: "longer than \(LogDecoder.longestLine) bytes"
    }
  }
}
