import Synchronization

/// Standard error, where users read messages.
package enum Console {
  private static let quiet = Atomic(false)
  private static let name = Mutex("apnsift")

  /// The name of the program, at the beginning of each line.
  package static var program: String {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  /// Whether notes and progress are suppressed (`--quiet`).
  package static var isQuiet: Bool {
    get { quiet.load(ordering: .relaxed) }
    set { quiet.store(newValue, ordering: .relaxed) }
  }

  /// Whether standard error is a terminal, which can show progress.
  package static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Collects messages instead of standard error, while parts of a command run concurrently.
  @TaskLocal package static var log: MessageLog?

  /// Whether a progress line can be shown: no other messages are written to the terminal.
  package static var showsProgress: Bool { isTerminal && log == nil && !isQuiet }

  /// Writes one line that begins with the name of the program.
  package static func say(_ message: Message) {
    let text = VisibleText.of(message.text)
    if let log { return log.add(text) }
    write("\(program): \(text)\n")
  }

  /// Writes an informational message, unless `--quiet` is set.
  package static func note(_ message: Message) { if !isQuiet { say(message) } }

  package static func write(_ text: String) {
    // A failure cannot be reported anywhere.
    _ = Array(text.utf8).withUnsafeBytes { SystemWrite.all($0, to: STDERR_FILENO) }
  }
}

/// Messages to be written later, in order. Not safe for concurrent use.
package final class MessageLog: @unchecked Sendable {
  /// The most messages kept; further ones are only counted.
  private static let maxMessages = 20

  private var messages: [String] = []
  private var more = 0

  package init() {}

  package func add(_ message: String) {
    if messages.count < Self.maxMessages { messages.append(message) } else { more += 1 }
  }

  package var lines: [String] { messages + (more > 0 ? ["and \(more) more messages"] : []) }
}

/// Invalid arguments; exit code 64.
package struct UsageError: Error, Equatable {
  package var message: Message
  package init(_ message: Message) { self.message = message }
}

/// An input or an output that failed; exit code 2.
package struct CommandError: Error {
  package var message: Message
  package init(_ message: Message) { self.message = message }
}

/// The reader of standard output closed it, which is not an error.
package struct ClosedPipe: Error {}
