import Basics
import ReaderModels

/// A file descriptor that is closed on deinitialisation.
final class OwnedDescriptor {
  private(set) var number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close() }

  var isOpen: Bool { number >= 0 }

  func close() {
    guard number >= 0 else { return }
    _ = Basics.close(number)
    number = -1
  }

  /// Makes reads and writes non-blocking.
  func stopWaiting() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

  static func pipe() throws -> (reading: OwnedDescriptor, writing: OwnedDescriptor) {
    var ends: [Int32] = [-1, -1]
    let code = RunningReaders.betweenStarts {
      let code = Basics.pipe(&ends)
      // fcntl would overwrite errno after a failure.
      if code == 0 {
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      }
      return code
    }
    guard code == 0 else { throw CommandError("cannot create a pipe for the reader: \(SystemError.text())") }
    return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
  }

  /// A descriptor that reads as an empty file.
  static func nothing() throws -> OwnedDescriptor {
    let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw CommandError(.cannotOpen("/dev/null", SystemError.text())) }
    return OwnedDescriptor(number)
  }
}

/// Writes a stream into a pipe, each chunk after the reader has read the previous one, so that no read returns bytes of
/// two chunks. A chunk larger than the pipe takes several reads.
struct ChunkFeeder {
  private let bytes: [UInt8]
  private var reads: ChunkedReads
  /// The unwritten part of the current chunk: offsets in bytes from 0.
  private var chunk = 0..<0
  private let pipe: OwnedDescriptor
  /// Offset, in bytes from 0, of the first unread byte if the reader closed its end early; else nil.
  private(set) var refusedAt: Int?

  /// The largest pipe that Linux grants to unprivileged users, and the default size, in bytes.
  private static let largestPipe = 1 << 20
  private static let usualPipe = 64 << 10

  init(_ bytes: [UInt8], cut chunking: Chunking, into pipe: OwnedDescriptor) {
    self.bytes = bytes
    self.pipe = pipe
    reads = ChunkedReads(of: bytes.count, cut: chunking)
    pipe.stopWaiting()
    #if os(Linux)
      // F_SETPIPE_SZ, fcntl(2). If it fails, large chunks are split.
      if bytes.count > Self.usualPipe { _ = fcntl(pipe.number, 1031, Int32(Self.largestPipe)) }
    #endif
  }

  /// Writes without blocking; returns false if nothing could be written.
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

  /// Closes the pipe; records the offset of the first unread byte if the reader closed first.
  private mutating func end(readerClosed: Bool) -> Bool {
    let taken = chunk.lowerBound - waiting
    if readerClosed, taken < bytes.count { refusedAt = taken }
    pipe.close()
    return true
  }

  /// Bytes in the pipe that the reader has not read yet.
  private var waiting: Int {
    var count: Int32 = 0
    return ioctl(pipe.number, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Whether the reading end is closed: poll(2) then reports an error.
  private var isClosedByReader: Bool {
    var state = pollfd(fd: pipe.number, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR | POLLHUP) != 0
  }
}
