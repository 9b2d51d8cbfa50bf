/// The compression of a file. One layer is decompressed, whatever the file's name.
package enum Compression: String, CaseIterable, Sendable {
  case gzip, zstd, lz4, xz, bzip2

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
    // Into a tuple's length, which would be 23040.
    case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]
    case .bzip2: Array("BZh".utf8)
    }
  }

  /// A block of bzip2 begins with the digits of pi, the end of an empty stream with those of its square root.
  private static let bzip2Blocks: [[UInt8]] = [
    [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
  ]

  /// Whether a frame with content plausibly begins here, by the few bytes after its magic number. If the file ends
  /// before them, the magic number decides.
  private func begins(_ head: ArraySlice<UInt8>) -> Bool {
    guard head.starts(with: magic) else { return false }
    guard let flags = head.dropFirst(magic.count).first else { return true }
    return switch self {
    case .gzip: flags & 0xe0 == 0  // RFC 1952, section 2.3.1: reserved bits must be zero
    case .zstd: flags & 0x08 == 0  // RFC 8878, section 3.1.1.1.1: the reserved bit
    case .lz4: flags & 0xc2 == 0x40  // LZ4 frame format, FLG: version 01, a reserved bit
    case .xz: flags == 0  // xz file format, section 2.1.1.2: a reserved byte
    case .bzip2:
      (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(flags)
        && Self.bzip2Blocks.contains { $0.starts(with: head.dropFirst(4).prefix(6)) }
    }
  }

  enum Boundary { case frame, padding, garbage }

  /// - Parameter bytes: at least 4, or all up to the end of the file; not empty.
  func boundary(_ bytes: ArraySlice<UInt8>) -> Boundary {
    // Tapes and disk images pad a file with zeros, which gzip itself skips; so does xz.
    if self == .gzip || self == .xz, bytes.first == 0 { return .padding }
    let start = Array(bytes.prefix(4))
    if self == .zstd || self == .lz4, start[0] & 0xf0 == 0x50,
      Array([0x2a, 0x4d, 0x18]).starts(with: start.dropFirst())
    {
      return .frame
    }
    // A file that ends within a magic number is truncated.
    return magic.starts(with: start.prefix(magic.count)) ? .frame : .garbage
  }
}
