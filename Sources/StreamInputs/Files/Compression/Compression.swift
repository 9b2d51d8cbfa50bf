import WireBytes

/// How a file is compressed. One layer is looked through, whatever the file's name is.
package enum Compression: String, CaseIterable, Sendable {
  case gzip, zstd, lz4

  /// Bytes of a file's beginning within which a compression shows.
  static let headLength = 64 << 10

  /// The compression of the file that begins with `head`; nil where there is none.
  ///
  /// Tuples may begin with such bytes, too: those of skippable frames are times between 2012 and 2020. So what
  /// the formats say of their first fields is asked for, and behind skippable frames a frame with content.
  init?(of head: ArraySlice<UInt8>) {
    var head = head
    while let length = Self.skippableLength(head), length <= head.count { head = head.dropFirst(length) }
    guard let found = Self.allCases.first(where: { $0.begins(head) }) else { return nil }
    self = found
  }

  /// Whether `head` may begin with a skippable frame, so that more than a few bytes decide.
  static func mayBeSkippable(_ head: ArraySlice<UInt8>) -> Bool { skippableLength(head) != nil }

  /// Length in bytes of the skippable frame that `head` begins with (RFC 8878, section 3.1.2; lz4 has the same):
  /// a magic number, the length of what follows as a little-endian u32, and that.
  private static func skippableLength(_ head: ArraySlice<UInt8>) -> Int? {
    let bytes = Array(head.prefix(8))
    guard bytes.count == 8, bytes[0] & 0xf0 == 0x50, bytes[1...3] == [0x2a, 0x4d, 0x18] else { return nil }
    return 8 + bytes[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The bytes that a frame, in gzip a member, begins with.
  private var magic: [UInt8] {
    switch self {
    case .gzip: [0x1f, 0x8b, 8]  // the last is the method, deflate
    case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
    case .lz4: [0x04, 0x22, 0x4d, 0x18]
    }
  }

  /// Whether a frame with content begins here, as far as the few bytes behind its magic number tell. Where
  /// the file ends before them, the magic number decides.
  private func begins(_ head: ArraySlice<UInt8>) -> Bool {
    guard head.starts(with: magic) else { return false }
    guard let flags = head.dropFirst(magic.count).first else { return true }
    return switch self {
    case .gzip: flags & 0xe0 == 0  // RFC 1952, section 2.3.1: reserved bits must be zero
    case .zstd: flags & 0x08 == 0  // RFC 8878, section 3.1.1.1.1: the reserved bit
    case .lz4: flags & 0xc2 == 0x40  // LZ4 frame format, FLG: version 01, a reserved bit
    }
  }

  /// What stands where a frame could begin.
  enum Boundary {
    case frame, padding, garbage
  }

  /// - Parameter bytes: at least 4, or all up to the file's end, and not none.
  func boundary(_ bytes: ArraySlice<UInt8>) -> Boundary {
    // Tapes and disk images pad a file with zeros, and gzip's own tool passes them over.
    if self == .gzip, bytes.first == 0 { return .padding }
    let start = Array(bytes.prefix(4))
    if self != .gzip, start[0] & 0xf0 == 0x50, Array([0x2a, 0x4d, 0x18]).starts(with: start.dropFirst()) {
      return .frame
    }
    // A file that ends within a magic number is cut.
    return magic.starts(with: start.prefix(magic.count)) ? .frame : .garbage
  }
}
