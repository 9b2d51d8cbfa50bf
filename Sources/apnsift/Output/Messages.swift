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
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { unsafe in
          #if canImport(Glibc)
            Glibc.write(STDERR_FILENO, unsafe + done, buffer.count - done)
          #else
            Darwin.write(STDERR_FILENO, unsafe + done, buffer.count - done)
          #endif
        } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      // There is nowhere left to complain.
      guard count > 0 else { return }
      done += count
    }
  }
}
