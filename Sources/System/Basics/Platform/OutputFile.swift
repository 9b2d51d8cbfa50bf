import Synchronization

/// The output of a command: standard output, or a file that appears under its name only when it is complete.
package final class OutputFile {
  private let descriptor: Int32
  /// The final name, for messages.
  private let name: String
  /// The name until the file is complete; nil if it is written directly.
  package private(set) var temporaryName: String?
  /// The final path; nil if the file is written directly.
  private var target: String?
  /// Whether an existing file is replaced.
  private let replaces: Bool
  /// Whether that may be a file that this run reads.
  private let isUpdate: Bool

  package enum Color: String, CaseIterable, Sendable { case auto, always, never }

  private static let colorSetting = Mutex(Color.auto)

  /// When to use colour on standard output (`--color`).
  package static var color: Color {
    get { colorSetting.withLock { $0 } }
    set { colorSetting.withLock { $0 = newValue } }
  }

  /// Whether to use colour on standard output. `auto`: on a terminal, unless NO_COLOR is set or TERM is dumb.
  package static var isColoured: Bool {
    guard color == .auto else { return color == .always }
    let isForbidden = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
    return isatty(STDOUT_FILENO) == 1 && !isForbidden && !isDumb
  }

  /// Whether it is a terminal: control characters are escaped, so that no data is a command to it.
  private let isTerminal: Bool
  /// Whether colours are not escaped.
  private let keepsColours: Bool
  /// The bytes of an incomplete character.
  private var incomplete: [UInt8] = []

  /// Standard output.
  /// - Parameter isData: whether the bytes are data, without colours of ours.
  package init(isData: Bool = false) {
    descriptor = STDOUT_FILENO
    name = "standard output"
    (replaces, isUpdate) = (false, false)
    isTerminal = isatty(STDOUT_FILENO) == 1
    keepsColours = !isData
  }

  /// The file `path`; an existing file requires `force`. Devices, pipes and open descriptors (`-` for standard
  /// output, /dev/stdout, /dev/fd/3) are written directly.
  /// - Parameters:
  ///   - isPrivate: whether only the user may read the file: tokens are personal data.
  ///   - isUpdate: whether it may be a file that this run reads.
  package init(_ path: String, force: Bool, isPrivate: Bool = true, isUpdate: Bool = false) throws {
    name = path == "-" ? "standard output" : path
    (replaces, self.isUpdate) = (force, isUpdate)
    keepsColours = false
    if path.isEmpty { throw CommandError("the name of the output is empty: name a file to write") }
    if let given = Self.givenDescriptor(path) {
      descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0)
      isTerminal = isatty(descriptor) == 1
      guard descriptor >= 0 else { throw CommandError(.outputNotWritten(name, SystemError.text())) }
      try ReadFiles.check(descriptor, named: name)
      return
    }
    if !isUpdate { try ReadFiles.check(path) }
    let kind = DirectoryEntry.kind(of: Array(path.utf8CString), followingLinks: true)
    if kind == S_IFDIR { throw CommandError("\(path) is a directory: name a file to write") }
    if kind != nil, kind != S_IFREG {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      isTerminal = isatty(descriptor) == 1
      guard descriptor >= 0 else { throw CommandError(.outputNotWritten(name, SystemError.text())) }
      return
    }
    isTerminal = false
    if kind != nil, !force { throw CommandError(.outputExists(path)) }
    // In the same directory.
    let target = try Self.target(of: path)
    guard let file = TemporaryPath.makeFile("\(target).apnsift-", mode: isPrivate ? 0o600 : 0o666) else {
      throw CommandError(.outputNotCreated(path, SystemError.text()))
    }
    self.target = target
    (descriptor, temporaryName) = file
  }

  /// A file of an output directory.
  /// - Parameters:
  ///   - descriptor: open for writing; closed with the object.
  ///   - name: for messages.
  init(descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
    (replaces, isUpdate, isTerminal, keepsColours) = (false, false, false, false)
  }

  deinit {
    if let temporaryName { UnfinishedFiles.end([temporaryName]) { _ = unlink(temporaryName) } }
    if descriptor != STDOUT_FILENO { _ = close(descriptor) }
  }

  package func write(_ bytes: RawSpan) throws {
    guard isTerminal else { return try writeBytes(bytes) }
    incomplete += bytes.withUnsafeBytes { Array($0) }
    try writeVisible(VisibleText.endOfWholeCharacters(incomplete))
  }

  /// Writes the first `count` bytes of `incomplete`, as a terminal may get them.
  private func writeVisible(_ count: Int) throws {
    let text = String(decoding: incomplete[..<count], as: UTF8.self)
    incomplete.removeSubrange(..<count)
    let visible = Array(VisibleText.ofLines(text, keepsColours: keepsColours).utf8)
    try writeBytes(visible.span.bytes)
  }

  private func writeBytes(_ bytes: RawSpan) throws {
    let error = bytes.withUnsafeBytes { SystemWrite.all($0, to: descriptor) }
    if error == EPIPE { throw ClosedPipe() }
    guard error == 0 else { throw CommandError(.outputNotWritten(name, SystemError.text(error))) }
  }

  /// Gives the file, which is complete, its name.
  package func finish() throws {
    if !incomplete.isEmpty { try writeVisible(incomplete.count) }
    guard temporaryName != nil else { return }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw CommandError(.outputNotWritten(name, SystemError.text()))
    }
    try appear()
  }

  /// Gives the file its name; one that another program has created meanwhile is replaced only if `replaces` is set. A file
  /// that grows while the program runs, such as a log, has it from the start.
  package func appear() throws {
    guard let temporaryName, let target else { return }
    // Checked again: more files may have been read since.
    if !isUpdate { try ReadFiles.check(target) }
    let hasMoved =
      replaces
      ? rename(temporaryName, target) == 0 : DirectoryEntry.rename(temporaryName, toNew: target)
    guard hasMoved else {
      if !replaces, errno == EEXIST { throw CommandError(.outputExists(name)) }
      throw CommandError(.outputNotWritten(name, SystemError.text()))
    }
    self.temporaryName = nil
    UnfinishedFiles.end([temporaryName]) {}
  }

  // MARK: - Names

  /// The descriptor that `path` names and that the caller opened.
  private static func givenDescriptor(_ path: String) -> Int32? {
    let directory = "/dev/fd/"
    switch path {
    case "-", "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default: return path.hasPrefix(directory) ? Int32(path.dropFirst(directory.count)) : nil
    }
  }

  /// The path to write instead of `path`: a symbolic link is followed, not replaced.
  private static func target(of path: String) throws -> String {
    let isLink = DirectoryEntry.kind(of: Array(path.utf8CString), followingLinks: false) == S_IFLNK
    guard isLink else { return path }
    guard let target = DirectoryEntry.resolved(path) else {
      throw CommandError("\(path) is a broken symbolic link")
    }
    return target
  }

  /// Whether `other` has the same final path, however it is spelled.
  package func hasSameTarget(as other: OutputFile) -> Bool {
    guard let target, let otherTarget = other.target else { return false }
    let locations = [target, otherTarget].map { path in
      let directory = FileIdentity(at: DirectoryEntry.directory(of: Array(path.utf8CString)))
      return (directory, path.split(separator: "/").last)
    }
    return locations[0] == locations[1]
  }
}
