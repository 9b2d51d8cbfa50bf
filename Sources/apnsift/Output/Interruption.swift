#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Signals that ask the process to end, for work that has more to tidy up than a signal handler may.
enum Interruption {
  /// Written by a signal handler, so it is plain memory: the signal's number, or 0.
  nonisolated(unsafe) private static let number: UnsafeMutablePointer<Int32> = {
    let number = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    number.initialize(to: 0)
    return number
  }()

  /// Likewise: a descriptor that gets a byte when a signal comes, or -1.
  nonisolated(unsafe) private static let alarm: UnsafeMutablePointer<Int32> = {
    let alarm = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    alarm.initialize(to: -1)
    return alarm
  }()

  /// From now on a signal is remembered; a second one ends the process at once.
  /// - Parameter descriptor: of a pipe that gets a byte then, for who waits at its other end.
  static func remember(alarming descriptor: Int32 = -1) {
    number.pointee = 0
    alarm.pointee = descriptor
    for name in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(name) { received in
        Interruption.number.pointee = received
        Alarm.ring(Interruption.alarm.pointee)
        signal(received, SIG_DFL)
      }
      // nohup and a shell's background jobs rely on signals that are ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(name, SIG_IGN) }
    }
  }

  /// Whether a signal has come.
  static var hasCome: Bool { number.pointee != 0 }

  /// Throws `Interrupted` once a signal has come.
  static func check() throws {
    if number.pointee != 0 { throw Interrupted(signal: number.pointee) }
  }
}

/// The process is to end by a signal, once everything is tidy.
struct Interrupted: Error {
  var signal: Int32
}
