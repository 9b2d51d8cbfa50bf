/// Threads that do numbered jobs ahead of one consumer. Each lane takes the next job, and queues its values; the consumer
/// takes the values of one job after another.
package final class Lanes<Value>: @unchecked Sendable {
  package typealias Lane = BoundedQueue<Value>

  private let jobCount: Int
  private let lanes: [Lane]
  /// Guards the properties below.
  private let changed = Monitor()
  /// The lanes of the jobs taken so far, as indices.
  private var owners: [Int] = []
  private var running = 0
  private var isStopped = false

  /// - Parameters:
  ///   - jobs: the number of jobs.
  ///   - limit: the cost of the values that each lane may queue.
  ///   - work: called once on each thread. It does the jobs that `next` returns, one after another, and adds their values
  ///     to the lane, until `next` returns nil. After it throws, no lane gets another job.
  package init(
    jobs: Int, lanes count: Int, limit: Int,
    work: @escaping @Sendable (_ lane: Lane, _ next: () -> Int?) throws -> Void
  ) throws {
    jobCount = jobs
    lanes = (0..<count).map { _ in BoundedQueue(limit: limit) }
    do {
      for number in lanes.indices { try start(number, work) }
    } catch {
      stop()
      throw error
    }
  }

  private func start(_ number: Int, _ work: @escaping @Sendable (Lane, () -> Int?) throws -> Void) throws {
    changed.withLock { running += 1 }
    do {
      try WorkThread.start {
        if (try? work(self.lanes[number], { self.takeJob(number) })) == nil {
          self.changed.withLock { self.isStopped = true }
        }
        self.lanes[number].end()
        self.endThread()
      }
    } catch {
      endThread()
      throw error
    }
  }

  private func takeJob(_ lane: Int) -> Int? {
    changed.withLock {
      guard !isStopped, owners.count < jobCount else { return nil }
      owners.append(lane)
      changed.broadcast()
      return owners.count - 1
    }
  }

  private func endThread() { changed.update { running -= 1 } }

  /// The lane with the values of a job; nil if no thread does it.
  package func lane(of job: Int) -> Lane? {
    changed.withLock {
      while owners.count <= job, running > 0 { changed.wait() }
      return owners.count > job ? lanes[owners[job]] : nil
    }
  }

  /// Drops all values, and waits until the threads have ended: each at its next value.
  package func stop() {
    changed.withLock { isStopped = true }
    for lane in lanes { lane.stop() }
    changed.withLock { while running > 0 { changed.wait() } }
  }
}
