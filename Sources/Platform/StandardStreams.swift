/// The three descriptors that a process expects to be given.
package enum StandardStreams {
  /// Takes the place of each that is closed: the next file to be opened would get its number, and messages or
  /// records would go into it. What takes the place is open the wrong way round, so that use of it still
  /// fails.
  package static func fillGaps() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) == -1 {
      // open(2) gives the lowest number that is free, and those below are taken.
      _ = open("/dev/null", mode)
    }
  }
}
