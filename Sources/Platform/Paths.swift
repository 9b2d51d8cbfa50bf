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

/// Which file or directory something is, whatever names it has.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t
  /// Whether it is an ordinary file, and no directory, pipe or device.
  package let isRegular: Bool

  /// What `path`, NUL-terminated, leads to; nil where that is nothing.
  package init?(at path: [CChar]) {
    var status = stat()
    let result = path.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { stat($0, &status) } ?? -1
    }
    guard result == 0 else { return nil }
    self.init(status)
  }

  /// What an open descriptor belongs to; nil where it is not open.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }
}

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

/// Where temporary files go: TMPDIR, else /tmp.
package enum TemporaryDirectory {
  package static var path: String {
    guard let value = getenv("TMPDIR"), value.pointee != 0 else { return "/tmp" }
    return String(cString: value)
  }
}

/// Arguments as the system passed them. Swift repairs those that are not UTF-8, and no file has the repaired
/// name.
package struct ArgumentPaths {
  /// The NUL-terminated bytes of the arguments, by what Swift makes of them, in the order they were given.
  private var bytes: [String: ArraySlice<[CChar]>] = [:]

  package init() {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      let text = String(cString: argument)
      bytes[text, default: []].append(Self.copy(argument))
    }
  }

  /// The path that `argument` was given as; of several that Swift takes for the same, the next one.
  package mutating func path(of argument: String) -> [CChar] {
    bytes[argument]?.popFirst() ?? Array(argument.utf8CString)
  }

  private static func copy(_ argument: UnsafePointer<CChar>) -> [CChar] {
    var length = 0
    while argument[length] != 0 { length += 1 }
    return Array(UnsafeBufferPointer(start: argument, count: length + 1))
  }
}
