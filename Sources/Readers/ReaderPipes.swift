import Platform
import ReaderModels

/// A descriptor that is closed when it goes.
final class OwnedDescriptor {
  private(set) var number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close() }

  var isOpen: Bool { number >= 0 }

  func close() {
    guard number >= 0 else { return }
    _ = Platform.close(number)
    number = -1
  }

  /// From now on reads and writes return at once.
  func stopWaiting() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

  /// A pipe: what is written to one is read from the other.
  static func pipe() throws -> (reading: OwnedDescriptor, writing: OwnedDescriptor) {
    var ends: [Int32] = [-1, -1]
    let code = RunningReaders.betweenStarts {
      let code = Platform.pipe(&ends)
      // After a failure this would fail as well, and hide why.
      if code == 0 {
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      }
      return code
    }
    guard code == 0 else { throw Failure("a pipe for the reader cannot be made: \(SystemError.text())") }
    return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
  }

  /// What reads as an empty file.
  static func nothing() throws -> OwnedDescriptor {
    let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw Failure("/dev/null cannot be opened: \(SystemError.text())") }
    return OwnedDescriptor(number)
  }
}

/// Writes a stream into a pipe, a chunk when the one before has been read: so no read returns bytes of two chunks. A
/// chunk larger than the pipe comes in several reads.
struct ChunkFeeder {
  private let bytes: [UInt8]
  private var reads: ChunkedReads
  /// What of the present chunk is still to be written: offsets in bytes from 0.
  private var chunk = 0..<0
  private let pipe: OwnedDescriptor
  /// The reader closed its end before it had all: offset in bytes from 0 of what could not be written.
  private(set) var refusedAt: Int?

  /// The largest pipe that Linux gives to everybody, in bytes, and what all have.
  private static let largestPipe = 1 << 20
  private static let usualPipe = 64 << 10

  init(_ bytes: [UInt8], cut chunking: Chunking, into pipe: OwnedDescriptor) {
    self.bytes = bytes
    self.pipe = pipe
    reads = ChunkedReads(of: bytes.count, cut: chunking)
    pipe.stopWaiting()
    #if os(Linux)
      // F_SETPIPE_SZ, fcntl(2). Where it fails, large chunks are cut.
      if bytes.count > Self.usualPipe { _ = fcntl(pipe.number, 1031, Int32(Self.largestPipe)) }
    #endif
  }

  /// Writes what can be written now; false where nothing could be.
  mutating func feed() -> Bool {
    guard pipe.isOpen else { return false }
    if isClosedByReader { return end(readerClosed: true) }
    if chunk.isEmpty {
      guard waiting == 0 else { return false }
      chunk = reads.read(.max)
      if chunk.isEmpty { return end(readerClosed: false) }
    }
    let count = bytes.withUnsafeBytes { all in
      write(pipe.number, all.baseAddress.map { $0 + chunk.lowerBound }, chunk.count)
    }
    if count > 0 { chunk = (chunk.lowerBound + count)..<chunk.upperBound }
    return count > 0
  }

  /// Closes the pipe; where the reader did so first, it is known what it did not take.
  private mutating func end(readerClosed: Bool) -> Bool {
    let taken = chunk.lowerBound - waiting
    if readerClosed, taken < bytes.count { refusedAt = taken }
    pipe.close()
    return true
  }

  /// Bytes in the pipe that the reader has not taken.
  private var waiting: Int {
    var count: Int32 = 0
    return ioctl(pipe.number, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Whether nobody can read what is written: poll(2) then reports an error.
  private var isClosedByReader: Bool {
    var state = pollfd(fd: pipe.number, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR | POLLHUP) != 0
  }
}
