/// Runs work on several threads, and delivers the results in order.
package enum Workers {
  /// The number of processors available to this process: `taskset` and containers may allow fewer than the machine has.
  package static var usual: Int { allowedProcessors ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The processors in the mask of sched_getaffinity(2); nil if the system has none, or more than fit in.
  private static var allowedProcessors: Int? {
    #if canImport(Glibc)
      // An extension of GNU, which Swift does not import.
      typealias Call = @convention(c) (pid_t, Int, UnsafeMutablePointer<cpu_set_t>) -> Int32
      guard let function = dlsym(nil, "sched_getaffinity") else { return nil }
      var mask = cpu_set_t()
      let code = unsafeBitCast(function, to: Call.self)(0, MemoryLayout<cpu_set_t>.size, &mask)
      return code == 0 ? withUnsafeBytes(of: mask) { $0.reduce(0) { $0 + $1.nonzeroBitCount } } : nil
    #else
      return nil
    #endif
  }

  /// - Parameters:
  ///   - count: the number of calls of `work`.
  ///   - jobs: the maximum number of threads, this one included.
  ///   - work: called once with each number from 0, on any thread.
  ///   - deliver: called with the results in the order of their numbers, on this thread.
  /// - Throws: the first error of `work` or `deliver` in that order, after all threads have stopped.
  package static func run<Result: Sendable>(
    _ count: Int, jobs: Int, work: @escaping @Sendable (Int) throws -> Result,
    deliver: (Result) throws -> Void
  ) throws {
    let board = ResultBoard(count: count, make: work)
    for _ in 1..<max(1, min(jobs, count)) { try WorkThread.start { while board.work() {} } }
    defer { board.stop() }
    for number in 0..<count { try deliver(board.result(number)) }
  }
}

/// The work and results that the threads share.
private final class ResultBoard<Result: Sendable>: @unchecked Sendable {
  private let count: Int
  /// Guards the properties below.
  private let changed = Monitor()
  /// Nil after `stop`: a thread may live longer, and must not keep the resources of the work.
  private var make: (@Sendable (Int) throws -> Result)?
  private var next = 0
  private var working = 0
  private var results: [Int: Swift.Result<Result, any Error>] = [:]

  init(count: Int, make: @escaping @Sendable (Int) throws -> Result) {
    (self.count, self.make) = (count, make)
  }

  /// Runs the next call of `make`; false if none is left.
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

  /// Not inlined: after it returns, the thread has no reference to `make`.
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

  /// The result with the given number. Until it is available, this thread works as well.
  func result(_ number: Int) throws -> Result {
    while true {
      if let result = changed.withLock({ results.removeValue(forKey: number) }) { return try result.get() }
      if !work() { changed.withLock { while results[number] == nil { changed.wait() } } }
    }
  }

  /// Starts no more work, waits for running work, and releases `make`.
  func stop() {
    changed.withLock {
      next = count
      while working > 0 { changed.wait() }
      make = nil
    }
  }
}
