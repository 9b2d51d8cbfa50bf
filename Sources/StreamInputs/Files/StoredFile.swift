import CLibcrypto
import Messages
import PacketCapture
import Platform
import WireBytes

/// A file on disk, or standard input, read sequentially, counted and hashed. It is closed on deinitialisation.
struct StoredFile: ~Copyable {
  private let descriptor: Int32
  private var hash: InputHash?
  /// Offset in the file at which reading began: standard input may have been read before.
  private let startOffset: Int
  /// The file's size in bytes, if known in advance: not for pipes and devices.
  let size: Int?
  /// Bytes read so far.
  private(set) var bytesRead = 0
  /// Why reading ended before the end of the file.
  private(set) var fault: InputFault?

  /// Opens `input`; throws a fault if that fails.
  init(_ input: Input, hashes: Bool) throws(InputFault) {
    hash = hashes ? InputHash() : nil
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
        hash?.update(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
        bytesRead &+= count
        return count
      }
      if errno != EINTR { fault = InputFault(.cannotBeRead(SystemError.text())) }
    }
    return 0
  }

  /// Access to earlier bytes of a regular file, as long as this is open.
  var history: CaptureHistory { CaptureHistory(descriptor: descriptor, start: startOffset) }

  /// SHA-256 of all bytes read, as 64 hex digits; nil if it was not requested. It can be taken once.
  mutating func takeDigest() -> String? { hash.take()?.hexDigest() }

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

/// Incremental SHA-256 by the system's libcrypto: it uses the processor's instructions for it and costs no build time
/// (docs/decisions/0001-sha256-from-libcrypto.md).
package struct InputHash: ~Copyable {
  /// Nil if libcrypto is out of memory or lacks SHA-256: then there is no digest, and reports have null.
  private let context: OpaquePointer?

  package init() {
    let context = EVP_MD_CTX_new()
    if EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 {
      self.context = context
    } else {
      EVP_MD_CTX_free(context)
      self.context = nil
    }
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  package mutating func update(_ bytes: RawSpan) {
    guard let context else { return }
    bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
  }

  /// The digest of all bytes so far as 64 lowercase hex digits.
  package consuming func hexDigest() -> String? {
    guard let context else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &length) == 1 else { return nil }
    return Hex.string(digest.prefix(Int(length)))
  }
}

extension InputHash {
  /// The digest of a regular file on disk; nil for anything else, which cannot be read twice, and for unreadable
  /// files.
  package static func digest(of input: Input) -> String? {
    // Checked first: opening a pipe would take its data from the next reader.
    guard let path = input.path, DirectoryEntry.isRegularFile(path),
      var file = try? StoredFile(input, hashes: true)
    else { return nil }
    var block = [UInt8](repeating: 0, count: 256 << 10)
    while block.withUnsafeMutableBytes({ file.read(into: $0) }) > 0 {}
    return file.fault == nil ? file.takeDigest() : nil
  }
}
