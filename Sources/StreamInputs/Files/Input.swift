import Platform

/// One thing to read: a file by its path, or standard input.
package struct Input: Equatable, Sendable {
  /// The input as reports name it: as it was given, in a directory its path, `-` for standard input.
  package var name: String
  /// The path as the system takes it, NUL-terminated: not every file name is UTF-8. Nil is standard input.
  package var path: [CChar]?
  /// The directory that a user named and that it lies in; nil where the input itself was named. What lies
  /// in a directory and is recognised as nothing is passed over; what was named is read all the same.
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
