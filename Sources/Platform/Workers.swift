import Foundation

/// Runs work on several threads at once, and delivers their results in their order.
package enum Workers {
  /// As many as there are processors for this process: `taskset` and containers may leave it fewer than the machine has.
  package static var usual: Int {
    allowedProcessors ?? ProcessInfo.processInfo.activeProcessorCount
  }

  /// Of `Cpus_allowed` in proc(5), a mask in hex; nil where there is none.
  private static var allowedProcessors: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    let count = line?.dropFirst(13).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
    return count == 0 ? nil : count
  }

  /// - Parameters:
  ///   - count: how many times `work` is called.
  ///   - jobs: how many threads work at most; this one is among them.
  ///   - work: is called once with each number from 0, on any thread.
  ///   - deliver: gets the results in the order of their numbers, on this thread.
  /// - Throws: the first error of either in that order, once no thread works.
  package static func run<Result: Sendable>(
    _ count: Int, jobs: Int, work: @escaping @Sendable (Int) throws -> Result,
    deliver: (Result) throws -> Void
  ) throws {
    let board = ResultBoard(count: count, make: work)
    for _ in 1..<max(1, min(jobs, count)) {
      let thread = Thread { while board.work() {} }
      // What the main thread usually has.
      thread.stackSize = 8 << 20
      thread.start()
    }
    defer { board.stop() }
    for number in 0..<count { try deliver(board.result(number)) }
  }
}

/// Where threads take work from and put results to.
private final class ResultBoard<Result: Sendable>: @unchecked Sendable {
  private let count: Int
  /// Guards all that follows.
  private let changed = NSCondition()
  /// Nil once all work is done: a thread may outlive it, and must not keep what the work has open.
  private var make: (@Sendable (Int) throws -> Result)?
  private var next = 0
  private var working = 0
  private var results: [Int: Swift.Result<Result, any Error>] = [:]

  init(count: Int, make: @escaping @Sendable (Int) throws -> Result) {
    (self.count, self.make) = (count, make)
  }

  /// Does the next work; false where none is left.
  func work() -> Bool {
    guard let number = changed.withLock({ take() }) else { return false }
    let result = result(of: number)
    changed.withLock {
      results[number] = result
      working -= 1
      if case .failure = result { next = count }
      changed.broadcast()
    }
    return true
  }

  /// Is no part of its caller: when it returns, nothing here refers to the work any more.
  @inline(never)
  private func result(of number: Int) -> Swift.Result<Result, any Error> {
    guard let make else { return .failure(CancellationError()) }
    return Swift.Result { try make(number) }
  }

  private func take() -> Int? {
    guard next < count else { return nil }
    working += 1
    next += 1
    return next - 1
  }

  /// The result of that number, once it is there: until then this thread works as well.
  func result(_ number: Int) throws -> Result {
    while true {
      if let result = changed.withLock({ results.removeValue(forKey: number) }) { return try result.get() }
      if !work() { changed.withLock { while results[number] == nil { changed.wait() } } }
    }
  }

  /// Gives no more work out, waits until none is done, and lets go of what it takes.
  func stop() {
    changed.withLock {
      next = count
      while working > 0 { changed.wait() }
      make = nil
    }
  }
}
