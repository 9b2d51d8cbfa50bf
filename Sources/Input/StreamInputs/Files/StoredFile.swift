import Basics
import PacketCapture

/// The stored bytes of an input, read sequentially, counted and hashed: a file on disk and the further files of a split
/// image, standard input, or a member of an archive. Files are closed on deinitialisation.
struct StoredFile: ~Copyable {
  /// Bytes read at once by `readToEnd`: they fit in the processor's cache.
  private static let blockLength = 256 << 10

  private enum Source {
    case descriptor(Int32)
    case member(Archive)
  }

  private var source: Source
  /// Paths of the parts of a split image after the current one.
  private var nextParts: ArraySlice<[CChar]> = []
  /// Holes of a sparse file, which are not read.
  private var holes: FileHoles?
  private let hashes: [DigestKind: InputHash]
  /// Gets all bytes, too.
  private let observer: Observer?
  typealias Observer = (UnsafeRawBufferPointer) -> Void
  /// Offset in the file at which reading began: standard input may have been read before.
  private let startOffset: Int
  /// The size in bytes of all files, if known in advance: not for pipes, devices and members.
  private(set) var size: Int?
  /// How many files there are: 1, or those of a split image.
  let partCount: Int
  private(set) var bytesRead = 0
  private var isAtEnd = false
  /// Why reading ended before the end of the file.
  private(set) var error: InputError?

  init(_ input: Input, digests: DigestKinds, observer: Observer? = nil) throws(InputError) {
    input.register()
    hashes = InputHash.all(digests)
    self.observer = observer
    let descriptor = input.path.map(Self.opened) ?? STDIN_FILENO
    source = .descriptor(descriptor)
    startOffset = input.path == nil ? max(0, Int(lseek(descriptor, 0, SEEK_CUR))) : 0
    nextParts = input.parts[...]
    partCount = 1 + input.parts.count
    guard descriptor >= 0 else { throw InputError("cannot be opened: \(SystemError.text())") }
    let status = Self.status(of: descriptor)
    size = status.map { input.parts.reduce($0.size) { $0 + (Input.size(of: $1) ?? 0) } }
    if let status, status.isSparse, input.path != nil { holes = FileHoles(descriptor, size: status.size) }
  }

  init(memberOf archive: Archive, digests: DigestKinds, observer: Observer? = nil) {
    hashes = InputHash.all(digests)
    self.observer = observer
    source = .member(archive)
    (startOffset, partCount) = (0, 1)
  }

  deinit {
    if case .descriptor(let descriptor) = source, descriptor > STDERR_FILENO { _ = close(descriptor) }
  }

  /// The descriptor of a file whose bytes can be read in any order; nil if this is none.
  private var randomAccess: Int32? {
    if case .descriptor(let descriptor) = source, size != nil, partCount == 1 { descriptor } else { nil }
  }

  /// Whether all bytes have to be read, for digests or an observer.
  var isHashed: Bool { !hashes.isEmpty || observer != nil }

  /// Whether bytes can be read twice.
  var isRegular: Bool { randomAccess != nil }

  /// Reads available bytes, up to `buffer`'s length; 0 at the end of the file, or after an `error`.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while error == nil, !isAtEnd, !buffer.isEmpty {
      let count = readSource(into: buffer)
      if count > 0 {
        // Right after the read, while the bytes are in the processor's cache.
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        for hash in hashes.values { hash.update(RawSpan(_unsafeBytes: bytes)) }
        observer?(bytes)
        bytesRead &+= count
        return count
      }
      if count == 0 { isAtEnd = !openNextPart() }
    }
    return 0
  }

  /// The next bytes; 0 at the end of the file, or -1 to try again or after an `error`.
  private mutating func readSource(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch source {
    case .member(let archive):
      let count = archive.read(into: buffer)
      if count == 0 { error = archive.memberError }
      return count
    case .descriptor(let descriptor):
      let count = holes?.read(into: buffer) ?? Basics.read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno != EINTR { error = InputError("cannot be read: \(SystemError.text())") }
      return count
    }
  }

  /// Continues with the next part of a split image; false if there is none, or it is missing.
  private mutating func openNextPart() -> Bool {
    guard let path = nextParts.popFirst(), case .descriptor(let last) = source else { return false }
    let next = Self.opened(path)
    guard next >= 0 else {
      error = InputError(
        "the image's part \(DirectoryEntry.text(of: path)) cannot be opened (\(SystemError.text())): "
          + "the parts before it are used", fileOffset: bytesRead)
      return false
    }
    _ = close(last)
    source = .descriptor(next)
    holes = nil
    return true
  }

  /// Skips the bytes of a hole that follow, but for the last `kept`; returns how many. Bytes that are hashed are read.
  mutating func skipHole(keeping kept: Int) -> Int {
    guard !isHashed, error == nil else { return 0 }
    let skipped = holes?.skip(keeping: kept) ?? 0
    bytesRead &+= skipped
    return skipped
  }

  /// Reads the rest of the file, for its length and its digests.
  /// - Parameter progress: called now and then with the number of bytes read.
  mutating func readToEnd(progress: (_ done: Int) throws -> Void) rethrows {
    try withUnsafeTemporaryAllocation(byteCount: Self.blockLength, alignment: 64) { buffer in
      while read(into: buffer) > 0 { try progress(bytesRead) }
    }
  }

  /// Reads bytes at an offset of a regular file, from where reading began; 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let descriptor = randomAccess else { return 0 }
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(startOffset &+ offset))
      if count >= 0 || errno != EINTR { return max(0, count) }
    }
  }

  /// Access to earlier bytes of a regular file, as long as this is open; nil for anything else.
  var history: CaptureHistory? { randomAccess.map { CaptureHistory(descriptor: $0, start: startOffset) } }

  /// The digests of all bytes read; none after an `error`, as they would be those of a part. They can be taken once.
  func takeDigests() -> FileDigests { error == nil ? hashes.compactMapValues { $0.hexDigest() } : [:] }

  private static func opened(_ path: [CChar]) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    #if canImport(Glibc)
      if descriptor >= 0 {
        let error = errno
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        errno = error
      }
    #endif
    return descriptor
  }

  /// Size of a regular file, and whether parts of it are not stored; nil for anything else.
  private static func status(of descriptor: Int32) -> (size: Int, isSparse: Bool)? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = Int(status.st_size)
    // st_blocks counts 512 bytes, whatever the file system's blocks are.
    return (size, Int(status.st_blocks) &* 512 < size)
  }
}

/// Values of lseek(2), which Swift does not import.
private enum Seek {
  #if canImport(Glibc)
    static let (data, hole): (Int32, Int32) = (3, 4)
  #else
    static let (data, hole): (Int32, Int32) = (4, 3)
  #endif
}

/// A sparse file, of which only the stored ranges are read.
private struct FileHoles {
  private let descriptor: Int32
  private let size: Int
  /// Offset of the next byte, from 0.
  private var position = 0
  /// The end of the stored range or hole at `position`; before it if that is yet to be found.
  private var rangeEnd = 0
  private var isHole = false

  init(_ descriptor: Int32, size: Int) { (self.descriptor, self.size) = (descriptor, size) }

  private mutating func findRange() {
    guard position >= rangeEnd, position < size else { return }
    let data = Int(lseek(descriptor, off_t(position), Seek.data))
    if data < 0 {
      // ENXIO: a hole up to the end. Any other error: the file system knows no holes.
      (isHole, rangeEnd) = (errno == ENXIO, size)
    } else if data > position {
      (isHole, rangeEnd) = (true, min(data, size))
    } else {
      let hole = Int(lseek(descriptor, off_t(position), Seek.hole))
      (isHole, rangeEnd) = (false, hole > position ? hole : size)
    }
  }

  /// As read(2).
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    findRange()
    // A file that grew meanwhile is read to its end.
    let room = position < size ? min(buffer.count, rangeEnd - position) : buffer.count
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
    var count = room
    if isHole, position < size {
      target.initializeMemory(as: UInt8.self, repeating: 0)
    } else {
      count = pread(descriptor, target.baseAddress, room, off_t(position))
    }
    position &+= max(0, count)
    return count
  }

  /// Skips the rest of the hole at the current offset, but for the last `kept` bytes; returns how many it skips.
  mutating func skip(keeping kept: Int) -> Int {
    findRange()
    guard isHole, position < size else { return 0 }
    let skipped = max(0, rangeEnd - position - kept)
    position += skipped
    return skipped
  }
}
