import Reports
import StreamSources
import WireBytes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a command's data goes: standard output, or a file that appears under its name only when it is
/// whole.
final class OutputFile: ByteSink {
  private let descriptor: Int32
  /// The name that it is to have, for messages.
  private let name: String
  /// The name that it has until it is whole; nil where it is written in place.
  private var temporaryName: String?

  /// Whether colour makes sense on standard output: on a terminal, unless NO_COLOR forbids it.
  static var isColoured: Bool {
    let forbidden = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return isatty(STDOUT_FILENO) == 1 && !forbidden
  }

  /// Standard output.
  init() {
    descriptor = STDOUT_FILENO
    name = "standard output"
  }

  /// The file `path`, which may exist only with `force`; devices and pipes are written in place.
  init(_ path: String, force: Bool) throws {
    name = path
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT == S_IFDIR {
      throw Failure("\(path) is a directory: name a file to write")
    }
    if exists, status.st_mode & S_IFMT != S_IFREG {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else if exists, !force {
      throw Failure("\(path) exists already: name another file, or give --force to replace it")
    } else {
      var template = Array("\(path).apnsift-XXXXXX".utf8CString)
      descriptor = mkstemp(&template)
      temporaryName = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
      if descriptor >= 0 {
        let mask = umask(0)
        _ = umask(mask)
        _ = fchmod(descriptor, 0o666 & ~mask)
      }
    }
    guard descriptor >= 0 else {
      temporaryName = nil
      throw Failure("\(path) cannot be created: \(SystemError.text())")
    }
    if let temporaryName { UnfinishedFiles.add(temporaryName) }
  }

  deinit {
    if let temporaryName {
      _ = unlink(temporaryName)
      UnfinishedFiles.remove(temporaryName)
    }
    if descriptor != STDOUT_FILENO { _ = close(descriptor) }
  }

  func write(_ bytes: RawSpan) throws {
    try bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        #if canImport(Glibc)
          let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        #else
          let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
        #endif
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EPIPE { throw ClosedPipe() }
        guard count > 0 else { throw Failure("\(name) cannot be written: \(SystemError.text())") }
        done += count
      }
    }
  }

  /// The file is whole: it gets its name.
  func finish() throws {
    guard let temporaryName else { return }
    guard fsync(descriptor) == 0 || errno == EINVAL, rename(temporaryName, name) == 0 else {
      throw Failure("\(name) cannot be written: \(SystemError.text())")
    }
    self.temporaryName = nil
    UnfinishedFiles.remove(temporaryName)
  }
}

/// The temporary names of outputs, which are taken away where a signal ends the process.
enum UnfinishedFiles {
  /// No command has more outputs.
  private static let capacity = 4
  /// Read by a signal handler, so it is plain memory: a name each, or nil.
  nonisolated(unsafe) private static let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
    capacity: capacity)
  nonisolated(unsafe) private static var isArmed = false

  static func add(_ name: String) {
    if !isArmed {
      isArmed = true
      names.initialize(repeating: nil, count: capacity)
      for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { UnfinishedFiles.leave(by: $0) } }
    }
    if let free = (0..<capacity).first(where: { names[$0] == nil }) { names[free] = strdup(name) }
  }

  static func remove(_ name: String) {
    guard isArmed else { return }
    for index in 0..<capacity {
      guard let known = names[index], String(cString: known) == name else { continue }
      names[index] = nil
      free(known)
    }
  }

  /// Runs in a signal handler: nothing but system calls that are safe there.
  private static func leave(by number: Int32) {
    for index in 0..<capacity {
      if let name = names[index] { _ = unlink(name) }
    }
    signal(number, SIG_DFL)
    raise(number)
  }
}
