import Basics

/// The distinct tokens cannot be found: out of memory, or no space for the temporary file.
package struct TokenTableError: Error { package let message: Message }

/// An unlinked temporary file, which the system deletes when the process ends.
final class TemporaryFile {
  private let descriptor: Int32
  private let directory: String
  /// Bytes written so far.
  private(set) var size = 0

  init(directory: String) throws {
    self.directory = directory
    guard let descriptor = TemporaryPath.makeUnnamedFile("\(directory)/apnsift-") else {
      throw TokenTableError(
        message:
          "cannot create a temporary file in \(directory): \(SystemError.text()); set TMPDIR to another "
          + "directory, or raise --memory so that none is needed")
    }
    self.descriptor = descriptor
  }

  deinit { _ = close(descriptor) }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    let error = SystemWrite.all(bytes, to: descriptor)
    guard error == 0 else {
      throw TokenTableError(
        message:
          "cannot write the temporary file in \(directory): \(SystemError.text(error)); set TMPDIR to a "
          + "directory with more space, or raise --memory")
    }
    size += bytes.count
  }

  /// Reads `buffer.count` bytes from `offset` on. Returns the number of bytes read, which is less only at the end
  /// of file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw TokenTableError(
          message: "cannot read the temporary file in \(directory): \(SystemError.text())")
      }
      if count == 0 { break }
      done += count
    }
    return done
  }
}
