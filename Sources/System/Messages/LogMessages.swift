import WireBytes

// MARK: - Logs of providers

extension Message {
  /// A malformed line.
  /// - Parameters:
  ///   - line: number of the first line, from 1.
  ///   - count: number of lines with the same problem.
  ///   - problem: such as `expected a colon after the key, found "x"`.
  package static func malformedLine(_ line: Int, count: Int, _ problem: Message) -> Message {
    count == 1
      ? Message("line \(line): \(problem.text)")
      : Message("lines \(line) to \(line + count - 1): \(problem.text) (in the first of them)")
  }

  package static func unrelatedLines(_ count: Int, bytes: Int, first line: Int) -> Message {
    Message(
      "\(Count.of(count, "line")) (\(Count.of(bytes, "byte"))) without a push; the first is line \(line)"
    )
  }

  /// - Parameter found: nil at the end of the line.
  package static func lineIsNotJSON(expected: String, found: String?) -> Message {
    Message("not JSON: expected \(expected), found \(found.map { "\"\($0)\"" } ?? "the end of the line")")
  }

  package static func tokenIsNoText(_ found: String) -> Message {
    Message("the token is \(found); expected a string (--map token=NAME selects another member)")
  }

  package static func statusIsNoStatus(_ found: String) -> Message {
    Message(
      "the status is \(found); expected a number from 100 to 599 (--map status=NAME selects another member)")
  }

  package static func reasonIsNoText(_ found: String) -> Message {
    Message("the reason is \(found); expected a string (--map reason=NAME selects another member)")
  }

  package static func timeIsNoTime(_ found: String) -> Message {
    Message(
      "the timestamp is \(found); expected seconds or milliseconds since 1970, or a time with its offset such as "
        + "2026-05-01T09:30:00Z")
  }

  package static let lateLineTime = Message(
    "timestamp is the log time, and earlier lines with status 410 have no time of the invalidation: theirs is wrong; "
      + "give the right member with --map timestamp=NAME")
}
