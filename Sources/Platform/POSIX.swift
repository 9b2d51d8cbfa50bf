// The system's C library, in one place: who imports Platform has it.
#if canImport(Glibc)
  @_exported import Glibc
#else
  @_exported import Darwin
#endif

/// The operating system's word for why a call failed.
package enum SystemError {
  /// The text of an error number, by default of the last call's: `No such file or directory`.
  package static func text(_ number: Int32 = errno) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }
}

/// A library of the system that is loaded when it is needed first, and then stays.
package enum SharedLibrary {
  /// - Parameter paths: those of them that are names are looked for as by the dynamic linker; the first that is found is taken.
  package static func open(_ paths: [String]) -> UnsafeMutableRawPointer? {
    for path in paths {
      if let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return library }
    }
    return nil
  }
}

/// write(2), until all is written.
package enum SystemWrite {
  /// Writes all of `bytes` to `descriptor`; returns 0, or the error number that ended it.
  package static func all(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
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
