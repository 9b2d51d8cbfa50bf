import Synchronization

/// The files that this run reads, whatever for. No output replaces one, and a manifest lists those of options.
package enum ReadFiles {
  /// - Parameters:
  ///   - path: NUL-terminated.
  ///   - use: what it is to the run, such as `the file of --keys`.
  package typealias File = (path: [CChar], use: String)

  /// The uses of evidence and of token stores.
  package static let (input, store) = ("one of the inputs", "the store")

  private static let files = Mutex<(byIdentity: [FileIdentity: File], ofOptions: [File])>(([:], []))

  /// The files that are no inputs, in the order in which they were read first.
  package static var ofOptions: [File] { files.withLock { $0.ofOptions } }

  /// Notes a file that is read. Evidence stays evidence, whatever else it is.
  package static func add(_ path: [CChar], as use: String) {
    let identity = FileIdentity(at: path)
    files.withLock { files in
      if use != input, !files.ofOptions.contains(where: { $0 == (path, use) }) {
        files.ofOptions.append((path, use))
      }
      guard let identity, identity.isRegular else { return }
      if use == input || files.byIdentity[identity] == nil { files.byIdentity[identity] = (path, use) }
    }
  }

  /// The file of that identity, under whatever name; nil if it is not read, or was removed.
  private static func file(_ identity: FileIdentity?) -> File? {
    guard let identity, let file = files.withLock({ $0.byIdentity[identity] }) else { return nil }
    // The number of a removed file may be that of a new one.
    return FileIdentity(at: file.path) == identity ? file : nil
  }

  /// The use of the file at `path`, or of the database that SQLite keeps it for; nil if it is not read.
  package static func use(of path: String) -> String? {
    let database = ["-wal", "-shm", "-journal"].first { path.hasSuffix($0) }
      .flatMap { file(FileIdentity(at: Array(String(path.dropLast($0.count)).utf8CString))) }
    if database?.use == store { return "a file of \(store)" }
    return file(FileIdentity(at: Array(path.utf8CString)))?.use
  }

  /// Throws a `CommandError` if writing `path` would change a file that is read for another use than `expected`.
  package static func check(_ path: String, besides expected: String? = nil) throws {
    if let use = use(of: path), use != expected {
      throw CommandError("\(path) is \(use): name another file to write")
    }
  }

  /// The same for an open descriptor.
  package static func check(_ descriptor: Int32 = STDOUT_FILENO, named name: String = "standard output")
    throws
  {
    guard let file = file(FileIdentity(of: descriptor)) else { return }
    throw CommandError(
      "\(name) (\(DirectoryEntry.text(of: file.path))) is \(file.use): name another file to write")
  }
}
