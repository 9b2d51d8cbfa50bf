/// The descriptors of standard input, output and error.
package enum StandardStreams {
  /// Opens /dev/null for each that is closed. Otherwise the next opened file would get its number, and messages or
  /// records would be written to it. The opened mode is the wrong one (input for writing, output for reading), so that
  /// use still fails.
  package static func fillGaps() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) == -1 {
      // open(2) assigns the lowest free number, and all below are taken.
      _ = open("/dev/null", mode)
    }
  }
}
