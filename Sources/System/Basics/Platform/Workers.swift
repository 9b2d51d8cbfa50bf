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
  ///   - jobs: the maximum number of calls at a time, each on a thread of its own.
  ///   - work: called once with each number from 0.
  ///   - deliver: called with the results in the order of their numbers, on this thread.
  /// - Throws: the first error of `work` or `deliver` in that order, after all threads have stopped.
  package static func run<Result: Sendable>(
    _ count: Int, jobs: Int, work: @escaping @Sendable (Int) throws -> Result,
    deliver: (Result) throws -> Void
  ) throws {
    let call = Call(work)
    let lanes = try Lanes<Swift.Result<Result, any Error>>(
      jobs: count, lanes: min(max(jobs, 1), count), limit: .max
    ) { lane, next in
      while let number = next() {
        let result = call.result(number)
        _ = try lane.add([result], cost: 0)
        _ = try result.get()
      }
    }
    defer {
      lanes.stop()
      call.end()
    }
    for number in 0..<count {
      for result in lanes.lane(of: number)?.next(returning: []) ?? [] { try deliver(result.get()) }
    }
  }
}

/// The work of several threads.
private final class Call<Result: Sendable>: @unchecked Sendable {
  /// Nil after `end`: a thread may live longer, and must not keep the resources of the work.
  private var make: (@Sendable (Int) throws -> Result)?

  init(_ make: @escaping @Sendable (Int) throws -> Result) { self.make = make }

  /// Not inlined: after it returns, the thread has no reference to `make`.
  @inline(never)
  func result(_ number: Int) -> Swift.Result<Result, any Error> {
    guard let make else { return .failure(CancellationError()) }
    return Swift.Result { try make(number) }
  }

  /// When no thread works any more.
  func end() { make = nil }
}
