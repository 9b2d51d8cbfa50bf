/// Runs pieces of work on several threads at once, and hands their results on in their order.
package enum Workers {
  /// As many as the machine has processors.
  package static var usual: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// - Parameters:
  ///   - count: how many pieces there are.
  ///   - jobs: how many threads work at most.
  ///   - work: is called once with each number from 0, on any thread.
  ///   - deliver: gets the results in the order of their numbers, on this thread.
  /// - Throws: the first error of either, once all threads have ended.
  package static func run<Result>(
    _ count: Int, jobs: Int, work: @escaping @Sendable (Int) throws -> Result,
    deliver: (Result) throws -> Void
  ) throws {
    let board = ResultBoard(count: count, work: work)
    let threads = (0..<min(jobs, count)).compactMap { _ in start { board.work() } }
    // Where no thread can be made, this one does it all.
    if threads.isEmpty { board.work() }
    defer { for thread in threads { pthread_join(thread, nil) } }
    do {
      for number in 0..<count {
        try deliver(try board.wait(for: number))
      }
    } catch {
      board.stop()
      throw error
    }
  }

  /// Bytes of a thread's stack: what the main thread usually has.
  private static let stackSize = 8 << 20

  private static func start(_ body: @escaping () -> Void) -> pthread_t? {
    final class Box {
      let body: () -> Void
      init(_ body: @escaping () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body() }
          return nil
        }, box.toOpaque())
    #else
      var thread: pthread_t?
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
          return nil
        }, box.toOpaque())
    #endif
    if code != 0 { box.release() }
    return code == 0 ? thread : nil
  }
}

/// Where threads take work from and put results to.
private final class ResultBoard<Result>: @unchecked Sendable {
  private let count: Int
  private let make: @Sendable (Int) throws -> Result
  /// Guard all that follows.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
  private let arrival: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
  private var next = 0
  private var results: [Int: Result] = [:]
  private var failure: (any Error)?

  init(count: Int, work: @escaping @Sendable (Int) throws -> Result) {
    self.count = count
    make = work
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(arrival, nil)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  /// Works until nothing is left to do.
  func work() {
    while let number = take() {
      do {
        let result = try make(number)
        put { $0.results[number] = result }
      } catch {
        put { $0.failure = $0.failure ?? error }
      }
    }
  }

  /// No more work is given out.
  func stop() { put { $0.next = $0.count } }

  /// The result of that number, once it is there.
  func wait(for number: Int) throws -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let failure { throw failure }
      if let result = results.removeValue(forKey: number) { return result }
      pthread_cond_wait(arrival, mutex)
    }
  }

  private func take() -> Int? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard failure == nil, next < count else { return nil }
    next += 1
    return next - 1
  }

  private func put(_ change: (ResultBoard) -> Void) {
    pthread_mutex_lock(mutex)
    change(self)
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
  }
}
