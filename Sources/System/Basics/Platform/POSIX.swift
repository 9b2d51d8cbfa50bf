// What every module that imports Basics gets: bytes, and the C library of the system.
@_exported import WireBytes

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

/// A C library that only some inputs or stores need: it is loaded for the first of them, and never unloaded.
package struct SharedLibrary<Functions>: @unchecked Sendable {
  /// Nil if the library is missing, or has not all of them.
  package let functions: Functions?
  /// The name of its file, for messages.
  package let file: String

  /// - Parameters:
  ///   - find: sets the functions of a loaded library; false if it lacks one. See LoadedLibrary.h.
  ///   - linux: names, tried in order. The dynamic linker searches for them.
  ///   - macOS: names, absolute paths, and paths in Homebrew's directory.
  package init(
    _ empty: Functions, _ find: (UnsafeMutablePointer<Functions>?, UnsafeMutableRawPointer?) -> Bool,
    linux: [String], macOS: [String]
  ) {
    #if os(macOS)
      let paths = macOS.flatMap { path in
        path.contains("/") && !path.hasPrefix("/") ? ["/opt/homebrew/\(path)", "/usr/local/\(path)"] : [path]
      }
    #else
      let paths = linux
    #endif
    var functions = empty
    let library = paths.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    self.functions = find(&functions, library) ? functions : nil
    file = paths.first ?? ""
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
