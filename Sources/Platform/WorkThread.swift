import Foundation

/// A thread for work that takes long.
enum WorkThread {
  static func start(_ work: @escaping @Sendable () -> Void) {
    let thread = Thread(block: work)
    // The usual stack size of a main thread.
    thread.stackSize = 8 << 20
    thread.start()
  }
}
