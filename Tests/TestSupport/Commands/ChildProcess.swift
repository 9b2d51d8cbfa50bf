import Basics
import Foundation
import Synchronization

/// Locked while a child is made, and while a descriptor is open that children must not inherit but would: a pipe
/// that another process keeps open never ends.
package let inheritance = Mutex(())

/// How a process ended.
package enum Ending: Equatable {
  case exit(Int32)
  case signal(Int32)
}

/// A program that was started, by posix_spawn: Foundation's `Process` takes no argument that is not UTF-8,
/// and leaves no descriptor closed.
package final class ChildProcess {
  package let id: pid_t
  private var ending: Ending?

  /// - Parameters:
  ///   - arguments: bytes without NUL, without the program's name.
  ///   - descriptors: what the child gets as 0, 1 and 2; nil leaves that one closed.
  package init(
    _ executable: String, _ arguments: [[UInt8]], descriptors: [Int32?], directory: String,
    environment: [String: String]
  ) throws {
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
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      } else {
        posix_spawn_file_actions_addclose(&actions, number)
      }
    }
    // The test runner ignores some signals; a user's shell does not.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXFSZ] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // The threads that tests run on block signals, and children would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    // The shell changes the directory and becomes the program: its process stays the same.
    let line = ["sh", "-c", "cd \"$0\" && exec \"$@\"", directory, executable].map { Array($0.utf8) }
    let words = (line + arguments).map { CString($0) }
    let variables = environment.map { CString(Array("\($0.key)=\($0.value)".utf8)) }
    var id = pid_t()
    let code = inheritance.withLock { _ in
      posix_spawn(
        &id, "/bin/sh", &actions, &attributes, words.map(\.pointer) + [nil], variables.map(\.pointer) + [nil])
    }
    guard code == 0 else { throw SystemCallError("starting \(executable)", code) }
    self.id = id
  }

  deinit {
    if ending == nil {
      _ = kill(id, SIGKILL)
      _ = try? wait()
    }
  }

  /// Waits for the end.
  @discardableResult
  package func wait() throws -> Ending {
    try reap(options: 0)
    return try ending ?? { throw SystemCallError("waiting for a process", errno) }()
  }

  /// Whether it has ended; never waits.
  package func hasEnded() throws -> Bool {
    try reap(options: WNOHANG)
    return ending != nil
  }

  package func send(_ signal: Int32) {
    if ending == nil { _ = kill(id, signal) }
  }

  private func reap(options: Int32) throws {
    guard ending == nil else { return }
    var status: Int32 = 0
    var result = waitpid(id, &status, options)
    while result < 0, errno == EINTR { result = waitpid(id, &status, options) }
    guard result >= 0 else { throw SystemCallError("waiting for a process", errno) }
    if result == id { ending = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f) }
  }
}

/// Bytes with a trailing NUL, for C.
private final class CString {
  let pointer: UnsafeMutablePointer<CChar>?

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    pointer = copy
  }

  deinit { pointer?.deallocate() }
}

/// A system call of the tests themselves failed.
package struct SystemCallError: Error, CustomStringConvertible {
  package let description: String

  package init(_ what: String, _ number: Int32) {
    description = "\(what): \(String(cString: strerror(number)))"
  }
}
