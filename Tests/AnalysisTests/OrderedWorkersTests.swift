import Basics
import Testing

@Suite("Threads that complete values in their order")
struct OrderedWorkersTests {
  private struct Fault: Error, Equatable {
    var number: Int
  }

  /// What the thread did; the test reads it after `finish` or `stop`.
  private final class Log: @unchecked Sendable {
    var numbers: [Int] = []
  }

  @Test("processes each value once, in order, and returns values for reuse", arguments: [1, 3, 64])
  func order(capacity: Int) throws {
    let log = Log()
    let worker = OrderedWorkers<[Int]>(capacity: capacity) { value in
      log.numbers += value
      value.removeAll()
    }
    var used: [[Int]] = []
    for number in 0..<1000 {
      if let value = try worker.add([number]) { used.append(value) }
    }
    try worker.finish()
    #expect(log.numbers == Array(0..<1000))
    #expect(used.flatMap { $0 }.isEmpty)
  }

  @Test("an error ends the work and is thrown once the values before it were worked on")
  func failure() {
    let log = Log()
    let worker = OrderedWorkers<Int>(capacity: 2) { value in
      if value == 7 { throw Fault(number: value) }
      log.numbers.append(value)
    }
    #expect(throws: Fault(number: 7)) {
      for number in 0..<1000 { _ = try worker.add(number) }
      try worker.finish()
    }
    worker.stop()
    #expect(log.numbers == Array(0..<7))
  }

  @Test("several threads prepare values at once, and complete them in order", arguments: [2, 7])
  func several(threads: Int) throws {
    let log = Log()
    let workers = OrderedWorkers<[Int]>(
      capacity: 3,
      threads: (0..<threads).map { _ in
        OrderedWorkers.Steps(
          // Later values take less time.
          prepare: { value in value = Array(value[0]..<(value[0] + 2000 - value[0])) },
          complete: { value in log.numbers.append(value[0]) })
      })
    for number in 0..<1000 { _ = try workers.add([number]) }
    try workers.finish()
    #expect(log.numbers == Array(0..<1000))
  }

  @Test("of the errors of several threads, the one of the first value is thrown", arguments: [true, false])
  func failures(isPrepared: Bool) throws {
    let log = Log()
    func fail(_ value: Int) throws { if value >= 40 { throw Fault(number: value) } }
    let workers = OrderedWorkers<Int>(
      capacity: 3,
      threads: (0..<5).map { _ in
        OrderedWorkers.Steps(
          prepare: { if isPrepared { try fail($0) } },
          complete: {
            try fail($0)
            log.numbers.append($0)
          })
      })
    #expect(throws: Fault(number: 40)) {
      for number in 0..<1000 { _ = try workers.add(number) }
      try workers.finish()
    }
    workers.stop()
    #expect(log.numbers == Array(0..<40))
  }

  @Test("finish and stop need no value before them")
  func nothing() throws {
    try OrderedWorkers<Int>(capacity: 1) { _ in }.finish()
    OrderedWorkers<Int>(capacity: 1) { _ in }.stop()
  }

  @Test("stop releases the work")
  func release() throws {
    final class Resource {}
    weak var resource: Resource?
    let worker: OrderedWorkers<Int>
    do {
      let value = Resource()
      resource = value
      worker = OrderedWorkers(capacity: 1) { _ in withExtendedLifetime(value) {} }
    }
    _ = try worker.add(1)
    try worker.finish()
    #expect(resource == nil)
  }
}
