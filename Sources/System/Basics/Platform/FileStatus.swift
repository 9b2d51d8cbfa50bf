/// What the file system says of a file: metadata, without its content.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case file, directory, link, pipe, socket
    case characterDevice = "character-device"
    case blockDevice = "block-device"

    fileprivate static let ofMode: [mode_t: Kind] = [
      S_IFREG: .file, S_IFDIR: .directory, S_IFLNK: .link, S_IFIFO: .pipe, S_IFSOCK: .socket,
      S_IFCHR: .characterDevice, S_IFBLK: .blockDevice,
    ]
  }

  /// Of the path itself: a link is not followed.
  package var kind: Kind
  /// Bytes of a regular file, or of the one that a link leads to; nil for anything else.
  package var size: Int?
  /// Time of the last modification, in seconds since 1970 and nanoseconds: of the same file as `size`, else of the
  /// path itself.
  package var modifiedAt: (seconds: Int64, nanoseconds: UInt32)
  /// Where a link leads, as it is written; NUL-terminated.
  package var linkTarget: [CChar]?

  /// The file at the NUL-terminated `path`; nil if it does not exist.
  package init?(at path: [CChar]) {
    var own = stat()
    guard lstat(path, &own) == 0, let kind = Kind.ofMode[own.st_mode & S_IFMT] else { return nil }
    var followed = stat()
    let isLinkToFile = kind == .link && stat(path, &followed) == 0 && followed.st_mode & S_IFMT == S_IFREG
    self.init(kind, isLinkToFile ? followed : own)
    if kind == .link { linkTarget = Self.target(of: path) }
  }

  /// The file of an open descriptor; nil if it is not open.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let kind = Kind.ofMode[status.st_mode & S_IFMT] else { return nil }
    self.init(kind, status)
  }

  private init(_ kind: Kind, _ status: stat) {
    self.kind = kind
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    modifiedAt = (Int64(time.tv_sec), UInt32(clamping: time.tv_nsec))
  }

  private static func target(of path: [CChar]) -> [CChar]? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink(path, &target, target.count - 1)
    return count < 0 ? nil : target[..<count] + [0]
  }

  package static func == (left: FileStatus, right: FileStatus) -> Bool {
    left.kind == right.kind && left.size == right.size && left.modifiedAt == right.modifiedAt
      && left.linkTarget == right.linkTarget
  }
}
