import Synchronization

/// The readers that run, so that a signal which ends the process ends them as well.
package enum RunningReaders {
  /// As many as `--jobs` takes.
  private static let capacity = 1024
  /// Looks for the end of a reader that was killed, a millisecond apart.
  private static let looks = 200

  /// Read by a signal handler, so it is plain memory: the number of a process each, which is that of its group, or 0.
  nonisolated(unsafe) private static let readers = {
    let readers = UnsafeMutablePointer<pid_t>.allocate(capacity: capacity)
    readers.initialize(repeating: 0, count: capacity)
    return readers
  }()

  /// Whether one is being started: it runs, maybe, and is not among the others yet.
  private static let isStarting = Atomic(false)
  /// The signal that came, or 0.
  private static let signal = Atomic<Int32>(0)

  /// Makes what a signal handler uses.
  package static func prepare() {
    _ = (readers[0], isStarting.load(ordering: .relaxed), signal.load(ordering: .relaxed))
  }

  /// Starts a reader; one at a time.
  /// - Parameter spawn: returns its number, or 0 where it could not be started.
  package static func start(_ spawn: () -> pid_t) {
    isStarting.store(true, ordering: .sequentiallyConsistent)
    // Behind a signal nothing is started any more. Either this sees it, or the handler sees that one is being started.
    if signal.load(ordering: .sequentiallyConsistent) == 0 {
      let id = spawn()
      if id > 0, let free = (0..<capacity).first(where: { readers[$0] == 0 }) { readers[free] = id }
    }
    isStarting.store(false, ordering: .sequentiallyConsistent)
    let received = signal.load(ordering: .sequentiallyConsistent)
    if received != 0 { Interruption.leave(by: received) }
  }

  /// A reader has ended, and is about to be reaped; one at a time, and none while one is being started.
  package static func remove(_ id: pid_t) {
    if let index = (0..<capacity).first(where: { readers[$0] == id }) { readers[index] = 0 }
  }

  /// Ends all of them with their groups; false where one is being started: `start` then sees to it. Runs in a signal
  /// handler.
  package static func end(because received: Int32) -> Bool {
    signal.store(received, ordering: .sequentiallyConsistent)
    if isStarting.load(ordering: .sequentiallyConsistent) { return false }
    for index in 0..<capacity where readers[index] != 0 { _ = kill(-readers[index], SIGKILL) }
    for index in 0..<capacity where readers[index] != 0 { awaitEnd(of: readers[index]) }
    return true
  }

  /// Reaps a reader, and waits until what it started is gone; not for ever.
  private static func awaitEnd(of id: pid_t) {
    for _ in 0..<looks {
      // Who runs the reader may have reaped it.
      let isGone = waitpid(id, nil, WNOHANG) != 0
      if isGone, kill(-id, 0) != 0 { return }
      _ = poll(nil, 0, 1)
    }
  }
}
