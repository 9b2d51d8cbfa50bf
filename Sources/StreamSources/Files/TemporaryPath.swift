#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes files and directories under names that nothing else has.
package enum TemporaryPath {
  /// mkstemp(3) and mkdtemp(3) take no name that does not end in six X; each becomes a letter or digit of theirs.
  private static let letters = String(repeating: "X", count: 6)

  /// Makes a file for its owner alone, which no program that is started inherits; nil with `errno` set on failure.
  /// - Parameter beginning: of its path.
  package static func makeFile(_ beginning: String) -> (descriptor: Int32, path: String)? {
    var path = Array((beginning + letters).utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return (descriptor, DirectoryEntry.text(of: path))
  }

  /// Makes a directory for its owner alone; nil with `errno` set on failure.
  /// - Parameter beginning: of its path.
  package static func makeDirectory(_ beginning: String) -> String? {
    var path = Array((beginning + letters).utf8CString)
    return mkdtemp(&path) == nil ? nil : DirectoryEntry.text(of: path)
  }
}
