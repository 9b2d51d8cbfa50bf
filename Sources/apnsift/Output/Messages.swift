import Platform
import Reports

/// Messages to people, on standard error.
enum Messages {
  /// Whether progress makes sense on standard error.
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Takes messages in place of standard error, where parts of a command run at the same time.
  @TaskLocal static var log: MessageLog?

  /// Whether a line of progress has the terminal for itself.
  static var showsProgress: Bool { isTerminal && log == nil }

  /// One line, with the command's name before it.
  static func say(_ message: String) {
    if let log { return log.add(VisibleText.of(message)) }
    write("apnsift: \(VisibleText.of(message))\n")
  }

  static func write(_ text: String) {
    // Where that fails there is nowhere left to complain.
    _ = Array(text.utf8).withUnsafeBytes { SystemWrite.all($0, to: STDERR_FILENO) }
  }
}

/// Messages that wait until it is their turn. One thread at a time adds to it.
final class MessageLog: @unchecked Sendable {
  /// Beyond so many only their number is kept.
  private static let maxMessages = 20

  private var messages: [String] = []
  private var more = 0

  func add(_ message: String) {
    if messages.count < Self.maxMessages { messages.append(message) } else { more += 1 }
  }

  var lines: [String] { messages + (more > 0 ? ["and \(more) more messages"] : []) }
}
