/// A directory of outputs, whose files appear in it only when all of them are whole.
package final class OutputDirectory {
  /// The path as it was named.
  package let name: String
  /// Where the files are made.
  let workPath: String
  private var isFinished = false
  /// Names of the files that were made, in order.
  private var files: [String] = []

  /// The directory `path`, which is made if missing; one that holds anything only with `force`.
  package init(_ path: String, force: Bool) throws {
    name = path
    if path.isEmpty || path == "-" {
      throw Failure("streams are written to a directory: name one with -o")
    }
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw Failure("\(path) is no directory: name a directory to write streams to")
      }
      if !force, !Self.isEmpty(path) {
        throw Failure(
          "\(path) holds files already: name another directory, or give --force to write among them")
      }
    } else if mkdir(path, 0o777) != 0 {
      throw Failure("\(path) cannot be made: \(SystemError.text())")
    }
    guard let workPath = TemporaryPath.makeDirectory("\(path)/.apnsift-") else {
      throw Failure("\(path) cannot be written: \(SystemError.text())")
    }
    Interruption.remember()
    self.workPath = workPath
  }

  deinit {
    if !isFinished {
      for file in files { _ = unlink("\(workPath)/\(file)") }
    }
    _ = rmdir(workPath)
  }

  /// Opens the file `file` to append to it; it is made if missing.
  package func open(_ file: String, isNew: Bool) throws -> Int32 {
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
    let descriptor = Platform.open("\(workPath)/\(file)", flags, 0o666)
    guard descriptor >= 0 else { throw failure(file) }
    if isNew { files.append(file) }
    return descriptor
  }

  package func failure(_ file: String, _ number: Int32 = errno) -> Failure {
    Failure("\(name)/\(file) cannot be written: \(SystemError.text(number))")
  }

  /// All files are whole: they get their places.
  package func finish() throws {
    // The catalogue comes last: where it is, all is there.
    for file in files.dropFirst() + files.prefix(1) {
      guard rename("\(workPath)/\(file)", "\(name)/\(file)") == 0 else { throw failure(file) }
    }
    isFinished = true
  }

  private static func isEmpty(_ path: String) -> Bool {
    guard let stream = opendir(path) else { return false }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count <= 2  // `.` and `..`
  }
}
