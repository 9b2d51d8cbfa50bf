import Reports

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Messages to people, on standard error.
enum Messages {
  /// Whether progress makes sense on standard error.
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// One line, with the command's name before it.
  static func say(_ message: String) {
    write("apnsift: \(VisibleText.of(message))\n")
  }

  static func write(_ text: String) {
    // Where that fails there is nowhere left to complain.
    _ = Array(text.utf8).withUnsafeBytes { SystemWrite.all($0, to: STDERR_FILENO) }
  }
}
