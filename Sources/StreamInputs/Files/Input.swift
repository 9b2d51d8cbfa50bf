import PacketCapture
import Platform

/// One thing to read: a file by its path, or standard input.
package struct Input: Equatable, Sendable {
  /// The input as reports name it: as it was given, in a directory its path, `-` for standard input.
  package var name: String
  /// The path as the system takes it, NUL-terminated: not every file name is UTF-8. Nil is standard input.
  package var path: [CChar]?
  /// The directory that a user named and that it lies in; nil where the input itself was named. What lies
  /// in a directory and is recognised as nothing is skipped; what was named is read all the same.
  package var directory: String?
  /// Which direction of a connection it holds, where two dumps were named as the two of one.
  package var half: Half?

  /// A direction of a pair of dumps.
  package enum Half: Sendable {
    /// What the client sent; read first.
    case requests
    /// What the server sent.
    case responses
  }

  package var isNamed: Bool { directory == nil }

  /// Bytes of a regular file; nil of anything else.
  package var size: Int? {
    var status = stat()
    guard let path, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Which file it is; nil where there is none.
  package var identity: FileIdentity? {
    path.map { FileIdentity(at: $0) } ?? FileIdentity(of: STDIN_FILENO)
  }

  /// The input that a user calls `argument`.
  package init(_ argument: String) {
    name = argument
    path = argument == "-" ? nil : Array(argument.utf8CString)
  }

  /// The input that a user calls `argument`, by the NUL-terminated path that the system was given: the two
  /// differ where a name is not UTF-8.
  package init(_ argument: String, path: [CChar]) {
    name = argument
    self.path = argument == "-" ? nil : path
  }

  init(memberAt path: [CChar], of directory: String) {
    name = DirectoryEntry.text(of: path)
    self.path = path
    self.directory = directory
  }
}

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
      guard let path = input.path, DirectoryEntry.kind(of: path, followingLinks: true) == S_IFDIR else {
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
    guard let members = DirectoryEntry.names(in: directory) else {
      faults.append((name, root, InputFault("cannot be listed: \(SystemError.text())")))
      return
    }
    for member in members {
      visit(DirectoryEntry.path(of: member, in: directory), of: root, depth: depth)
    }
  }

  private mutating func visit(_ path: [CChar], of root: String, depth: Int) {
    let member = Input(memberAt: path, of: root)
    switch DirectoryEntry.kind(of: path, followingLinks: false) {
    case S_IFDIR: walk(path, of: root, name: member.name, depth: depth + 1)
    case S_IFREG: inputs.append(member)
    case S_IFLNK:
      switch DirectoryEntry.kind(of: path, followingLinks: true) {
      case S_IFREG: inputs.append(member)
      case S_IFDIR: passedOver.append((member.name, "a link to a directory"))
      default: passedOver.append((member.name, "a link that leads to no file"))
      }
    default: passedOver.append((member.name, "neither a file nor a directory"))
    }
  }
}
