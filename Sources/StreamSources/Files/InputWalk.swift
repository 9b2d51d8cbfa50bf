#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the inputs that the arguments of a command stand for.
package struct InputWalk {
  package private(set) var inputs: [Input] = []
  /// What could not be walked, by name, and the directory that was named.
  package private(set) var faults: [(name: String, directory: String, fault: InputFault)] = []
  /// The directories that were named.
  package private(set) var directories: [String] = []
  /// Members of directories that are no files: sockets, devices, pipes, links to nothing. By name, with what
  /// they are.
  package private(set) var passedOver: [(name: String, reason: String)] = []

  /// Directories nested deeper are not entered, and said so: a guard against loops of mounts.
  private static let maxDepth = 128

  /// - Parameter arguments: paths, or `-` for standard input. Directories are walked in the byte order of
  ///   the names in each; links to directories are not followed.
  package init(_ arguments: [String]) {
    self.init(arguments.map { Input($0) })
  }

  /// - Parameters:
  ///   - named: what was named; directories among it are walked.
  ///   - paired: the halves of a pair of dumps, which are read as they are.
  package init(_ named: [Input], paired: [Input] = []) {
    inputs = paired
    for input in named {
      guard let path = input.path, Self.kind(of: path, followingLinks: true) == S_IFDIR else {
        inputs.append(input)
        continue
      }
      directories.append(input.name)
      walk(path, of: input.name, name: input.name, depth: 0)
    }
  }

  private mutating func walk(_ directory: [CChar], of root: String, name: String, depth: Int) {
    guard depth < Self.maxDepth else {
      faults.append(
        (name, root, InputFault("is nested more than \(Self.maxDepth) directories deep: name it itself")))
      return
    }
    guard let members = Self.members(of: directory) else {
      faults.append((name, root, InputFault("cannot be listed: \(SystemError.text())")))
      return
    }
    for member in members {
      visit(Self.join(directory, member), of: root, depth: depth)
    }
  }

  private mutating func visit(_ path: [CChar], of root: String, depth: Int) {
    let member = Input(memberAt: path, of: root)
    switch Self.kind(of: path, followingLinks: false) {
    case S_IFDIR: walk(path, of: root, name: member.name, depth: depth + 1)
    case S_IFREG: inputs.append(member)
    case S_IFLNK:
      switch Self.kind(of: path, followingLinks: true) {
      case S_IFREG: inputs.append(member)
      case S_IFDIR: passedOver.append((member.name, "a link to a directory"))
      default: passedOver.append((member.name, "a link that leads to no file"))
      }
    default: passedOver.append((member.name, "neither a file nor a directory"))
    }
  }

  /// The type bits of a path's mode; nil where there is nothing.
  /// Whether the file at the NUL-terminated `path` is a regular one, or a link to one.
  static func isRegular(_ path: [CChar]) -> Bool { kind(of: path, followingLinks: true) == S_IFREG }

  private static func kind(of path: [CChar], followingLinks: Bool) -> mode_t? {
    var status = stat()
    let result = path.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { followingLinks ? stat($0, &status) : lstat($0, &status) } ?? -1
    }
    return result == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The names in a directory, without `.` and `..`, in byte order; nil with `errno` set on failure.
  private static func members(of directory: [CChar]) -> [[CChar]]? {
    let stream = directory.withUnsafeBufferPointer { buffer in buffer.baseAddress.flatMap { opendir($0) } }
    guard let stream else { return nil }
    defer { _ = closedir(stream) }
    var members: [[UInt8]] = []
    while true {
      // Only errno tells a failure from the directory's end, and whatever is called in between may set it.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { members.append(name) }
    }
    guard errno == 0 else { return nil }
    members.sort { $0.lexicographicallyPrecedes($1) }
    return members.map { $0.map { CChar(bitPattern: $0) } + [0] }
  }

  private static func join(_ directory: [CChar], _ member: [CChar]) -> [CChar] {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let base = directory.dropLast()
    return base.last == slash ? base + member : base + [slash] + member
  }
}
