import Basics
import CLibarchive
import PacketCapture

/// Limits on what one input may unpack to, archives in archives included.
package struct ArchiveLimits: Sendable {
  package var maxMembers = 1_000_000
  /// Archives in each other; 0 reads none.
  package var maxDepth = 4
  package var maxContent = 64 << 30
}

package struct ArchiveMember: Equatable, Sendable {
  /// As in the archive; `..` and absolute names mean nothing, since nothing is written.
  package var name: String
  /// Offset of its header in the archive, from 0, after decompression.
  package var offset: Int
  /// Time of the last change in seconds since 1970.
  package var modified: Int?
  /// Why it is not read: a link, encrypted, or a device. Nil for files.
  package var obstacle: Message?
  /// Whether the obstacle hides evidence.
  package var isLost = false
}

/// An archive whose members are read one after another. Nothing is written to disk.
package final class Archive {
  package let format: ArchiveFormat
  private let limits: ArchiveLimits
  private let bytes: ArchiveBytes
  private let outer: Archive?
  private let left: Left
  /// Nil if there is an `error`.
  private var library: Libarchive?
  private var handle: OpaquePointer?
  /// Files of a zip that libarchive leaves out; nil before the end.
  private var leftOut: ArraySlice<ArchiveMember>?
  /// The bytes of the current member that libarchive has unpacked and that were not read yet, and their offset in the member.
  private var block = (offset: 0, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
  /// How many bytes of the current member were read.
  private var position = 0
  /// What is wrong with the current member, whose next bytes are there.
  private var warning: InputError?
  /// Why the current member ends early, or differs from its checksum.
  private(set) var memberError: InputError?
  /// Why members are missing.
  package private(set) var error: InputError?

  /// What the limits leave for an input and all archives in it.
  private final class Left {
    var members: Int
    var content: Int

    init(_ limits: ArchiveLimits) { (members, content) = (limits.maxMembers, limits.maxContent) }
  }

  /// - Parameters:
  ///   - head: the bytes that were read of `file`.
  ///   - outer: the archive that `file` is a member of.
  init(
    _ format: ArchiveFormat, in file: consuming InputFile, head: ArraySlice<UInt8>, limits: ArchiveLimits,
    outer: Archive?
  ) {
    (self.format, self.limits, self.outer) = (format, limits, outer)
    left = outer?.left ?? Left(limits)
    bytes = ArchiveBytes(file, head: head, seeks: format.isReadFromEnd)
    guard depth <= limits.maxDepth else {
      error = InputError(
        "is an archive within \(limits.maxDepth) others, which is not read: extract it, or use "
          + "--max-depth")
      return
    }
    guard let library = loadedLibarchive, let handle = library.archive_read_new() else {
      error = Self.noLibrary
      return
    }
    (self.library, self.handle) = (library, handle)
    bytes.attach(to: handle, library)
    _ = format.support(library)?(handle)
    // A tape may have several tars in a row.
    _ = library.archive_read_set_format_option(handle, "tar", "read_concatenated_archives", "1")
    if library.archive_read_open1(handle) != ARCHIVE_OK {
      error = readError { "the \($0) archive cannot be read (\($1)): look for another copy" }
    }
  }

  deinit { _ = library?.archive_read_free(handle) }

  /// Archives around this one, and this one.
  private var depth: Int { (outer?.depth ?? 0) + 1 }

  /// The next member; nil after the last one, or if there is an `error`.
  package func next() -> ArchiveMember? {
    (memberError, warning, position) = (nil, nil, 0)
    block = (0, UnsafeRawBufferPointer(start: nil, count: 0))
    if leftOut != nil { return leftOut?.popFirst() }
    while error == nil, let library {
      var entry: OpaquePointer?
      let result = library.archive_read_next_header(handle, &entry)
      if result == ARCHIVE_EOF {
        if format == .tar, !bytes.endsWithZeros {
          error = InputError(
            "the tar archive ends without its end mark: files may be missing; look for another copy")
        }
        let (repeated, reason) = format == .zip ? ZipList.read(in: bytes) : ([], nil)
        (leftOut, error) = (repeated[...], reason.map { InputError($0) } ?? error)
        if let end = contentEnd(library), bytes.hasMore(after: end) {
          error = InputError(
            "the \(format.rawValue) archive is followed by other data, which are not read: split the file, or "
              + "use carve")
        }
        return leftOut?.popFirst()
      }
      guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry else {
        error = readError {
          "the \($0) archive is damaged (\($1)): the files before that are used; look for another copy"
        }
        return nil
      }
      let kind = library.archive_entry_filetype(entry)
      if kind == S_IFDIR { continue }
      guard left.members > 0 else {
        error = InputError(
          "has more than \(limits.maxMembers) files: the others are not read; use --max-members")
        return nil
      }
      left.members -= 1
      return member(entry, isFile: kind == S_IFREG, library)
    }
    return nil
  }

  /// Offset of the byte after the last member and the list of members; nil where others look for what follows.
  private func contentEnd(_ library: Libarchive) -> Int? {
    switch format {
    case .zip, .tar: return nil
    // The longest header of the last entry, which is a mark with the name TRAILER!!!.
    case .cpio: return Int(clamping: library.archive_read_header_position(handle)) &+ 124
    case .sevenZip:
      // The offset of the list, after 32 bytes, and its length (7zFormat.txt, "SignatureHeader").
      guard bytes.seek(0, whence: SEEK_SET) != nil, case let head = bytes.next(), head.count >= 32 else {
        return nil
      }
      let numbers = [12, 20].map { head.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
      return numbers.reduce(32) { $0 &+ Int(truncatingIfNeeded: UInt64(littleEndian: $1)) }
    }
  }

  private func member(_ entry: OpaquePointer, isFile: Bool, _ library: Libarchive) -> ArchiveMember {
    // Not every name is UTF-8.
    let name = library.archive_entry_pathname_utf8(entry) ?? library.archive_entry_pathname(entry)
    var member = ArchiveMember(
      name: name.map { DirectoryEntry.text(of: UnsafeBufferPointer(start: $0, count: strlen($0))) } ?? "",
      offset: Int(clamping: library.archive_read_header_position(handle)))
    if library.archive_entry_mtime_is_set(entry) != 0 {
      member.modified = Int(library.archive_entry_mtime(entry))
    }
    // Of the names of a file, cpio has the content at the last.
    let isLink = library.archive_entry_hardlink(entry) != nil || library.archive_entry_nlink(entry) > 1
    if !isFile || isLink && library.archive_entry_size(entry) == 0 {
      member.obstacle = "a link or device in an archive"
    } else if library.archive_entry_is_data_encrypted(entry) != 0 {
      member.obstacle = "is encrypted in the archive: extract it with its password"
      member.isLost = true
    }
    return member
  }

  /// The next bytes of the current member; 0 at its end, or if there is a `memberError`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard memberError == nil, error == nil, let library, let base = buffer.baseAddress else { return 0 }
    guard position < block.offset || !block.bytes.isEmpty || readBlock(library) else { return 0 }
    let room = min(buffer.count, left.content)
    guard room > 0 else {
      error = tooLarge
      memberError = error
      return 0
    }
    // Archives leave out long runs of zeros.
    let zeros = min(room, block.offset - position)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
    let copied = min(room - zeros, block.bytes.count)
    if let source = block.bytes.baseAddress {
      (base + zeros).copyMemory(from: source, byteCount: copied)
      block = (block.offset + copied, UnsafeRawBufferPointer(rebasing: block.bytes[copied...]))
    }
    left.content -= zeros + copied
    position += zeros + copied
    return zeros + copied
  }

  /// Unpacks the next bytes of the current member; false at its end, and if there is a `memberError`. `archive_read_data` would
  /// drop bytes where it warns, as of a wrong checksum.
  private func readBlock(_ library: Libarchive) -> Bool {
    while warning == nil {
      var (start, count, offset) = (UnsafeRawPointer?.none, 0, Int64(0))
      let result = library.archive_read_data_block(handle, &start, &count, &offset)
      if result == ARCHIVE_EOF {
        // A sparse file of tar may end with zeros.
        block = (Int(offset), UnsafeRawBufferPointer(start: nil, count: 0))
        return position < block.offset
      }
      if result == ARCHIVE_RETRY { continue }
      guard result == ARCHIVE_OK || result == ARCHIVE_WARN, offset >= position else {
        memberError = readError {
          "is damaged in the \($0) archive (\($1)): the content before that is used; look for another copy"
        }
        return false
      }
      if result == ARCHIVE_WARN {
        warning = readError {
          "is damaged in the \($0) archive (\($1)): some of its bytes are wrong or missing; look for another copy"
        }
      }
      block = (Int(offset), UnsafeRawBufferPointer(start: start, count: count))
      if position < block.offset || count > 0 { return true }
    }
    memberError = warning
    return false
  }

  private static let noLibrary = InputError(
    "is an archive, and libarchive, which reads it, is missing: install libarchive, or extract the files")

  private var tooLarge: InputError {
    InputError(
      "unpacks to more than \(ByteSize.text(limits.maxContent)): the rest is not read; use --max-content")
  }

  /// - Parameter message: says what failed, for the reason of libarchive.
  private func readError(_ message: (_ format: String, _ reason: String) -> Message) -> InputError {
    if let error = bytes.error { return error }
    guard let library else { return Self.noLibrary }
    if library.archive_read_has_encrypted_entries(handle) > 0 {
      return InputError("the \(format.rawValue) archive is encrypted: extract its files with the password")
    }
    let reason = library.archive_error_string(handle).map { String(cString: $0) }
    return InputError(message(format.rawValue, reason ?? "libarchive gives no reason"))
  }

  /// How far the file on disk has been read, in bytes.
  package var diskPosition: Int { outer?.diskPosition ?? bytes.diskPosition }

  /// Reads the rest of the archive's file: how long it is on disk and decompressed, and its digests if requested.
  func finish() -> (bytes: Int, contentBytes: Int, digests: FileDigests) {
    if error == nil, !bytes.readRest(limit: left.content) { error = tooLarge }
    if error == nil { error = bytes.error }
    return bytes.finish()
  }
}

extension ArchiveFormat {
  /// libarchive's function that reads it.
  fileprivate func support(_ library: Libarchive) -> ((OpaquePointer?) -> Int32)? {
    switch self {
    case .zip: library.archive_read_support_format_zip
    case .tar: library.archive_read_support_format_tar
    case .cpio: library.archive_read_support_format_cpio
    case .sevenZip: library.archive_read_support_format_7zip
    }
  }
}

/// libarchive, loaded for the first archive; nil if it is missing. It and its dependencies take longer to load than a
/// command to start.
private let loadedLibarchive: Libarchive? = {
  // It converts names to the character set of the locale.
  _ = setlocale(LC_CTYPE, "C.UTF-8")
  return SharedLibrary(
    Libarchive(), libarchive_find, linux: ["libarchive.so.13"],
    macOS: ["opt/libarchive/lib/libarchive.13.dylib", "/usr/lib/libarchive.2.dylib"]
  ).functions
}()
