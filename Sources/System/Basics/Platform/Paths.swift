/// Directory entries. Paths and names are NUL-terminated bytes, which need not be UTF-8.
package enum DirectoryEntry {
  /// The file type bits of a path's mode (such as `S_IFDIR`); nil if it does not exist.
  package static func kind(of path: [CChar], followingLinks: Bool) -> mode_t? {
    var status = stat()
    let result = followingLinks ? stat(path, &status) : lstat(path, &status)
    return result == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Whether `path` is a regular file, or a symbolic link to one.
  package static func isRegularFile(_ path: [CChar]) -> Bool {
    kind(of: path, followingLinks: true) == S_IFREG
  }

  /// The names in a directory, without `.` and `..`, in byte order; nil with `errno` set on failure.
  package static func names(in directory: [CChar]) -> [[CChar]]? {
    guard let stream = opendir(directory) else { return nil }
    defer { _ = closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      // readdir(3) returns nil at the end and on failure; only errno distinguishes them, and other calls may change it.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    guard errno == 0 else { return nil }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return names.map { $0.map { CChar(bitPattern: $0) } + [0] }
  }

  package static func path(of name: [CChar], in directory: [CChar]) -> [CChar] {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let base = directory.dropLast()
    return base.last == slash ? base + name : base + [slash] + name
  }

  /// The path without links; nil if it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Moves a file into a directory of the same file system, under its name, or if that exists with a number after it; false
  /// with `errno` set on failure.
  package static func move(_ path: [CChar], into directory: [CChar]) -> Bool {
    let name = path.split(separator: CChar(bitPattern: UInt8(ascii: "/"))).last ?? []
    for number in 0..<100_000 {
      let suffix = number == 0 ? [0] : Array(".\(number)".utf8CString)
      if rename(path, toNew: Self.path(of: name.dropLast() + suffix, in: directory)) { return true }
      if errno != EEXIST { return false }
    }
    return false
  }

  /// Gives a file a name that no file has; false with `errno` set on failure, which is EEXIST if a file has it.
  static func rename(_ path: UnsafePointer<CChar>, toNew target: UnsafePointer<CChar>) -> Bool {
    // Unlike rename(2), link(2) fails if the name exists.
    if link(path, target) == 0 { return unlink(path) == 0 }
    if errno == EEXIST { return false }
    // Not all file systems support hard links, and not all users may link the files of others.
    guard access(target, F_OK) != 0 else {
      errno = EEXIST
      return false
    }
    return Basics.rename(path, target) == 0
  }

  /// The NUL-terminated path of the directory of `path`.
  package static func directory(of path: [CChar]) -> [CChar] {
    guard let last = path.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) else {
      return Array(".".utf8CString)
    }
    return path[...last] + [0]
  }

  /// A NUL-terminated path or name as text. Bytes that are not UTF-8 are `\\xNN`, and so is a backslash before `xNN`:
  /// different names have different texts.
  package static func text(of path: some Sequence<CChar>) -> String {
    let bytes = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let backslash = UInt8(ascii: "\\")
    if !bytes.contains(backslash), let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      if let character = String(validating: rest.prefix(length), as: UTF8.self), !beginsEscape(rest) {
        text += character
        rest = rest.dropFirst(length)
      } else {
        text += "\\x" + String(first, radix: 16, uppercase: true)
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// Whether text begins with `\\xNN`.
  package static func beginsEscape(_ text: some Collection<UInt8>) -> Bool {
    let digits = text.dropFirst(2).prefix(2)
    return text.starts(with: "\\x".utf8) && digits.count == 2
      && digits.allSatisfy { "0123456789ABCDEF".utf8.contains($0) }
  }
}

/// Identifies a file or directory independently of its names.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let number: ino_t
  /// Whether it is a regular file, not a directory, pipe or device.
  package let isRegular: Bool

  /// The file at the NUL-terminated `path`, following links; nil if it does not exist.
  package init?(at path: [CChar]) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file of an open descriptor; nil if it is not open.
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

/// Creates files and directories with unique names. They are unfinished: a signal removes them.
package enum TemporaryPath {
  /// Creates a file that child processes do not inherit; nil with `errno` set on failure.
  /// - Parameters:
  ///   - beginning: the beginning of the path.
  ///   - mode: the permissions, less those that the umask takes away; by default only its owner can access the file.
  package static func makeFile(
    _ beginning: String, mode: mode_t = 0o600
  ) -> (descriptor: Int32, path: String)? {
    UnfinishedFiles.make { file(beginning, mode).map { ($0, $0.path) } }
  }

  /// Creates a file without a name, which ends with its descriptor; nil with `errno` set on failure.
  package static func makeUnnamedFile(_ beginning: String) -> Int32? {
    guard let (descriptor, path) = makeFile(beginning) else { return nil }
    UnfinishedFiles.end([path]) { _ = unlink(path) }
    return descriptor
  }

  /// mkstemp(3) has no mode, and the umask cannot be read without a moment in which other threads have none.
  private static func file(_ beginning: String, _ mode: mode_t) -> (descriptor: Int32, path: String)? {
    for _ in 0..<attempts {
      let path = beginning + String(UInt32.random(in: 0...UInt32.max), radix: 36)
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, path) }
      guard errno == EEXIST else { return nil }
    }
    return nil
  }

  /// How many names are tried.
  private static let attempts = 100

  /// Creates a directory that only its owner can access; nil with `errno` set on failure.
  package static func makeDirectory(_ beginning: String) -> String? {
    UnfinishedFiles.makeDirectory {
      // mkdtemp(3) replaces the X.
      var path = Array((beginning + "XXXXXX").utf8CString)
      guard mkdtemp(&path) != nil else { return nil }
      return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}

/// The directory for temporary files: TMPDIR, else /tmp.
package enum TemporaryDirectory {
  package static var path: String {
    guard let value = getenv("TMPDIR"), value.pointee != 0 else { return "/tmp" }
    return String(cString: value)
  }
}

/// The bytes of command-line arguments. Swift replaces invalid UTF-8 in its own copy, which then names no file.
package struct ArgumentPaths {
  /// The NUL-terminated bytes of the arguments, by Swift's text for them, in order.
  private var bytes: [String: ArraySlice<[CChar]>] = [:]

  package init() {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      let copy = Array(UnsafeBufferPointer(start: argument, count: strlen(argument) + 1))
      bytes[String(cString: argument), default: []].append(copy)
    }
  }

  /// The path for `argument`; of several arguments with the same text, the next one.
  package mutating func path(of argument: String) -> [CChar] {
    bytes[argument]?.popFirst() ?? Array(argument.utf8CString)
  }
}
