#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file, or standard input, that is read from its beginning to its end in blocks. It is closed when it
/// goes.
struct InputFile: ~Copyable {
  private let descriptor: Int32
  /// Why reading came to its end, where that is not the file's. It is told once what was read before it has
  /// been handed over.
  private var fault: InputFault?
  /// The file's size in bytes where that is known before it is read: not of pipes and devices.
  let size: Int?

  /// Opens what `input` names; a fault says why it cannot be.
  init(_ input: Input) throws(InputFault) {
    guard let path = input.path else {
      descriptor = STDIN_FILENO
      size = Self.size(of: STDIN_FILENO)
      return
    }
    descriptor = path.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1
    }
    guard descriptor >= 0 else { throw InputFault("cannot be opened: \(SystemError.text())") }
    size = Self.size(of: descriptor)
    #if canImport(Glibc)
      _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  deinit {
    if descriptor > STDERR_FILENO { _ = close(descriptor) }
  }

  /// Reads until `buffer` is full from `start` on or the file ends; returns the index behind the last byte
  /// read. So a block's length does not depend on how a pipe was written. Where reading fails behind some
  /// bytes, those are returned, and the next call throws.
  mutating func fill(_ buffer: inout [UInt8], from start: Int) throws(InputFault) -> Int {
    var filled = start
    while filled < buffer.count, fault == nil {
      let count = buffer.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { read(descriptor, $0 + filled, bytes.count - filled) } ?? 0
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        fault = InputFault("cannot be read: \(SystemError.text())")
      }
    }
    if let fault, filled == start { throw fault }
    return filled
  }

  private static func size(of descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
