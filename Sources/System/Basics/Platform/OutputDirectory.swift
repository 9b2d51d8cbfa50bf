/// A directory of outputs, whose files appear in it only when all of them are complete. Only the user may read them: tokens are
/// personal data.
package final class OutputDirectory {
  /// The path as the user gave it.
  package let name: String
  /// The temporary directory in which the files are written.
  let workPath: String
  /// Whether the directory did not exist before.
  private let isNew: Bool
  private var isFinished = false
  /// Names of the files, in the order of their creation.
  private var files: [String] = []

  /// The paths of the files, once they are complete.
  package var paths: [String] { files.map { "\(name)/\($0)" } }

  /// Opens the directory `path`, or creates it. A directory that is not empty requires `force`.
  package init(_ path: String, force: Bool) throws {
    name = path
    if path.isEmpty || path == "-" {
      throw CommandError("streams are written to a directory: name one with -o")
    }
    if let kind = DirectoryEntry.kind(of: Array(path.utf8CString), followingLinks: true) {
      guard kind == S_IFDIR else {
        throw CommandError("\(path) is not a directory: name a directory to write streams to")
      }
      if !force, DirectoryEntry.names(in: Array(path.utf8CString))?.isEmpty != true {
        throw CommandError("\(path) is not empty: name another directory, or give --force to add files to it")
      }
      isNew = false
    } else {
      guard UnfinishedFiles.makeDirectory({ mkdir(path, 0o700) == 0 ? path : nil }) != nil else {
        throw CommandError(.outputNotCreated(path, SystemError.text()))
      }
      isNew = true
    }
    guard let workPath = TemporaryPath.makeDirectory("\(path)/.apnsift-") else {
      let error = CommandError(.outputNotWritten(path, SystemError.text()))
      if isNew { UnfinishedFiles.end([], directories: [path]) { _ = rmdir(path) } }
      throw error
    }
    self.workPath = workPath
  }

  deinit {
    if isFinished { return }
    UnfinishedFiles.end(workFiles, directories: [workPath, name]) {
      for file in workFiles { _ = unlink(file) }
      _ = rmdir(workPath)
      if isNew { _ = rmdir(name) }
    }
  }

  private var workFiles: [String] { files.map { "\(workPath)/\($0)" } }

  /// Opens the file `file` to append to it, or creates it if `isNew`.
  package func open(_ file: String, isNew: Bool) throws -> Int32 {
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
    let path = "\(workPath)/\(file)"
    if isNew { try ReadFiles.check("\(name)/\(file)") }
    func open() -> Int32? {
      let descriptor = Basics.open(path, flags, 0o600)
      return descriptor >= 0 ? descriptor : nil
    }
    let opened = isNew ? UnfinishedFiles.make { open().map { ($0, path) } } : open()
    guard let opened else { throw writeError(file) }
    if isNew { files.append(file) }
    return opened
  }

  package func makeFile(_ file: String) throws -> OutputFile {
    OutputFile(descriptor: try open(file, isNew: true), name: "\(name)/\(file)")
  }

  package func writeError(_ file: String, _ number: Int32 = errno) -> CommandError {
    CommandError(.outputNotWritten("\(name)/\(file)", SystemError.text(number)))
  }

  /// Moves all files, which are complete, to the directory: all of them, or none.
  package func finish() throws {
    for path in paths { try ReadFiles.check(path) }
    try UnfinishedFiles.end(workFiles, directories: [workPath, name]) {
      // The catalogue comes last: if it exists, all files do.
      var moved: [String] = []
      for file in files.dropFirst() + files.prefix(1) {
        guard rename("\(workPath)/\(file)", "\(name)/\(file)") == 0 else {
          let error = writeError(file)
          for file in moved { _ = unlink("\(name)/\(file)") }
          throw error
        }
        moved.append(file)
      }
      isFinished = true
      _ = rmdir(workPath)
    }
  }
}
