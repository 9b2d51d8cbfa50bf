#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What lies in directories. Paths and names are bytes with a NUL behind them, as the system has them: they need not be
/// text.
package enum DirectoryEntry {
  /// The type bits of a path's mode (`S_IFDIR` and the like); nil where there is nothing.
  package static func kind(of path: [CChar], followingLinks: Bool) -> mode_t? {
    var status = stat()
    let result = followingLinks ? stat(path, &status) : lstat(path, &status)
    return result == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Whether there is a regular file, or a link to one.
  package static func isRegularFile(_ path: [CChar]) -> Bool {
    kind(of: path, followingLinks: true) == S_IFREG
  }

  /// The names in a directory, without `.` and `..`, in byte order; nil with `errno` set on failure.
  package static func names(in directory: [CChar]) -> [[CChar]]? {
    guard let stream = opendir(directory) else { return nil }
    defer { _ = closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      // Only errno tells a failure from the directory's end, and whatever is called in between may set it.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    guard errno == 0 else { return nil }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return names.map { $0.map { CChar(bitPattern: $0) } + [0] }
  }

  /// The path of a name in a directory.
  package static func path(of name: [CChar], in directory: [CChar]) -> [CChar] {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let base = directory.dropLast()
    return base.last == slash ? base + name : base + [slash] + name
  }

  /// A path or a name as people read it: U+FFFD stands for bytes that are no UTF-8.
  package static func text(of path: [CChar]) -> String {
    String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
