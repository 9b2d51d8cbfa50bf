import Basics
import Synchronization
import Testing

@Suite("Threads that do jobs ahead")
struct LanesTests {
  /// - Parameters:
  ///   - limit: of a lane's queue; each value costs 1.
  ///   - parcel: values that are passed at once.
  private func numbers(jobs: Int, lanes count: Int, limit: Int, parcel: Int) throws -> [[Int]] {
    let lanes = try Lanes<Int>(jobs: jobs, lanes: count, limit: limit) { lane, next in
      while let job = next() {
        // Its number is that of its values.
        for first in stride(from: 0, to: job, by: parcel) {
          let values = Array(first..<min(job, first + parcel))
          guard (try? lane.add(values, cost: values.count)) != nil else { return }
        }
      }
    }
    defer { lanes.stop() }
    return try (0..<jobs).map { job in
      let lane = try #require(lanes.lane(of: job))
      var values: [Int] = []
      while values.count < job { values += lane.next(returning: []) ?? [] }
      return values
    }
  }

  @Test("the values of all jobs come in order", arguments: [1, 2, 7], [(1, 1), (4, 3), (1000, 8)])
  func order(lanes: Int, queue: (limit: Int, parcel: Int)) throws {
    let jobs = try numbers(jobs: 60, lanes: lanes, limit: queue.limit, parcel: queue.parcel)
    #expect(jobs == (0..<60).map { Array(0..<$0) })
  }

  @Test("a queue holds no more than its limit, or one parcel")
  func limit() throws {
    let queue = BoundedQueue<Int>(limit: 10)
    _ = try queue.add([1], cost: 100)
    let isAdded = Mutex(false)
    let lanes = try Lanes<Int>(jobs: 1, lanes: 1, limit: 1) { _, _ in
      _ = try? queue.add([2], cost: 1)
      isAdded.withLock { $0 = true }
    }
    #expect(isAdded.withLock { !$0 })
    #expect(queue.next(returning: []) == [1])
    #expect(queue.next(returning: []) == [2])
    lanes.stop()
    #expect(isAdded.withLock { $0 })
    #expect(try queue.add([3], cost: 1) == [])
    #expect(queue.next(returning: [7]) == [3])
    #expect(try queue.add([4], cost: 1) == [7], "used values are handed back")
  }

  @Test("stop ends lanes that wait for the consumer, and those that work at their next value")
  func stop() throws {
    let stopped = Mutex(0)
    let lanes = try Lanes<Int>(jobs: 100, lanes: 5, limit: 3) { lane, next in
      do {
        while let job = next() {
          while true { _ = try lane.add([job], cost: 1) }
        }
      } catch {
        stopped.withLock { $0 += 1 }
      }
    }
    let first = try #require(lanes.lane(of: 0))
    #expect(first.next(returning: []) == [0])
    lanes.stop()
    // Lanes that had no job yet end without an error.
    #expect((1...5).contains(stopped.withLock { $0 }))
    #expect(throws: CancellationError.self) { try first.check() }
  }

  @Test("a job that no thread does has no lane")
  func missing() throws {
    let lanes = try Lanes<Int>(jobs: 2, lanes: 3, limit: 1) { _, _ in }
    #expect(lanes.lane(of: 0) == nil)
    lanes.stop()
  }
}
