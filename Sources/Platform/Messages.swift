import Synchronization

/// Messages to people, on standard error.
package enum Messages {
  private static let quiet = Atomic(false)

  /// Whether notes and progress are left out (`--quiet`).
  package static var isQuiet: Bool {
    get { quiet.load(ordering: .relaxed) }
    set { quiet.store(newValue, ordering: .relaxed) }
  }

  /// Whether progress makes sense on standard error.
  package static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Takes messages in place of standard error, where parts of a command run at the same time.
  @TaskLocal package static var log: MessageLog?

  /// Whether a line of progress has the terminal for itself.
  package static var showsProgress: Bool { isTerminal && log == nil && !isQuiet }

  /// One line, with the command's name before it.
  package static func say(_ message: String) {
    if let log { return log.add(VisibleText.of(message)) }
    write("apnsift: \(VisibleText.of(message))\n")
  }

  /// What is good to know and no error: `--quiet` leaves it out.
  package static func note(_ message: String) {
    if !isQuiet { say(message) }
  }

  package static func write(_ text: String) {
    // Where that fails there is nowhere left to complain.
    _ = Array(text.utf8).withUnsafeBytes { SystemWrite.all($0, to: STDERR_FILENO) }
  }
}

/// Messages that wait until it is their turn. One thread at a time adds to it.
package final class MessageLog: @unchecked Sendable {
  /// Beyond so many only their number is kept.
  private static let maxMessages = 20

  private var messages: [String] = []
  private var more = 0

  package init() {}

  package func add(_ message: String) {
    if messages.count < Self.maxMessages { messages.append(message) } else { more += 1 }
  }

  package var lines: [String] { messages + (more > 0 ? ["and \(more) more messages"] : []) }
}

/// Arguments that do not fit; exit code 64.
package struct UsageError: Error {
  package var message: String
  package init(_ message: String) { self.message = message }
}

/// An input or an output that failed; exit code 2.
package struct Failure: Error {
  package var message: String
  package init(_ message: String) { self.message = message }
}

/// Nobody reads the output any more, which is no error.
package struct ClosedPipe: Error {}
