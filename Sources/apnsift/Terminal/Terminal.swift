import Platform
import WireBytes

/// A line on the terminal that says how far reading has come, for whatever takes longer than a second.
struct Progress {
  /// Seconds before it is first shown, and between two showings.
  private static let delay = 1.0
  private static let interval = 0.25

  private let isShown: Bool
  private let begun = Progress.now()
  private var shownAt = 0.0
  private var hasLine = false
  /// Tokens that have gone into a store, where they are counted here.
  private var tokens = 0
  /// Bytes of the inputs that are done.
  private var before = 0
  /// Bytes of all inputs; nil where one of them is a pipe.
  private let total: Int?

  /// - Parameter total: bytes of all inputs where that is known.
  init(total: Int? = nil, isShown: Bool = Messages.isTerminal) {
    self.total = total
    self.isShown = isShown
  }

  /// `done` bytes of the present input have been read.
  mutating func update(_ done: Int) {
    if let seconds = secondsIfDue() { show(line(before + done, seconds)) }
  }

  /// One more token has gone into a store.
  mutating func advance() {
    tokens += 1
    update(tokens: tokens)
  }

  /// `done` tokens have gone into a store.
  mutating func update(tokens done: Int) {
    // A look at the clock for each token would cost as much as the token.
    guard done % 4096 == 0, let seconds = secondsIfDue() else { return }
    show("\(done) tokens into the store, \(Int(Double(done) / seconds)) a second")
  }

  /// The seconds since the beginning, if it is time to show something.
  private mutating func secondsIfDue() -> Double? {
    guard isShown else { return nil }
    let time = Progress.now() - begun
    guard time >= Self.delay, time - shownAt >= Self.interval else { return nil }
    shownAt = time
    return time
  }

  private mutating func show(_ line: String) {
    hasLine = true
    Messages.write("\r" + line + "\u{1B}[K")
  }

  /// The present input, of `bytes`, is done.
  mutating func finishInput(_ bytes: Int) {
    before += bytes
  }

  /// Takes the line away, before anything else is written.
  mutating func clear() {
    guard hasLine else { return }
    hasLine = false
    Messages.write("\r\u{1B}[K")
  }

  private func line(_ done: Int, _ time: Double) -> String {
    let rate = Double(done) / time
    let speed = "\(ByteSize.text(done)) read, \(ByteSize.text(Int(rate)))/s"
    guard let total, total > 0, rate > 0 else { return speed }
    let left = Int((Double(max(0, total - done)) / rate).rounded(.up))
    let percent = min(100, Int(Double(done) * 100 / Double(total)))
    return "\(percent) % of \(ByteSize.text(total)), \(speed), \(Self.duration(left)) left"
  }

  private static func duration(_ seconds: Int) -> String {
    seconds < 60
      ? "\(seconds) s"
      : seconds < 3600
        ? "\(seconds / 60) min \(seconds % 60) s"
        : "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The three descriptors that a process expects to be given.
enum StandardStreams {
  /// Takes the place of each that is closed: the next file to be opened would get its number, and messages or
  /// records would go into it. What takes the place is open the wrong way round, so that use of it still
  /// fails.
  static func fillGaps() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) == -1 {
      // open(2) gives the lowest number that is free, and those below are taken.
      _ = open("/dev/null", mode)
    }
  }
}
