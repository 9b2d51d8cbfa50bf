/// A running program: the leader of its own process group, so that its children can be terminated with it. It is
/// terminated and reaped on deinitialisation at the latest.
package final class SpawnedProcess {
  private let id: pid_t
  private lazy var status = RunningReaders.end(id)

  /// Nil with `errno` set if it cannot be started.
  /// - Parameters:
  ///   - words: the program and its arguments, NUL-terminated.
  ///   - descriptors: its descriptors 0, 1 and 2.
  ///   - changes: environment variables to set.
  package init?(
    _ words: [[CChar]], descriptors: [Int32], environment changes: [(name: String, value: String)] = []
  ) {
    let copies = words.map { strdup($0) } + [nil]
    let variables = Self.environment(changes) + [nil]
    defer { for text in copies + variables { free(text) } }
    let (id, code) = Self.spawn(words[0], copies, variables, descriptors)
    errno = code
    if code != 0 { return nil }
    self.id = id
  }

  deinit { _ = finish() }

  /// Whether it has ended by itself. It is not reaped, so that its process id stays valid until its group is
  /// terminated.
  package var hasEnded: Bool { isEnded(WNOHANG) }

  private func isEnded(_ options: Int32) -> Bool {
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT | options) != 0 {
      guard errno == EINTR else { return false }
    }
    return info.si_signo == SIGCHLD
  }

  /// Waits for its end, and returns its status as from waitpid(2).
  package func wait() -> Int32 {
    _ = isEnded(0)
    return finish()
  }

  /// Terminates the process and its group, and reaps it; returns its status as from waitpid(2).
  package func finish() -> Int32 { status }

  private static func spawn(
    _ program: [CChar], _ words: [UnsafeMutablePointer<CChar>?], _ variables: [UnsafeMutablePointer<CChar>?],
    _ descriptors: [Int32]
  ) -> (id: pid_t, code: Int32) {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in zip(Int32(0)..., descriptors) {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    closeOthers(&actions, from: Int32(descriptors.count))
    set(&attributes)
    var (id, code) = (pid_t(), EINTR)
    RunningReaders.start {
      code = posix_spawnp(&id, program, &actions, &attributes, words, variables)
      return code == 0 ? id : 0
    }
    return (id, code)
  }

  /// Lets the program inherit only the given descriptors: some others are not close-on-exec, such as the sockets and
  /// event queues of a library.
  private static func closeOthers(_ actions: inout SpawnActions, from first: Int32) {
    #if canImport(Glibc)
      // Looked up by name, because it exists only since glibc 2.34.
      typealias CloseFrom = @convention(c) (UnsafeMutablePointer<SpawnActions>, Int32) -> Int32
      guard let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
      _ = unsafeBitCast(function, to: CloseFrom.self)(&actions, first)
    #endif
  }

  #if canImport(Glibc)
    private typealias SpawnActions = posix_spawn_file_actions_t
    private typealias SpawnAttributes = posix_spawnattr_t
  #else
    private typealias SpawnActions = posix_spawn_file_actions_t?
    private typealias SpawnAttributes = posix_spawnattr_t?
  #endif

  /// Sets a process group of its own and default signal handlers, because we ignore some signals.
  private static func set(_ attributes: inout SpawnAttributes) {
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// A copy of our environment with `changes`.
  private static func environment(
    _ changes: [(name: String, value: String)]
  ) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let variable = next?.pointee {
      let isChanged = changes.contains { strncmp(variable, "\($0.name)=", $0.name.utf8.count + 1) == 0 }
      if !isChanged { variables.append(strdup(variable)) }
      next = next?.successor()
    }
    return variables + changes.map { strdup("\($0.name)=\($0.value)") }
  }
}
