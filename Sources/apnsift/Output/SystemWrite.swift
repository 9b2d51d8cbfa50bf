#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// write(2), until all is written.
enum SystemWrite {
  /// Writes all of `bytes` to `descriptor`; returns 0, or the error number that ended it.
  static func all(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? EIO : errno }
      done += count
    }
    return 0
  }
}
