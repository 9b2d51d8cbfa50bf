import Basics

/// The file of a file system that bytes of a disk image belong to.
package final class FileOwner: Sendable {
  package enum State: String, CaseIterable, Sendable {
    case allocated, deleted
    /// After the end of a file, in its last block.
    case slack
    case unallocated
  }

  /// From the root of the file system; nil if no file has the bytes.
  package let path: String?
  package let inode: Int?
  /// Nil outside of all file systems.
  package let state: State?
  /// Offsets in the image of bytes that have the same owner.
  package let range: Range<Int>

  package init(path: String? = nil, inode: Int? = nil, _ state: State?, _ range: Range<Int>) {
    (self.path, self.inode, self.state, self.range) = (path, inode, state, range)
  }
}

/// The files of the file systems in a disk image, which are looked for when the first one is asked for.
package protocol FileNames: AnyObject, Sendable {
  /// - Parameter offset: in the image.
  func owner(of offset: Int) -> FileOwner
  /// Why files may be missing.
  var problem: Message? { get }
}

extension FeedbackRecords {
  /// Calls `body` with the records of each file, which their labels have.
  package func eachFile(_ body: (FeedbackRecords) throws -> Void) rethrows {
    guard let files = labels.files else { return try body(self) }
    try eachExtent { records in
      var first = 0
      while first < records.run.count {
        func offset(_ index: Int) -> Int {
          records.origin.fileOffset(of: records.run.offset &+ index &* records.run.stride)
        }
        let owner = files.owner(of: offset(first))
        var end = first &+ 1
        while end < records.run.count, owner.range.contains(offset(end)) { end &+= 1 }
        var part = records
        part.labels = labels.of(owner)
        part.run = records.run.slice(from: first, count: end &- first)
        try body(part)
        first = end
      }
    }
  }
}
