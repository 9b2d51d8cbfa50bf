@preconcurrency import Platform

/// How the command of a reader is given.
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

  /// As reports name the reader.
  package var name: String {
    switch self {
    case .line(let line): line
    case .words(let words): words.joined(separator: " ")
    }
  }
}

/// A program that could not be started.
struct StartFailure: Error {
  var message: String
}

/// Somebody else's reader while it runs: a process at the head of a group of its own, so that whatever it starts can
/// be ended with it. It is ended and reaped at the latest when the value goes.
final class ReaderProcess {
  private let id: pid_t
  private var end: ReaderEnd?

  /// - Parameters:
  ///   - descriptors: what it gets as 0, 1 and 2.
  ///   - changes: to the environment.
  init(
    _ command: ReaderCommand, descriptors: [Int32], environment changes: [(name: String, value: String)]
  ) throws(StartFailure) {
    let words = command.words.map { strdup($0) } + [nil]
    let variables = Self.environment(changes) + [nil]
    defer { for text in words + variables { free(text) } }
    let (id, code) = Self.spawn(command.words[0], words, variables, descriptors)
    guard code == 0 else {
      throw StartFailure(message: "'\(command.words[0])' cannot be started: \(SystemError.text(code))")
    }
    self.id = id
  }

  deinit { _ = finish() }

  /// Whether it has ended by itself. It is not reaped: its number stays its own until its group is ended.
  var hasEnded: Bool {
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 {
      guard errno == EINTR else { return false }
    }
    return info.si_signo == SIGCHLD
  }

  /// Ends the process and all of its group, and reaps it; returns how it ended.
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

  /// Lets the reader inherit none of our descriptors but those that it is given: not all are closed by themselves,
  /// such as sockets and queues of events of a library.
  private static func closeOthers(_ actions: inout SpawnActions, from first: Int32) {
    #if canImport(Glibc)
      // It is there since glibc 2.34, and is asked for by name so that older ones do without it.
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

  /// A group of its own, and signals as a shell gives them: we ignore some.
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

  /// Our environment with `changes`, as copies.
  private static func environment(
    _ changes: [(name: String, value: String)]
  ) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let variable = place?.pointee {
      let isChanged = changes.contains { strncmp(variable, "\($0.name)=", $0.name.utf8.count + 1) == 0 }
      if !isChanged { variables.append(strdup(variable)) }
      place = place?.successor()
    }
    return variables + changes.map { strdup("\($0.name)=\($0.value)") }
  }
}
