import Platform

/// Lets a thread sleep until a signal handler or another thread rings. A pipe can be written from both.
struct Alarm {
  private let readEnd: Int32
  /// What `ring` takes.
  let descriptor: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("no pipe could be made: \(SystemError.text())") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Nobody who rings may have to wait: one byte in the pipe is as good as many.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    (readEnd, descriptor) = (ends[0], ends[1])
  }

  /// Wakes whoever waits; may be called in a signal handler.
  static func ring(_ descriptor: Int32) {
    guard descriptor >= 0 else { return }
    let number = errno
    var byte: UInt8 = 0
    _ = write(descriptor, &byte, 1)
    errno = number
  }

  /// Sleeps until it rings, or has rung.
  func wait() {
    var byte: UInt8 = 0
    while read(readEnd, &byte, 1) < 0, errno == EINTR {}
  }
}
