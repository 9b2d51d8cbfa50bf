import Basics

extension Message {
  /// - Parameters:
  ///   - count: number of lines with status 410.
  ///   - line: number of the first of them, from 1.
  package static func logTimes(_ count: Int, first line: Int, areDoubtful: Bool) -> Message {
    Message(
      "the timestamp of \(Count.of(count, "line")) with status 410 (the first is line \(line)) "
        + (areDoubtful ? "may be the log time: " : "seems to be the log time, and is not taken: ")
        + "--map timestamp=NAME names the time of the invalidation")
  }

  package static let empty = Message("is empty")
}
