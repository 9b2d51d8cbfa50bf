import Platform

/// Why the distinct tokens cannot be found: no memory, or no room for the temporary file.
package struct TokenTableError: Error, CustomStringConvertible {
  package let description: String
}

/// A file without a name: it is gone when its process is, however that ends.
final class TemporaryFile {
  private let descriptor: Int32
  private let directory: String
  /// Bytes written so far.
  private(set) var size = 0

  init(directory: String) throws {
    self.directory = directory
    guard let (descriptor, path) = TemporaryPath.makeFile("\(directory)/apnsift-") else {
      throw TokenTableError(
        description: "no temporary file can be made in \(directory): \(SystemError.text()); "
          + "set TMPDIR to another directory, or raise --memory so that none is needed")
    }
    self.descriptor = descriptor
    _ = unlink(path)
  }

  deinit {
    _ = close(descriptor)
  }

  /// Adds `bytes` at the end.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(size))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw TokenTableError(
          description: "the temporary file in \(directory) cannot be written: \(SystemError.text()); "
            + "set TMPDIR to a directory with more room, or raise --memory")
      }
      done += count
      size += count
    }
  }

  /// Reads up to `buffer.count` bytes from `offset` on; returns how many, less only at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw TokenTableError(
          description: "the temporary file in \(directory) cannot be read: \(SystemError.text())")
      }
      if count == 0 { break }
      done += count
    }
    return done
  }
}
