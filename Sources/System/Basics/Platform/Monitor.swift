/// A lock with a condition that threads wait for (pthread_mutex_lock(3), pthread_cond_wait(3)).
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Changes what the condition depends on, and wakes the threads that wait.
  func update<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withLock {
      defer { broadcast() }
      return try body()
    }
  }

  /// Unlocks, waits for `broadcast`, and locks again; call it with the lock, in a loop that tests the condition.
  func wait() { pthread_cond_wait(condition, mutex) }

  func broadcast() { pthread_cond_broadcast(condition) }
}
