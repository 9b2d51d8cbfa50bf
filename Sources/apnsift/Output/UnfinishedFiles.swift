#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The temporary names of outputs, which are taken away where a signal ends the process.
enum UnfinishedFiles {
  /// No command has more outputs.
  private static let capacity = 4
  /// Read by a signal handler, so it is plain memory: a name each, or nil.
  nonisolated(unsafe) private static let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
    capacity: capacity)
  nonisolated(unsafe) private static var isArmed = false

  static func add(_ name: String) {
    if !isArmed {
      isArmed = true
      names.initialize(repeating: nil, count: capacity)
      for number in [SIGINT, SIGTERM, SIGHUP] { arm(number) }
    }
    if let free = (0..<capacity).first(where: { names[$0] == nil }) { names[free] = strdup(name) }
  }

  /// Catches a signal, unless it is ignored: nohup and a shell's background jobs rely on that.
  private static func arm(_ number: Int32) {
    let before = signal(number) { UnfinishedFiles.leave(by: $0) }
    if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
  }

  static func remove(_ name: String) {
    guard isArmed else { return }
    for index in 0..<capacity {
      guard let known = names[index], String(cString: known) == name else { continue }
      names[index] = nil
      free(known)
    }
  }

  /// Runs in a signal handler: nothing but system calls that are safe there.
  private static func leave(by number: Int32) {
    for index in 0..<capacity {
      if let name = names[index] { _ = unlink(name) }
    }
    signal(number, SIG_DFL)
    raise(number)
  }
}
