import Messages
import PacketCapture
import Platform

/// A file on disk, or standard input, read sequentially, counted and hashed. It is closed on deinitialisation.
struct StoredFile: ~Copyable {
  /// Bytes read at once by `readToEnd`: they fit in the processor's cache.
  private static let blockLength = 256 << 10

  private let descriptor: Int32
  private var hashes: FileHashes
  /// Offset in the file at which reading began: standard input may have been read before.
  private let startOffset: Int
  /// The file's size in bytes, if known in advance: not for pipes and devices.
  let size: Int?
  /// Bytes read so far.
  private(set) var bytesRead = 0
  /// Why reading ended before the end of the file.
  private(set) var fault: InputFault?

  /// Opens `input`; throws a fault if that fails.
  init(_ input: Input, digests: DigestKinds) throws(InputFault) {
    hashes = FileHashes(digests)
    guard let path = input.path else {
      descriptor = STDIN_FILENO
      size = Self.size(of: STDIN_FILENO)
      startOffset = max(0, Int(lseek(STDIN_FILENO, 0, SEEK_CUR)))
      return
    }
    descriptor = path.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1
    }
    startOffset = 0
    guard descriptor >= 0 else { throw InputFault(.cannotBeOpened(SystemError.text())) }
    size = Self.size(of: descriptor)
    #if canImport(Glibc)
      _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  deinit {
    if descriptor > STDERR_FILENO { _ = close(descriptor) }
  }

  /// Whether bytes can be read twice.
  var isRegular: Bool { size != nil }

  /// Reads available bytes, up to `buffer`'s length; 0 at the end of the file, or after a `fault`.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while fault == nil, let base = buffer.baseAddress, !buffer.isEmpty {
      let count = Self.system(read: descriptor, base, buffer.count)
      if count >= 0 {
        // Right after the read, while the bytes are in the processor's cache.
        hashes.update(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
        bytesRead &+= count
        return count
      }
      if errno != EINTR { fault = InputFault(.cannotBeRead(SystemError.text())) }
    }
    return 0
  }

  /// Reads the rest of the file, for its length and its digests.
  /// - Parameter progress: called now and then with the number of bytes read.
  mutating func readToEnd(progress: (_ done: Int) -> Void = { _ in }) {
    withUnsafeTemporaryAllocation(byteCount: Self.blockLength, alignment: 64) { buffer in
      while read(into: buffer) > 0 { progress(bytesRead) }
    }
  }

  /// Access to earlier bytes of a regular file, as long as this is open.
  var history: CaptureHistory { CaptureHistory(descriptor: descriptor, start: startOffset) }

  /// The digests of all bytes read; none after a `fault`, as they would be those of a part. They can be taken once.
  mutating func takeDigests() -> FileDigests {
    let digests = hashes.take()
    return fault == nil ? digests : FileDigests()
  }

  /// The system call, which the method of the same name hides.
  private static func system(read descriptor: Int32, _ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
    Platform.read(descriptor, target, count)
  }

  private static func size(of descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
