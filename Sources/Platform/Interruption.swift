/// Signals that ask the process to end. Each takes away what may not be left behind and ends the process at once,
/// unless a command remembers the first, since it has more to tidy up than a signal handler may.
package enum Interruption {
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
  package static func arm() {
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
  package static func remember(alarming descriptor: Int32 = -1) {
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
  package static func leave(by received: Int32) {
    UnfinishedFiles.unlink()
    // A reader that is being started is not known yet: who starts it comes here again.
    guard RunningReaders.end(because: received) else { return }
    signal(received, SIG_DFL)
    raise(received)
  }

  /// Whether a signal has come.
  package static var hasCome: Bool { number.pointee != 0 }

  /// Throws `Interrupted` once a signal has come.
  package static func check() throws {
    if number.pointee != 0 { throw Interrupted(signal: number.pointee) }
  }
}

/// The process is to end by a signal, once everything is tidy.
package struct Interrupted: Error {
  package var signal: Int32
}

/// Lets a thread sleep until a signal handler or another thread rings. A pipe can be written from both.
package struct Alarm {
  private let readEnd: Int32
  /// What `ring` takes.
  package let descriptor: Int32

  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("no pipe could be made: \(SystemError.text())") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Nobody who rings may have to wait: one byte in the pipe is as good as many.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    (readEnd, descriptor) = (ends[0], ends[1])
  }

  /// Wakes whoever waits; may be called in a signal handler.
  package static func ring(_ descriptor: Int32) {
    guard descriptor >= 0 else { return }
    let number = errno
    var byte: UInt8 = 0
    _ = write(descriptor, &byte, 1)
    errno = number
  }

  /// Sleeps until it rings, or has rung.
  package func wait() {
    var byte: UInt8 = 0
    while read(readEnd, &byte, 1) < 0, errno == EINTR {}
  }
}

/// Files that are taken away where a signal ends the process: outputs under their temporary names, and files that
/// only this process needs.
package enum UnfinishedFiles {
  /// No command has more.
  private static let capacity = 8
  /// Read by a signal handler, so it is plain memory: a name each, or nil.
  nonisolated(unsafe) private static let names = {
    let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: capacity)
    names.initialize(repeating: nil, count: capacity)
    return names
  }()

  /// Makes what a signal handler uses.
  package static func prepare() { _ = names[0] }

  package static func add(_ name: String) {
    Interruption.arm()
    if let free = (0..<capacity).first(where: { names[$0] == nil }) { names[free] = strdup(name) }
  }

  package static func remove(_ name: String) {
    for index in 0..<capacity {
      guard let known = names[index], String(cString: known) == name else { continue }
      names[index] = nil
      free(known)
    }
  }

  /// Takes all away; runs in a signal handler.
  package static func unlink() {
    for index in 0..<capacity {
      guard let name = names[index] else { continue }
      _ = Platform.unlink(name)
    }
  }
}
