import Basics
import NIOPosix
import Synchronization

/// The thread that servers run on. One is enough for many servers, and each takes file descriptors.
package final class ServerThread: Sendable {
  /// Descriptors needed by the thread itself (epoll, eventfd and timerfd on Linux, kqueue elsewhere) and by its first
  /// listening server, which also asks the kernel about connections.
  private static let neededDescriptors = 5

  let group: MultiThreadedEventLoopGroup
  let sessions = SessionCount()

  package init() throws {
    // The library ends the process if it gets none.
    try Self.checkDescriptors()
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }

  deinit {
    // It fails only if the group is shut down already.
    try? group.syncShutdownGracefully()
  }

  /// Opens the needed number of descriptors, and closes them again.
  private static func checkDescriptors() throws {
    var taken: [Int32] = []
    defer { for descriptor in taken { _ = close(descriptor) } }
    while taken.count < neededDescriptors {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let advice = errno == EMFILE ? ": raise the limit of a process (ulimit -n)" : ""
        throw CommandError("cannot start the server: \(SystemError.text())\(advice)")
      }
      taken.append(descriptor)
    }
  }
}

/// Number of clients of all servers on one thread.
final class SessionCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func change(by number: Int) { count.wrappingAdd(number, ordering: .relaxed) }
}
