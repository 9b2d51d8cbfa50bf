/// The archives that are read, by their signatures.
///
/// A raw dump may begin with any time, and so with most magic numbers: `PK` 03 04 is 2012-09-08T08:31:48Z. So further
/// bytes are checked that no tuple has.
package enum ArchiveFormat: String, CaseIterable, Sendable {
  case zip, tar, cpio
  case sevenZip = "7z"

  /// Whether the list of members is at the end.
  var isReadFromEnd: Bool { self == .zip || self == .sevenZip }

  /// The format of the content that begins with `head`; nil if it is none of them.
  init?(of head: [UInt8]) {
    guard let found = Self.allCases.first(where: { $0.begins(head) }) else { return nil }
    self = found
  }

  private func begins(_ head: [UInt8]) -> Bool {
    switch self {
    case .zip: Self.beginsZip(head)
    case .tar: Self.beginsTar(head)
    case .cpio: Self.beginsCpio(head)
    // The magic number extends into a tuple's length, which would be 10012.
    case .sevenZip: head.starts(with: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c])
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

  /// A header of text (POSIX.1-1990 "odc", or SVR4 "newc" with or without checksums): the magic number, numbers in
  /// octal or hex, and the file's name, as long as its number says, with NUL at its end. A hex dump has no NUL.
  private static func beginsCpio(_ head: [UInt8]) -> Bool {
    for (magic, header, size, radix) in [
      ("070707", 76, 59..<65, 8), ("070701", 110, 94..<102, 16), ("070702", 110, 94..<102, 16),
    ] where head.count > header && head.starts(with: Array(magic.utf8)) {
      let length = Int(String(decoding: head[size], as: UTF8.self), radix: radix) ?? 0
      return length > 1 && header + length <= head.count && head[header + length - 1] == 0
    }
    return false
  }
}
