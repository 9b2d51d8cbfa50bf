import Foundation

/// The result of a call on another thread.
package final class Later<Value: Sendable>: @unchecked Sendable {
  private var result: Result<Value, any Error>?
  private let group = DispatchGroup()

  package init(_ body: @escaping @Sendable () throws -> Value) {
    group.enter()
    // Not of a queue: waiting tests may use up its threads.
    Thread {
      self.result = Result { try body() }
      self.group.leave()
    }.start()
  }

  package func get() throws -> Value {
    group.wait()
    guard let result else { throw ServerError("the thread ended without a result") }
    return try result.get()
  }
}
