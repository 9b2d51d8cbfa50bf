import Basics

/// Signatures of disk images and memory, in which records are searched. All are in the first 64 KiB.
enum DiskImages {
  private struct Signature {
    var kind: Message
    var offset: Int
    var bytes: [UInt8]

    init(_ kind: Message, _ offset: Int, _ bytes: [UInt8]) {
      (self.kind, self.offset, self.bytes) = (kind, offset, bytes)
    }

    init(_ kind: Message, _ offset: Int, _ text: String) { self.init(kind, offset, Array(text.utf8)) }
  }

  private static let partitionedDisk: Message = "an image of a disk with partitions"
  private static let signatures: [Signature] = [
    Signature(partitionedDisk, 512, "EFI PART"),
    Signature("an image of a file system (ext)", 1080, [0x53, 0xef]),
    Signature("an image of a file system (NTFS)", 3, "NTFS    "),
    Signature("an image of a file system (FAT)", 54, "FAT1"),
    Signature("an image of a file system (FAT)", 82, "FAT32   "),
    Signature("an image of a file system (exFAT)", 3, "EXFAT   "),
    Signature("an image of a file system (XFS)", 0, "XFSB"),
    Signature("an image of a file system (APFS)", 32, "NXSB"),
    Signature("an image of a file system (HFS+)", 1024, "H+"),
    Signature("swap space", 4086, "SWAPSPACE2"),
    Signature("an image of memory", 0, "EMiL"),
    Signature("an image of memory", 0, "PAGEDU"),
  ]
  private static let bootSignature: [UInt8] = [0x55, 0xaa]
  private static let partitionEntries = stride(from: 446, to: 510, by: 16)

  /// Nil for other files.
  static func kind(of head: [UInt8]) -> Message? {
    if isCoreDump(head) { return "a core dump" }
    let found = signatures.first { signature in
      let end = signature.offset + signature.bytes.count
      return head.count >= end && head[signature.offset..<end].elementsEqual(signature.bytes)
        && isConfirmed(signature, head)
    }
    return found?.kind ?? (isPartitioned(head) ? partitionedDisk : nil)
  }

  /// Two bytes alone are no signature.
  private static func isConfirmed(_ signature: Signature, _ head: [UInt8]) -> Bool {
    guard signature.bytes.count == 2 else { return true }
    if signature.offset == 1024 { return head.count > 1028 && head[1026] == 0 && head[1027] == 4 }
    // The superblock's block size, 1 to 64 KiB, and its revision.
    guard head.count >= 2048 else { return false }
    return head[1048] <= 6 && head[1049..<1052].allSatisfy { $0 == 0 }
      && head[1100] <= 1 && head[1101..<1104].allSatisfy { $0 == 0 }
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
