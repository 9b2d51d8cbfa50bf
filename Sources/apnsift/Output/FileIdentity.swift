#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which file or directory something is, whatever names it has.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t
  /// Whether it is an ordinary file, and no directory, pipe or device.
  let isRegular: Bool

  /// What `path`, NUL-terminated, leads to; nil where that is nothing.
  init?(at path: [CChar]) {
    var status = stat()
    let result = path.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { stat($0, &status) } ?? -1
    }
    guard result == 0 else { return nil }
    self.init(status)
  }

  /// What an open descriptor belongs to; nil where it is not open.
  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }
}
