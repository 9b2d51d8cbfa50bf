import Basics
import PacketCapture

/// One thing to read: a file by its path, standard input, or a member of an archive.
package struct Input: Equatable, Sendable {
  /// The input's name in reports: as given; in a directory its path; `-` for standard input.
  package var name: String
  /// The path for system calls, NUL-terminated: not every file name is UTF-8. Nil is standard input, or a member.
  package var path: [CChar]?
  /// Paths of the other parts of a split image.
  package fileprivate(set) var parts: [[CChar]] = []
  /// The member of an archive that it is; the archive's name begins the input's, followed by `!`.
  package private(set) var member: ArchiveMember?
  /// The name of that archive; all its members share the text.
  package private(set) var archive: String?
  /// The name of the member that was named instead of the archive; nil reads all members.
  package private(set) var wantedMember: String?
  /// The named directory that contains it; nil if the input itself was named. Files of no known format are skipped in
  /// a directory, but read if they were named.
  package var directory: String?
  /// The direction of a connection it contains, if two dumps were named as a pair.
  package var half: Half?
  /// What it is to the run, as `ReadFiles` has it.
  private(set) var use = ReadFiles.input

  /// The name of the input whose capture it continues; nil if it begins one.
  package private(set) var continues: String?
  /// Whether the next input continues its capture.
  private(set) var isContinued = false
  /// Whether it is one of several files that form one stream or capture.
  package var isShared: Bool { half != nil || continues != nil || isContinued }

  /// A direction of a pair of dumps.
  package enum Half: Sendable {
    /// The client's bytes; read first.
    case requests
    /// The server's bytes.
    case responses
  }

  package var isMember: Bool { member != nil }

  package var isNamed: Bool { directory == nil && !isMember }

  /// What the file system says of it now; nil if it is no file.
  package var status: FileStatus? { path.flatMap { FileStatus(at: $0) } }

  /// Size of a regular file, in bytes, other parts of an image included; nil for anything else.
  package var size: Int? {
    guard let path, let size = Self.size(of: path) else { return nil }
    return parts.reduce(size) { $0 &+ (Self.size(of: $1) ?? 0) }
  }

  static func size(of path: [CChar]) -> Int? { FileStatus(at: path)?.size }

  /// The input named `argument`, with its NUL-terminated path: the two differ if a name is not UTF-8.
  package init(_ argument: String, path: [CChar]? = nil) {
    name = argument
    self.path = argument == "-" ? nil : path ?? Array(argument.utf8CString)
  }

  /// The input named by an argument of the command line, with the bytes of its path.
  package init(argument: String, from paths: inout ArgumentPaths) {
    let path = paths.path(of: argument)
    self.init(argument == "-" ? argument : DirectoryEntry.text(of: path), path: path)
  }

  /// The same as the file of an option, such as `--keys`.
  package func of(option: String) -> Input {
    var file = self
    file.use = "the file of \(option)"
    return file
  }

  /// Notes that the run reads it: outputs do not replace it.
  package func register() {
    if isMember { return }
    for path in [path ?? Array("/dev/stdin".utf8CString)] + parts { ReadFiles.add(path, as: use) }
  }

  init(at path: [CChar], in directory: String?) {
    name = DirectoryEntry.text(of: path)
    self.path = path
    self.directory = directory
  }

  package func member(_ member: ArchiveMember) -> Input {
    var input = Input("\(name)!\(member.name)")
    (input.path, input.member, input.archive) = (nil, member, name)
    (input.directory, input.wantedMember) = (directory, wantedMember)
    return input
  }

  /// Whether it, or an archive around it, was named, or no single member was.
  package var isWanted: Bool { !isMember || isOfWanted || wantedMember?.hasPrefix(name + "!") ?? false }

  /// The same without archives around the single member.
  var isOfWanted: Bool { wantedMember.map { name == $0 || name.hasPrefix($0 + "!") } ?? true }

  /// The archive, if it is named with a member as `ARCHIVE!MEMBER`; else itself. A file with that name comes first.
  fileprivate var namedArchive: Input {
    guard let path, DirectoryEntry.kind(of: path, followingLinks: true) == nil else { return self }
    let mark = CChar(bitPattern: UInt8(ascii: "!"))
    for end in path.indices where path[end] == mark && DirectoryEntry.isRegularFile(path[..<end] + [0]) {
      var archive = self
      archive.path = path[..<end] + [0]
      archive.name = DirectoryEntry.text(of: path[..<end] + [0])
      archive.wantedMember = archive.name + DirectoryEntry.text(of: path[end...])
      return archive
    }
    return self
  }

  /// The other parts of the split image as files of their own.
  package var otherParts: [Input] { parts.map { Input(at: $0, in: directory) } }

  /// The files of one capture, in order.
  static func joined(_ files: [Input]) -> [Input] {
    files.indices.map { index in
      var file = files[index]
      file.isContinued = index < files.count - 1
      file.continues = index > 0 ? files[index - 1].name : nil
      return file
    }
  }
}

/// Finds the inputs named by the arguments of a command.
package struct InputWalk {
  package internal(set) var inputs: [Input] = []
  /// Directories that could not be walked, with the reason.
  package private(set) var errors: [(member: Input, error: InputError)] = []
  package private(set) var directories: [String] = []
  /// Members of directories that are not files: sockets, devices, pipes, links to nothing. With their kind.
  package private(set) var skipped: [(member: Input, reason: Message)] = []
  /// Members of directories that were left alone because of their names.
  package private(set) var hidden: [Input] = []
  private let leavesHidden: Bool
  /// Paths of parts of split images, which are read with the first one.
  private var parts: Set<[CChar]> = []

  /// Directories nested deeper are reported and not entered: a guard against loops of mounts.
  private static let maxDepth = 128

  /// - Parameter arguments: paths, or `-` for standard input. Directories are walked in the byte order of
  ///   the names in each; links to directories are not followed.
  package init(_ arguments: [String]) { self.init(arguments.map { Input($0) }) }

  /// - Parameters:
  ///   - named: the named inputs; directories among them are walked.
  ///   - paired: the halves of a pair of dumps, never walked.
  ///   - leavesHidden: whether names that begin with a dot are left alone in directories. Programs give such names to
  ///     files that are not complete.
  package init(_ named: [Input], paired: [Input] = [], leavesHidden: Bool = false) {
    self.leavesHidden = leavesHidden
    inputs = paired
    for input in named {
      guard let path = input.path, DirectoryEntry.kind(of: path, followingLinks: true) == S_IFDIR else {
        add(input.namedArchive)
        continue
      }
      directories.append(input.name)
      walk(Input(at: path, in: input.name), name: input.name, depth: 0)
    }
    if !parts.isEmpty { inputs.removeAll { $0.path.map(parts.contains) ?? false } }
  }

  /// Adds the file with the other parts of the split image that it begins.
  private mutating func add(_ input: Input) {
    var input = input
    input.parts = input.path.map { SplitImage.parts(after: $0) } ?? []
    parts.formUnion(input.parts)
    inputs.append(input)
  }

  /// - Parameter name: for messages; of a named directory as it was given.
  private mutating func walk(_ directory: Input, name: String, depth: Int) {
    guard let path = directory.path, let root = directory.directory else { return }
    func error(_ message: Message) {
      var directory = directory
      directory.name = name
      errors.append((directory, InputError(message)))
    }
    guard depth < Self.maxDepth else {
      return error("nested more than \(Self.maxDepth) directories deep; name it directly")
    }
    guard let members = DirectoryEntry.names(in: path) else {
      return error("cannot be listed: \(SystemError.text())")
    }
    for name in members {
      let member = Input(at: DirectoryEntry.path(of: name, in: path), in: root)
      let isHidden = leavesHidden && name.first == CChar(bitPattern: UInt8(ascii: "."))
      if isHidden { hidden.append(member) } else { visit(member, depth: depth) }
    }
  }

  private mutating func visit(_ member: Input, depth: Int) {
    guard let path = member.path else { return }
    let kind = DirectoryEntry.kind(of: path, followingLinks: false)
    let isLink = kind == S_IFLNK
    switch isLink ? DirectoryEntry.kind(of: path, followingLinks: true) : kind {
    case S_IFREG: add(member)
    case S_IFDIR where isLink: skipped.append((member, "a link to a directory"))
    case S_IFDIR: walk(member, name: member.name, depth: depth + 1)
    case nil where isLink: skipped.append((member, "a broken link"))
    case nil: errors.append((member, InputError("cannot be read: \(SystemError.text())")))
    default: skipped.append((member, "neither a file nor a directory"))
    }
  }
}
