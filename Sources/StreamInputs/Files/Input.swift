import Messages
import PacketCapture
import Platform

/// One thing to read: a file by its path, or standard input.
package struct Input: Equatable, Sendable {
  /// The input's name in reports: as given; in a directory its path; `-` for standard input.
  package var name: String
  /// The path for system calls, NUL-terminated: not every file name is UTF-8. Nil is standard input.
  package var path: [CChar]?
  /// The named directory that contains it; nil if the input itself was named. Files of no known format are skipped in
  /// a directory, but read if they were named.
  package var directory: String?
  /// The direction of a connection it contains, if two dumps were named as a pair.
  package var half: Half?

  /// A direction of a pair of dumps.
  package enum Half: Sendable {
    /// The client's bytes; read first.
    case requests
    /// The server's bytes.
    case responses
  }

  package var isNamed: Bool { directory == nil }

  /// Size of a regular file, in bytes; nil for anything else.
  package var size: Int? {
    var status = stat()
    guard let path, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Identity of the file; nil if it does not exist.
  package var identity: FileIdentity? {
    path.map { FileIdentity(at: $0) } ?? FileIdentity(of: STDIN_FILENO)
  }

  /// The input named `argument`.
  package init(_ argument: String) {
    name = argument
    path = argument == "-" ? nil : Array(argument.utf8CString)
  }

  /// The input named `argument`, with its NUL-terminated path: the two differ if a name is not UTF-8.
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

/// Finds the inputs named by the arguments of a command.
package struct InputWalk {
  package private(set) var inputs: [Input] = []
  /// Directories that could not be walked, with the reason.
  package private(set) var faults: [(member: Input, fault: InputFault)] = []
  /// The directories that were named.
  package private(set) var directories: [String] = []
  /// Members of directories that are not files: sockets, devices, pipes, links to nothing. With their kind.
  package private(set) var skipped: [(member: Input, reason: Message)] = []

  /// Directories nested deeper are reported and not entered: a guard against loops of mounts.
  private static let maxDepth = 128

  /// - Parameter arguments: paths, or `-` for standard input. Directories are walked in the byte order of
  ///   the names in each; links to directories are not followed.
  package init(_ arguments: [String]) {
    self.init(arguments.map { Input($0) })
  }

  /// - Parameters:
  ///   - named: the named inputs; directories among them are walked.
  ///   - paired: the halves of a pair of dumps, never walked.
  package init(_ named: [Input], paired: [Input] = []) {
    inputs = paired
    for input in named {
      guard let path = input.path, DirectoryEntry.kind(of: path, followingLinks: true) == S_IFDIR else {
        inputs.append(input)
        continue
      }
      directories.append(input.name)
      walk(Input(memberAt: path, of: input.name), name: input.name, depth: 0)
    }
  }

  /// - Parameter name: for messages; of a named directory as it was given.
  private mutating func walk(_ directory: Input, name: String, depth: Int) {
    guard let path = directory.path, let root = directory.directory else { return }
    func fault(_ message: Message) {
      var directory = directory
      directory.name = name
      faults.append((directory, InputFault(message)))
    }
    guard depth < Self.maxDepth else { return fault(.nestedTooDeep(limit: Self.maxDepth)) }
    guard let members = DirectoryEntry.names(in: path) else {
      return fault(.cannotBeListed(SystemError.text()))
    }
    for member in members {
      visit(Input(memberAt: DirectoryEntry.path(of: member, in: path), of: root), depth: depth)
    }
  }

  private mutating func visit(_ member: Input, depth: Int) {
    guard let path = member.path else { return }
    switch DirectoryEntry.kind(of: path, followingLinks: false) {
    case S_IFDIR: walk(member, name: member.name, depth: depth + 1)
    case S_IFREG: inputs.append(member)
    case S_IFLNK:
      switch DirectoryEntry.kind(of: path, followingLinks: true) {
      case S_IFREG: inputs.append(member)
      case S_IFDIR: skipped.append((member, .linkToDirectory))
      case nil: skipped.append((member, .brokenLink))
      default: skipped.append((member, .neitherFileNorDirectory))
      }
    default: skipped.append((member, .neitherFileNorDirectory))
    }
  }
}
