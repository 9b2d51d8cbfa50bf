import Foundation

/// A thread that processes values in order. It starts with the first value.
///
/// Only the thread may use the state of `work` until `finish` or `stop` has returned.
package final class SerialWorker<Value>: @unchecked Sendable {
  private let capacity: Int
  /// Guards the properties below.
  private let changed = NSCondition()
  /// Nil after `stop`. It does not change while `isWorking`.
  private var work: ((inout Value) throws -> Void)?
  private var waiting: [Value] = []
  private var used: [Value] = []
  private var isStarted = false
  private var isWorking = false
  private var failure: (any Error)?

  /// - Parameters:
  ///   - capacity: the maximum number of queued values.
  ///   - work: called on the thread. After it throws, no more values are processed.
  package init(capacity: Int, work: @escaping (inout Value) throws -> Void) {
    self.capacity = capacity
    self.work = work
  }

  /// Adds a value; blocks while the queue is full.
  /// - Returns: a processed value, as `work` left it, for reuse; nil if there is none.
  /// - Throws: the error of `work` for an earlier value.
  package func add(_ value: consuming Value) throws -> Value? {
    start()
    changed.lock()
    defer { changed.unlock() }
    while waiting.count >= capacity, failure == nil { changed.wait() }
    if let failure { throw failure }
    waiting.append(value)
    changed.broadcast()
    return used.popLast()
  }

  /// Waits until all values are processed.
  /// - Throws: the error of `work`.
  package func drain() throws {
    try changed.withLock {
      while isWorking || !waiting.isEmpty { changed.wait() }
      if let failure { throw failure }
    }
  }

  /// Waits until all values are processed, and ends the thread.
  package func finish() throws {
    defer { stop() }
    try drain()
  }

  /// Drops the queued values, waits for the thread to finish the current one, and releases `work`.
  package func stop() {
    changed.withLock {
      waiting = []
      while isWorking { changed.wait() }
      work = nil
      changed.broadcast()
    }
  }

  private func start() {
    if isStarted { return }
    isStarted = true
    let thread = Thread { while self.workOnNext() {} }
    // The usual stack size of a main thread.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// False if the thread should end.
  private func workOnNext() -> Bool {
    guard var value = takeNext() else { return false }
    let failure = workFailure(on: &value)
    changed.withLock {
      isWorking = false
      self.failure = failure
      if failure == nil { used.append(value) } else { waiting = [] }
      changed.broadcast()
    }
    return true
  }

  private func takeNext() -> Value? {
    changed.withLock {
      while waiting.isEmpty, work != nil { changed.wait() }
      guard !waiting.isEmpty else { return nil }
      isWorking = true
      defer { changed.broadcast() }
      return waiting.removeFirst()
    }
  }

  /// The error of `work`. Not inlined: after it returns, the thread has no reference to `work`.
  @inline(never)
  private func workFailure(on value: inout Value) -> (any Error)? {
    do {
      try work?(&value)
      return nil
    } catch {
      return error
    }
  }
}
