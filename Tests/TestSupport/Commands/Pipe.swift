import Basics
import Foundation

// The system's calls under names that no member hides.
private let systemClose: @Sendable (Int32) -> Int32 = { close($0) }
private let systemWrite: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
private let systemRead: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = { read($0, $1, $2) }

/// An open file of the tests, closed when it goes; never inherited by accident.
package final class Descriptor {
  package private(set) var number: Int32

  package init(_ number: Int32) { self.number = number }

  package init(opening path: String, _ flags: Int32) throws {
    number = open(path, flags | O_CLOEXEC, 0o644)
    guard number >= 0 else { throw SystemCallError("opening \(path)", errno) }
  }

  deinit { close() }

  package func close() {
    if number >= 0 { _ = systemClose(number) }
    number = -1
  }

  /// Writes all of `bytes`; false if the reader is gone.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>) throws -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EPIPE { return false }
      guard count >= 0 else { throw SystemCallError("writing", errno) }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The available bytes; empty at the end.
  package func read(atMost limit: Int = 1 << 16) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = systemRead(number, &bytes, limit)
    while count < 0, errno == EINTR { count = systemRead(number, &bytes, limit) }
    guard count >= 0 else { throw SystemCallError("reading", errno) }
    return Array(bytes[..<count])
  }

  /// Reads up to the end.
  package func readAll() throws -> [UInt8] {
    var all: [UInt8] = []
    while case let bytes = try read(), !bytes.isEmpty { all += bytes }
    return all
  }
}

/// A pipe's two ends.
package func makePipe() throws -> (reading: Descriptor, writing: Descriptor) {
  // Writing into a pipe without a reader is a result here, not the end of the test runner.
  signal(SIGPIPE, SIG_IGN)
  var numbers: [Int32] = [0, 0]
  let code = inheritance.withLock { _ in
    let code = pipe(&numbers)
    for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    return code
  }
  guard code == 0 else { throw SystemCallError("making a pipe", errno) }
  return (Descriptor(numbers[0]), Descriptor(numbers[1]))
}

/// Opens a named pipe for writing as soon as `reader` has it open for reading: that is the handshake. Nil
/// where the reader ends without having opened it.
package func openForWriting(fifo path: String, readBy reader: ChildProcess) throws -> Descriptor? {
  signal(SIGPIPE, SIG_IGN)
  while try !reader.hasEnded() {
    let number = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    if number >= 0 {
      _ = fcntl(number, F_SETFL, 0)
      return Descriptor(number)
    }
    guard errno == ENXIO else { throw SystemCallError("opening \(path)", errno) }
    sched_yield()
  }
  return nil
}
