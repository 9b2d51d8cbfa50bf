import Platform

/// Signals that ask the process to end. Each takes away what may not be left behind and ends the process at once,
/// unless a command remembers the first, since it has more to tidy up than a signal handler may.
enum Interruption {
  /// Written by a signal handler, so it is plain memory: the signal's number, or 0.
  nonisolated(unsafe) private static let number = plain(Int32(0))

  /// Likewise: a descriptor that gets a byte when a signal comes, or -1.
  nonisolated(unsafe) private static let alarm = plain(Int32(-1))

  /// Likewise: whether the first signal is remembered.
  nonisolated(unsafe) private static let remembers = plain(false)

  nonisolated(unsafe) private static var isArmed = false

  private static func plain<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
    let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    pointer.initialize(to: value)
    return pointer
  }

  /// From now on a signal ends the process tidily.
  static func arm() {
    guard !isArmed else { return }
    isArmed = true
    // A handler may make nothing that is made at its first use.
    _ = (number.pointee, alarm.pointee, remembers.pointee)
    UnfinishedFiles.prepare()
    RunningReaders.prepare()
    for name in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(name) { Interruption.take($0) }
      // nohup and a shell's background jobs rely on signals that are ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(name, SIG_IGN) }
    }
  }

  /// From now on the first signal is remembered; a second one ends the process at once.
  /// - Parameter descriptor: of a pipe that gets a byte then, for who waits at its other end.
  static func remember(alarming descriptor: Int32 = -1) {
    number.pointee = 0
    alarm.pointee = descriptor
    remembers.pointee = true
    arm()
  }

  /// Runs in a signal handler.
  private static func take(_ received: Int32) {
    guard remembers.pointee, number.pointee == 0 else { return leave(by: received) }
    number.pointee = received
    Alarm.ring(alarm.pointee)
  }

  /// Runs in a signal handler: nothing but system calls that are safe there.
  static func leave(by received: Int32) {
    UnfinishedFiles.unlink()
    // A reader that is being started is not known yet: who starts it comes here again.
    guard RunningReaders.end(because: received) else { return }
    signal(received, SIG_DFL)
    raise(received)
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
