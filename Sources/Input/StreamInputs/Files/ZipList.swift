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

  /// The files whose local header an earlier one has, too: programs differ in which they show. And why some may be missing.
  static func read(in archive: ArchiveBytes) -> (repeated: [ArchiveMember], error: Message?) {
    guard let size = archive.seek(0, whence: SEEK_END) else { return ([], nil) }
    let tail = archive.last(endLength + maxComment)
    let starts = stride(from: tail.count - endLength, through: 0, by: -1)
    guard let end = starts.first(where: { tail[$0...].starts(with: [0x50, 0x4b, 5, 6]) }) else {
      return ([], "the zip archive ends without its list: files may be missing; look for another copy")
    }
    let (length, fromEnd) = (number(tail, end + 12, 4), tail.count - end)
    guard length <= maxLength else { return ([], nil) }
    let list = archive.last(length + fromEnd)
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
    let offset = number(tail, end + 16, 4)
    let isHere = offset != isElsewhere && (start > 0 || length == 0)
    let before = isHere ? max(0, size - fromEnd - length - offset) : 0
    let after = fromEnd - endLength - number(tail, end + 20, 2)
    guard before > 0 || after > 0 else { return (members, nil) }
    let others = "\(Count.of(before, "byte")) before it and \(Count.of(max(0, after), "byte")) after it"
    return (members, "the zip archive has \(others), which are not read: split the file, or use carve")
  }

  /// An integer in little-endian order.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ length: Int) -> Int {
    bytes[offset..<offset + length].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
