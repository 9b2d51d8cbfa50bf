import Basics

/// Signatures of disk images and memory, in which records are searched. All are in the first 64 KiB.
enum DiskImages {
  private static let partitionedDisk: Message = "an image of a disk with partitions"
  /// In Latin-1.
  private static let signatures: [(kind: Message, offset: Int, text: String)] = [
    (partitionedDisk, 512, "EFI PART"),
    ("an image of a file system (ext)", 1080, "S\u{ef}"),
    ("an image of a file system (NTFS)", 3, "NTFS    "),
    ("an image of a file system (FAT)", 54, "FAT1"),
    ("an image of a file system (FAT)", 82, "FAT32   "),
    ("an image of a file system (exFAT)", 3, "EXFAT   "),
    ("an image of a file system (XFS)", 0, "XFSB"),
    ("an image of a file system (APFS)", 32, "NXSB"),
    ("an image of a file system (HFS+)", 1024, "H+"),
    ("swap space", 4086, "SWAPSPACE2"),
    ("an image of memory", 0, "EMiL"),
    ("an image of memory", 0, "PAGEDU"),
  ]
  private static let bootSignature: [UInt8] = [0x55, 0xaa]
  private static let partitionEntries = stride(from: 446, to: 510, by: 16)

  /// Whether it is a disk or a file system, not memory.
  static func hasFileSystems(_ head: [UInt8]) -> Bool {
    kind(of: head)?.text.hasPrefix("an image of a ") ?? false
  }

  /// Nil for other files.
  static func kind(of head: [UInt8]) -> Message? {
    if isCoreDump(head) { return "a core dump" }
    let found = signatures.first { _, offset, text in
      let found = head.dropFirst(offset).prefix(text.count)
      return found.elementsEqual(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        && isConfirmed(offset, head)
    }
    return found?.kind ?? (isPartitioned(head) ? partitionedDisk : nil)
  }

  /// Two bytes alone are no signature.
  private static func isConfirmed(_ offset: Int, _ head: [UInt8]) -> Bool {
    switch offset {
    case 1024: head.count > 1028 && head[1026] == 0 && head[1027] == 4
    // The superblock's block size, 1 to 64 KiB, and its revision.
    case 1080:
      head.count >= 2048 && head[1048] <= 6 && head[1049..<1052].allSatisfy { $0 == 0 }
        && head[1100] <= 1 && head[1101..<1104].allSatisfy { $0 == 0 }
    default: true
    }
  }

  /// A master boot record: its signature, and four entries that are empty or have a type, of which one has.
  private static func isPartitioned(_ head: [UInt8]) -> Bool {
    guard head.count >= 512, head[510..<512].elementsEqual(bootSignature) else { return false }
    let entries = partitionEntries.map { head[$0..<$0 + 16] }
    let used = entries.filter { entry in entry.contains { $0 != 0 } }
    return !used.isEmpty
      && used.allSatisfy { entry in
        (entry.first == 0 || entry.first == 0x80) && entry[entry.startIndex + 4] != 0
      }
  }

  /// ELF with the type ET_CORE, in either byte order.
  private static func isCoreDump(_ head: [UInt8]) -> Bool {
    guard head.count >= 18, head.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { return false }
    return head[16..<18].elementsEqual(head[5] == 2 ? [0, 4] : [4, 0])
  }
}
