import Foundation
import Synchronization

/// Signals that ask the process to end. Each takes away what may not be left behind and ends the process at once,
/// unless a command remembers the first, since it has more to tidy up.
package enum Interruption {
  fileprivate struct State {
    /// What is called when the first signal comes; nil where that ends the process.
    var remember: (@Sendable () -> Void)?
    /// The signal that is remembered, or 0.
    var signal: Int32 = 0
    /// Outputs under their temporary names, and files that only this process needs.
    var files: Set<String> = []
    /// Readers that run, each at the head of a group of processes.
    var readers: Set<pid_t> = []
  }

  fileprivate static let state = Mutex(State())

  /// From now on a signal ends the process tidily. A thread waits for signals, and all others block them: so this comes
  /// before any other is made.
  package static func arm() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for name in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(name, SIG_DFL)
      // nohup and a shell's background jobs rely on signals that are ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(name, SIG_IGN)
      } else {
        sigaddset(&signals, name)
      }
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Thread.detachNewThread { [signals] in
      var (signals, received) = (signals, Int32(0))
      while sigwait(&signals, &received) == 0 { take(received) }
    }
  }

  private static func take(_ received: Int32) {
    let remember = state.withLock { state in
      // The lock is kept to the end: nothing is made or started any more.
      guard state.signal == 0, let remember = state.remember else { state.leave(by: received) }
      state.signal = received
      return remember
    }
    remember()
  }

  /// From now on the first signal is remembered; a second one ends the process at once.
  /// - Parameter take: is called when it comes, on another thread.
  package static func remember(_ take: @escaping @Sendable () -> Void = {}) {
    state.withLock { ($0.signal, $0.remember) = (0, take) }
  }

  /// Throws `Interrupted` once a signal has come.
  package static func check() throws {
    let signal = state.withLock(\.signal)
    if signal != 0 { throw Interrupted(signal: signal) }
  }

  /// Ends the process as the signal does by itself.
  package static func leave(by received: Int32) -> Never {
    state.withLock { $0.leave(by: received) }
  }
}

extension Interruption.State {
  fileprivate func leave(by received: Int32) -> Never {
    for file in files { _ = unlink(file) }
    for reader in readers { RunningReaders.kill(reader) }
    for reader in readers { RunningReaders.awaitEnd(of: reader) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, received)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(received)
    _exit(128 + received)
  }
}

/// The process is to end by a signal, once everything is tidy.
package struct Interrupted: Error {
  package var signal: Int32
}

/// Files that are taken away where a signal ends the process.
package enum UnfinishedFiles {
  package static func add(_ name: String) { Interruption.state.withLock { _ = $0.files.insert(name) } }

  package static func remove(_ name: String) { Interruption.state.withLock { _ = $0.files.remove(name) } }
}

/// The readers that run, so that a signal which ends the process ends them as well.
package enum RunningReaders {
  /// Looks for the end of a group that was killed, a millisecond apart.
  private static let looks = 200

  /// Starts a reader.
  /// - Parameter spawn: returns its number, or 0 where it could not be started.
  package static func start(_ spawn: () -> pid_t) {
    Interruption.state.withLock { state in
      let id = spawn()
      if id > 0 { state.readers.insert(id) }
    }
  }

  /// Makes what no reader is to inherit: a pipe that another reader has open never ends.
  package static func betweenStarts<Result>(_ make: () -> Result) -> Result {
    Interruption.state.withLock { _ in make() }
  }

  /// Ends a reader and all of its group, and reaps it; returns its status, as waitpid(2) has it.
  package static func end(_ id: pid_t) -> Int32 {
    kill(id)
    // Once it is reaped, its number may become another's.
    Interruption.state.withLock { _ = $0.readers.remove(id) }
    return awaitEnd(of: id)
  }

  /// A reader may have left its own group, but not what it started.
  fileprivate static func kill(_ id: pid_t) {
    _ = Platform.kill(-id, SIGKILL)
    _ = Platform.kill(id, SIGKILL)
  }

  /// Reaps a reader that was killed, and waits until what it started is gone. That is reaped by the system, in its own
  /// time; some systems never do.
  @discardableResult
  fileprivate static func awaitEnd(of id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    for _ in 0..<looks where Platform.kill(-id, 0) == 0 { usleep(1000) }
    return status
  }
}
