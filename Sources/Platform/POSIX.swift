// The C library of the system: every module that imports Platform gets it.
#if canImport(Glibc)
  @_exported import Glibc
#else
  @_exported import Darwin
#endif

/// The operating system's descriptions of errors.
package enum SystemError {
  /// The text of an error number, by default of the last failed call: `No such file or directory`.
  package static func text(_ number: Int32 = errno) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }
}

/// A shared library that is loaded on first use and never unloaded.
package enum SharedLibrary {
  /// - Parameter paths: paths or names, tried in order. The dynamic linker searches for names.
  package static func open(_ paths: [String]) -> UnsafeMutableRawPointer? {
    for path in paths {
      if let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return library }
    }
    return nil
  }
}

/// write(2), repeated until everything is written.
package enum SystemWrite {
  /// Writes all of `bytes` to `descriptor`. Returns 0 or the error number.
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
