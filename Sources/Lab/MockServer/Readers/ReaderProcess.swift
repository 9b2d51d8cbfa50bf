@preconcurrency import Basics

package enum ReaderCommand: Sendable {
  /// A line for /bin/sh.
  case line(String)
  /// A program and its arguments.
  case words([String])

  package var words: [String] {
    switch self {
    case .line(let line): ["/bin/sh", "-c", line]
    case .words(let words): words
    }
  }

  /// The reader's name in reports.
  package var name: String {
    switch self {
    case .line(let line): line
    case .words(let words): words.joined(separator: " ")
    }
  }
}

/// A running external reader: the leader of its own process group, so that its children can be terminated with it. It
/// is terminated and reaped on deinitialisation at the latest.
final class ReaderProcess {
  private let id: pid_t
  private var end: ReaderEnd?

  /// - Parameters:
  ///   - descriptors: its descriptors 0, 1 and 2.
  ///   - changes: environment variables to set.
  init(
    _ command: ReaderCommand, descriptors: [Int32], environment changes: [(name: String, value: String)]
  ) throws {
    let words = command.words.map { strdup($0) } + [nil]
    let variables = Self.environment(changes) + [nil]
    defer { for text in words + variables { free(text) } }
    let (id, code) = Self.spawn(command.words[0], words, variables, descriptors)
    guard code == 0 else {
      throw CommandError(
        "cannot start the reader '\(command.words[0])': \(SystemError.text(code)); correct the command")
    }
    self.id = id
  }

  deinit { _ = finish() }

  /// Whether it has ended by itself. It is not reaped, so that its process id stays valid until its group is
  /// terminated.
  var hasEnded: Bool {
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 {
      guard errno == EINTR else { return false }
    }
    return info.si_signo == SIGCHLD
  }

  /// Terminates the process and its group, and reaps it; returns how it ended.
  func finish() -> ReaderEnd {
    if let end { return end }
    let status = RunningReaders.end(id)
    let signal = status & 0x7f
    let end: ReaderEnd = signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
    self.end = end
    return end
  }

  // MARK: - Starting

  private static func spawn(
    _ program: String, _ words: [UnsafeMutablePointer<CChar>?], _ variables: [UnsafeMutablePointer<CChar>?],
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

  /// Lets the reader inherit only the given descriptors: some others are not close-on-exec, such as the sockets and
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
