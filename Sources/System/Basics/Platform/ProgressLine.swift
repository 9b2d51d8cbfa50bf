/// A line on the terminal that shows the progress of commands that take longer than a second.
package struct ProgressLine {
  /// Seconds before the line is first shown, and between updates.
  private static let delay = 1.0
  private static let interval = 0.25

  private let isShown = Console.showsProgress
  private let begun = ContinuousClock.now
  private var shownAt = 0.0
  private var hasLine = false

  package init() {}

  /// Shows `text` for the seconds since the beginning, if an update is due.
  package mutating func update(_ text: (_ seconds: Double) -> String) {
    guard isShown else { return }
    let seconds = (ContinuousClock.now - begun) / .seconds(1)
    guard seconds >= Self.delay, seconds - shownAt >= Self.interval else { return }
    shownAt = seconds
    hasLine = true
    Console.write("\r" + text(seconds) + "\u{1B}[K")
  }

  /// Removes the line, before anything else is written.
  package mutating func clear() {
    guard hasLine else { return }
    hasLine = false
    Console.write("\r\u{1B}[K")
  }
}
