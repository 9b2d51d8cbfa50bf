import Basics

/// The list of files at the end of a zip, the central directory (APPNOTE, sections 4.3.12 and 4.3.16).
enum ZipList {
  private static let endLength = 22
  private static let entryLength = 46
  private static let maxComment = 65_535
  /// A larger list, of more than a million files, is not read again.
  private static let maxLength = 128 << 20
  /// In a zip of more than 4 GiB, the offset is elsewhere.
  private static let isElsewhere = 0xffff_ffff

  /// The files whose local header an earlier file in the list has, too. Programs differ in which of them they show.
  static func repeated(in archive: ArchiveBytes) -> [ArchiveMember] {
    let tail = archive.last(endLength + maxComment)
    let starts = stride(from: tail.count - endLength, through: 0, by: -1)
    guard let end = starts.first(where: { tail[$0...].starts(with: [0x50, 0x4b, 5, 6]) }) else { return [] }
    let length = number(tail, end + 12, 4)
    guard length <= maxLength else { return [] }
    let list = archive.last(length + tail.count - end)
    var members: [ArchiveMember] = []
    var offsets: Set<Int> = []
    var start = 0
    while start + entryLength <= list.count, list[start...].starts(with: [0x50, 0x4b, 1, 2]) {
      let name = list[(start + entryLength)...].prefix(number(list, start + 28, 2))
      let offset = number(list, start + 42, 4)
      if !offsets.insert(offset).inserted, offset != isElsewhere {
        let name = DirectoryEntry.text(of: name.map { CChar(bitPattern: $0) })
        members.append(
          ArchiveMember(
            name: name, offset: offset,
            obstacle:
              "has the offset of another file in the zip archive, which is read: extract both, and compare "
              + "them", isLost: true))
      }
      start += entryLength + [28, 30, 32].reduce(0) { $0 + number(list, start + $1, 2) }
    }
    return members
  }

  /// An integer in little-endian order.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ length: Int) -> Int {
    bytes[offset..<offset + length].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
