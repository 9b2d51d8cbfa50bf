import Platform
import Testing

@Suite("A thread that works on values in their order")
struct SerialWorkerTests {
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
    let worker = SerialWorker<[Int]>(capacity: capacity) { value in
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
    let worker = SerialWorker<Int>(capacity: 2) { value in
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

  @Test("finish and stop need no value before them")
  func nothing() throws {
    try SerialWorker<Int>(capacity: 1) { _ in }.finish()
    SerialWorker<Int>(capacity: 1) { _ in }.stop()
  }

  @Test("stop releases the work")
  func release() throws {
    final class Resource {}
    weak var resource: Resource?
    let worker: SerialWorker<Int>
    do {
      let value = Resource()
      resource = value
      worker = SerialWorker(capacity: 1) { _ in withExtendedLifetime(value) {} }
    }
    _ = try worker.add(1)
    try worker.finish()
    #expect(resource == nil)
  }
}
