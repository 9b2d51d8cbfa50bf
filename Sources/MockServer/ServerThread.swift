import NIOPosix
import Platform
import Synchronization

/// The thread that servers do their work on. One is enough for many servers, and each more takes descriptors.
package final class ServerThread: Sendable {
  /// Descriptors that the thread itself takes (epoll, eventfd and timerfd on Linux, kqueue elsewhere) and that its
  /// first server listens on.
  private static let neededDescriptors = 4

  let group: MultiThreadedEventLoopGroup
  let sessions = SessionCount()

  package init() throws(MockServerError) {
    // The library ends the process where it gets none.
    try Self.checkDescriptors()
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }

  deinit {
    // It fails for nothing but a group that is shut down already.
    try? group.syncShutdownGracefully()
  }

  /// Takes as many descriptors as are needed, and gives them back.
  private static func checkDescriptors() throws(MockServerError) {
    var taken: [Int32] = []
    defer { for descriptor in taken { _ = close(descriptor) } }
    while taken.count < neededDescriptors {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .failed(Self.reason(errno)) }
      taken.append(descriptor)
    }
  }

  private static func reason(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return number == EMFILE ? "\(text): raise the limit of a process (ulimit -n)" : text
  }
}

/// How many clients the servers of one thread have.
final class SessionCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func change(by number: Int) { count.wrappingAdd(number, ordering: .relaxed) }
}
