package struct ReaderLimits: Sendable {
  /// How long a reader may read nothing before it ends, in seconds.
  package var seconds: Double
  /// Output, in bytes.
  package var output: Int

  package init(seconds: Double = 10, output: Int = 64 << 20) {
    (self.seconds, self.output) = (seconds, output)
  }
}

/// The time that a reader has, from its start. It begins again whenever the reader has read more: what counts is the reader, not the length
/// of the stream, nor how long its chunks take to come. Time in which this process did not run either, because the machine
/// was busy or asleep, does not count.
struct ReaderClock {
  /// The most that counts between two looks.
  private static let longestStep = Duration.milliseconds(20)
  /// A reader that reads a byte from time to time gets this multiple of the limit in all.
  static let turns = 30

  private let limit: Duration
  private var idle = Duration.zero
  private var total = Duration.zero
  private var last = ContinuousClock.now

  init(seconds: Double) { limit = .seconds(seconds) }

  /// Notes the time since the last call; returns whether the reader's time is over.
  mutating func isOver(hasRead: Bool) -> Bool {
    let now = ContinuousClock.now
    let step = min(now - last, Self.longestStep)
    last = now
    total += step
    idle = hasRead ? .zero : idle + step
    return idle >= limit || total >= limit * Self.turns
  }
}
