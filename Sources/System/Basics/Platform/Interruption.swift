import Synchronization

/// Termination signals. By default, a signal removes unfinished files, kills readers and ends the process at once. A
/// command with more cleanup can remember the first signal instead.
package enum Interruption {
  fileprivate struct SignalActions {
    /// Called on the first signal; nil if that ends the process.
    var remember: (@Sendable () -> Void)?
    /// The signal that is remembered, or 0.
    var signal: Int32 = 0
    /// Files to remove: outputs under their temporary names, and temporary files.
    var files: Set<String> = []
    /// Then directories to remove, if they are empty, the last one first.
    var directories: [String] = []
    /// Running readers, each the leader of a process group.
    var readers: Set<pid_t> = []
  }

  fileprivate static let state = Mutex(SignalActions())

  /// Begins to handle signals. One thread waits for signals, and all others block them, so call this before any
  /// thread is started.
  package static func arm() throws {
    var signals = sigset_t()
    sigemptyset(&signals)
    for name in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(name, SIG_DFL)
      // nohup and background jobs of shells rely on ignored signals.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(name, SIG_IGN)
      } else {
        sigaddset(&signals, name)
      }
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    try WorkThread.start { [signals] in
      var (signals, received) = (signals, Int32(0))
      while sigwait(&signals, &received) == 0 { take(received) }
    }
  }

  private static func take(_ received: Int32) {
    let remember = state.withLock { state in
      // The lock stays locked to the end: no file is created and no reader is started any more.
      guard state.signal == 0, let remember = state.remember else { state.leave(by: received) }
      state.signal = received
      return remember
    }
    remember()
  }

  /// From now on, the first signal is remembered, and a second one ends the process at once.
  /// - Parameter take: called on the first signal, on another thread.
  package static func remember(_ take: @escaping @Sendable () -> Void = {}) {
    state.withLock { ($0.signal, $0.remember) = (0, take) }
  }

  /// Cleans up and ends the process by `received`.
  package static func leave(by received: Int32) -> Never { state.withLock { $0.leave(by: received) } }
}

extension Interruption.SignalActions {
  fileprivate func removeUnfinished() {
    for file in files { _ = unlink(file) }
    for directory in directories.reversed() { _ = rmdir(directory) }
  }

  fileprivate func leave(by received: Int32) -> Never {
    removeUnfinished()
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

/// Files and directories to remove if a signal ends the process. No signal ends it between their creation and their
/// addition, or within a change of several names.
package enum UnfinishedFiles {
  /// - Parameter create: returns nil if it fails, with `errno` set.
  package static func make<Result>(_ create: () -> (result: Result, path: String)?) -> Result? {
    Interruption.state.withLock { state in
      guard let (result, path) = create() else { return nil }
      state.files.insert(path)
      return result
    }
  }

  /// - Parameter create: returns the path, or nil if it fails, with `errno` set.
  package static func makeDirectory(_ create: () -> String?) -> String? {
    Interruption.state.withLock { state in
      guard let path = create() else { return nil }
      state.directories.append(path)
      return path
    }
  }

  /// Removes all of them, at the end of a command that failed: another thread may still use an output, which would
  /// otherwise remove its file.
  package static func removeAll() { Interruption.state.withLock { $0.removeUnfinished() } }

  /// Runs `body`, in which the files get their final names, or are removed; then a signal does not remove them.
  package static func end(_ files: [String], directories: [String] = [], _ body: () throws -> Void) rethrows {
    try Interruption.state.withLock { state in
      try body()
      state.files.subtract(files)
      state.directories.removeAll(where: directories.contains)
    }
  }
}

/// Running readers, which are killed if a signal ends the process.
package enum RunningReaders {
  /// Checks for the end of a killed process group, a millisecond apart.
  private static let looks = 200

  /// Starts a reader.
  /// - Parameter spawn: returns the process id, or 0 if the reader could not be started.
  package static func start(_ spawn: () -> pid_t) {
    Interruption.state.withLock { state in
      let id = spawn()
      if id > 0 { state.readers.insert(id) }
    }
  }

  /// Creates descriptors that no reader must inherit: a pipe that another reader has open never reaches its end.
  package static func betweenStarts<Result>(_ make: () -> Result) -> Result {
    Interruption.state.withLock { _ in make() }
  }

  /// Kills a reader and its process group, and reaps it. Returns its status as from waitpid(2).
  package static func end(_ id: pid_t) -> Int32 {
    kill(id)
    // After it is reaped, the system may reuse its id.
    Interruption.state.withLock { _ = $0.readers.remove(id) }
    return awaitEnd(of: id)
  }

  /// Kills the process as well as its group: a reader may have left the group.
  fileprivate static func kill(_ id: pid_t) {
    _ = Basics.kill(-id, SIGKILL)
    _ = Basics.kill(id, SIGKILL)
  }

  /// Reaps a killed reader, and waits for its child processes to end. The system reaps those, sometimes late; some
  /// systems never do.
  @discardableResult
  fileprivate static func awaitEnd(of id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    for _ in 0..<looks where Basics.kill(-id, 0) == 0 { usleep(1000) }
    return status
  }
}
