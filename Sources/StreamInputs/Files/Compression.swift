import Messages
import WireBytes

/// The compression of a file. One layer is decompressed, whatever the file's name.
package enum Compression: String, CaseIterable, Sendable {
  case gzip, zstd, lz4

  /// Bytes of a file's beginning needed to detect a compression.
  static let headLength = 64 << 10

  /// The compression of the file that begins with `head`; nil if it is not compressed.
  ///
  /// Tuples may begin with such bytes, too: those of skippable frames are times between 2012 and 2020. So the first
  /// fields must be valid, and skippable frames must be followed by a frame with content.
  init?(of head: ArraySlice<UInt8>) {
    var head = head
    while let length = Self.skippableLength(head), length <= head.count { head = head.dropFirst(length) }
    guard let found = Self.allCases.first(where: { $0.begins(head) }) else { return nil }
    self = found
  }

  /// Whether `head` may begin with a skippable frame, so that more than a few bytes are needed.
  static func mayBeSkippable(_ head: ArraySlice<UInt8>) -> Bool { skippableLength(head) != nil }

  /// Length in bytes of the skippable frame at the start of `head` (RFC 8878, section 3.1.2; lz4 has the same): a
  /// magic number, the length of the rest as a little-endian u32, and the rest.
  private static func skippableLength(_ head: ArraySlice<UInt8>) -> Int? {
    let bytes = Array(head.prefix(8))
    guard bytes.count == 8, bytes[0] & 0xf0 == 0x50, bytes[1...3] == [0x2a, 0x4d, 0x18] else { return nil }
    return 8 + bytes[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The first bytes of a frame, in gzip of a member.
  private var magic: [UInt8] {
    switch self {
    case .gzip: [0x1f, 0x8b, 8]  // the last is the method, deflate
    case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
    case .lz4: [0x04, 0x22, 0x4d, 0x18]
    }
  }

  /// Whether a frame with content plausibly begins here, by the few bytes after its magic number. If the file ends
  /// before them, the magic number decides.
  private func begins(_ head: ArraySlice<UInt8>) -> Bool {
    guard head.starts(with: magic) else { return false }
    guard let flags = head.dropFirst(magic.count).first else { return true }
    return switch self {
    case .gzip: flags & 0xe0 == 0  // RFC 1952, section 2.3.1: reserved bits must be zero
    case .zstd: flags & 0x08 == 0  // RFC 8878, section 3.1.1.1.1: the reserved bit
    case .lz4: flags & 0xc2 == 0x40  // LZ4 frame format, FLG: version 01, a reserved bit
    }
  }

  /// Kind of the bytes after a frame.
  enum Boundary {
    case frame, padding, garbage
  }

  /// - Parameter bytes: at least 4, or all up to the end of the file; not empty.
  func boundary(_ bytes: ArraySlice<UInt8>) -> Boundary {
    // Tapes and disk images pad a file with zeros, which gzip itself skips.
    if self == .gzip, bytes.first == 0 { return .padding }
    let start = Array(bytes.prefix(4))
    if self != .gzip, start[0] & 0xf0 == 0x50, Array([0x2a, 0x4d, 0x18]).starts(with: start.dropFirst()) {
      return .frame
    }
    // A file that ends within a magic number is truncated.
    return magic.starts(with: start.prefix(magic.count)) ? .frame : .garbage
  }
}

/// Signatures of unsupported archives and compressions.
///
/// A raw dump may begin with any time, and so with most magic numbers: `PK` 03 04 is 2012-09-08T08:31:48Z. So further
/// bytes are checked that no tuple has.
enum ArchiveSignature: String, CaseIterable {
  case zip, tar, xz, bzip2
  case sevenZip = "7z"

  /// The command that extracts `FILE` to standard output.
  private var extractCommand: String {
    switch self {
    case .zip: "unzip -p FILE"
    case .tar: "tar -xOf FILE"
    case .xz: "xz -dc FILE"
    case .bzip2: "bzip2 -dc FILE"
    case .sevenZip: "7z x -so FILE"
    }
  }

  /// The same for standard input; nil if the tool needs a file.
  private var pipeCommand: String? {
    switch self {
    case .zip, .sevenZip: nil
    case .tar: "tar -xOf -"
    case .xz: "xz -dc"
    case .bzip2: "bzip2 -dc"
    }
  }

  /// Whether it may contain several files.
  private var isArchive: Bool {
    switch self {
    case .zip, .tar, .sevenZip: true
    case .xz, .bzip2: false
    }
  }

  /// Why it is not read, and the remedy; the archive may itself be inside `compression`.
  func problem(inside compression: Compression?) -> Message {
    var command: String? = extractCommand
    if let compression { command = pipeCommand.map { "\(compression.rawValue) -dc FILE | \($0)" } }
    return .packed(rawValue, isArchive: isArchive, inside: compression?.rawValue, command: command)
  }

  /// The signature at the start of `head`; nil if there is none.
  init?(of head: [UInt8]) {
    guard let found = Self.allCases.first(where: { $0.begins(head) }) else { return nil }
    self = found
  }

  private func begins(_ head: [UInt8]) -> Bool {
    switch self {
    case .zip: Self.beginsZip(head)
    case .tar: Self.beginsTar(head)
    // Both magic numbers extend into a tuple's length, which would be 23040 and 10012.
    case .xz: head.starts(with: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])
    case .sevenZip: head.starts(with: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c])
    case .bzip2: Self.beginsBzip2(head)
    }
  }

  /// A local file header (APPNOTE, section 4.3.7): its signature, the version needed, flags, and the method. The
  /// version is at the offset of a tuple's token length, which would be 2560 at least.
  private static func beginsZip(_ head: [UInt8]) -> Bool {
    guard head.count >= 10, head.starts(with: [0x50, 0x4b, 3, 4]) else { return false }
    let version = head[4]  // 10 times the version, 1.0 to 6.3
    let method = UInt16(head[9]) << 8 | UInt16(head[8])
    return (10...63).contains(version) && zipMethods.contains(method)
  }

  /// Section 4.4.5: the methods in use; 99 is encryption.
  private static let zipMethods: Set<UInt16> = [0, 1, 6, 8, 9, 12, 14, 93, 95, 96, 97, 98, 99]

  /// The magic number with its level, and that of a block, the digits of pi.
  private static func beginsBzip2(_ head: [UInt8]) -> Bool {
    guard head.count >= 10, head.starts(with: Array("BZh".utf8)) else { return false }
    return (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(head[3])
      && head[4..<10].elementsEqual([0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
  }

  /// A header of POSIX or GNU tar: `ustar` at 257, and the sum of its bytes in octal at 148, where the sum's own
  /// field counts as blanks.
  private static func beginsTar(_ head: [UInt8]) -> Bool {
    guard head.count >= 512, head[257..<262].elementsEqual("ustar".utf8) else { return false }
    let field = 148..<156
    let digits = head[field].drop { $0 == UInt8(ascii: " ") }.prefix { (0x30...0x37).contains($0) }
    let expected = digits.reduce(0) { $0 << 3 | Int($1 & 7) }
    let sum = head[..<512].indices.reduce(0) { $0 + (field.contains($1) ? 0x20 : Int(head[$1])) }
    return !digits.isEmpty && expected == sum
  }
}
