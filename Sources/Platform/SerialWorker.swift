import Foundation

/// A thread of its own that works on values in the order in which they were given. It starts with the first one.
///
/// What `work` uses is the thread's until `finish` or `stop` has returned.
package final class SerialWorker<Value>: @unchecked Sendable {
  private let capacity: Int
  /// Guards all that follows.
  private let changed = NSCondition()
  /// Nil once no more is to be worked on. It does not change while `isWorking`.
  private var work: ((inout Value) throws -> Void)?
  private var waiting: [Value] = []
  private var used: [Value] = []
  private var isStarted = false
  private var isWorking = false
  private var failure: (any Error)?

  /// - Parameters:
  ///   - capacity: how many values wait at most.
  ///   - work: is called on the thread. Where it throws, nothing more is worked on.
  package init(capacity: Int, work: @escaping (inout Value) throws -> Void) {
    self.capacity = capacity
    self.work = work
  }

  /// Adds a value; waits while as many wait as may.
  /// - Returns: one that was worked on, as `work` left it, to be used again; nil where none is at hand.
  /// - Throws: what `work` threw for an earlier one.
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

  /// Waits until all values have been worked on.
  /// - Throws: what `work` threw.
  package func drain() throws {
    try changed.withLock {
      while isWorking || !waiting.isEmpty { changed.wait() }
      if let failure { throw failure }
    }
  }

  /// The same, and ends the thread.
  package func finish() throws {
    defer { stop() }
    try drain()
  }

  /// Drops what waits, waits until the thread works no more, and lets go of what `work` refers to.
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
    // What the main thread usually has.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// False once nothing more will come.
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

  /// What the work threw. Is no part of its caller: when it returns, nothing here refers to the work any more.
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
