/// Threads that process values and complete them in order. They start with the first value.
///
/// Only the threads may use the state of their steps until `finish` or `stop` has returned.
package final class OrderedWorkers<Value>: @unchecked Sendable {
  /// What one thread does with a value.
  package struct Steps {
    /// Called while other threads prepare other values; nil if all is done in order.
    var prepare: ((inout Value) throws -> Void)?
    /// Called once all earlier values are complete, for one value at a time.
    var complete: (inout Value) throws -> Void

    package init(
      prepare: ((inout Value) throws -> Void)? = nil, complete: @escaping (inout Value) throws -> Void
    ) {
      (self.prepare, self.complete) = (prepare, complete)
    }
  }

  private let capacity: Int
  private let threadCount: Int
  /// Guards the properties below.
  private let changed = Monitor()
  /// Of each thread; empty after `stop`. They do not change while `working > 0`.
  private var steps: [Steps]
  private var waiting: [(number: Int, value: Value)] = []
  private var used: [Value] = []
  /// How many values were added and completed, and how many threads have one.
  private var added = 0
  private var completed = 0
  private var working = 0
  private var isStarted = false
  private var error: (any Error)?

  /// - Parameters:
  ///   - capacity: the maximum number of queued values.
  ///   - threads: the steps of each thread. After one throws, no later value is completed.
  package init(capacity: Int, threads: [Steps]) {
    self.capacity = capacity
    steps = threads
    threadCount = threads.count
  }

  /// One thread that calls `work` with each value.
  package convenience init(capacity: Int, work: @escaping (inout Value) throws -> Void) {
    self.init(capacity: capacity, threads: [Steps(complete: work)])
  }

  /// Adds a value; blocks while the queue is full.
  /// - Returns: a completed value, as its steps left it, for reuse; nil if there is none.
  /// - Throws: the error of the first value whose steps failed.
  package func add(_ value: consuming Value) throws -> Value? {
    try start()
    changed.lock()
    defer { changed.unlock() }
    while waiting.count >= capacity, error == nil { changed.wait() }
    if let error { throw error }
    waiting.append((added, value))
    added += 1
    changed.broadcast()
    return used.popLast()
  }

  /// Waits until all values are complete.
  /// - Throws: as `add`.
  package func drain() throws {
    try changed.withLock {
      while working > 0 || !waiting.isEmpty { changed.wait() }
      if let error { throw error }
    }
  }

  /// Waits until all values are complete, and ends the threads.
  package func finish() throws {
    defer { stop() }
    try drain()
  }

  /// Drops the queued values, waits for the threads to finish the current ones, and releases the steps.
  package func stop() {
    changed.update {
      waiting = []
      while working > 0 { changed.wait() }
      steps = []
    }
  }

  private func start() throws {
    if isStarted { return }
    for number in 0..<threadCount { try WorkThread.start { while self.workOnNext(number) {} } }
    isStarted = true
  }

  /// False if the thread should end.
  private func workOnNext(_ thread: Int) -> Bool {
    guard let (number, taken) = takeNext() else { return false }
    var value = taken
    var error = stepError(on: &value) { steps[thread].prepare }
    let isNext = changed.withLock {
      while completed < number, self.error == nil { changed.wait() }
      return self.error == nil
    }
    if isNext, error == nil { error = stepError(on: &value) { steps[thread].complete } }
    changed.update {
      working -= 1
      guard isNext else { return }
      completed += 1
      self.error = error
      if error == nil { used.append(value) } else { waiting = [] }
    }
    return true
  }

  private func takeNext() -> (number: Int, value: Value)? {
    changed.withLock {
      while waiting.isEmpty, !steps.isEmpty { changed.wait() }
      guard !waiting.isEmpty else { return nil }
      working += 1
      defer { changed.broadcast() }
      return waiting.removeFirst()
    }
  }

  /// The error of a step. Not inlined: after it returns, the thread has no reference to the step.
  @inline(never)
  private func stepError(
    on value: inout Value, of step: () -> ((inout Value) throws -> Void)?
  ) -> (any Error)? {
    do {
      try step()?(&value)
      return nil
    } catch {
      return error
    }
  }
}
