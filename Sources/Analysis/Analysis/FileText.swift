/// What is in a file at some offset: whole lines, or parts of long ones.
package struct FileExcerpt: Equatable, Sendable {
  /// File offset of the first byte.
  package let offset: Int
  package let bytes: [UInt8]

  package var lines: [String] {
    bytes.split(separator: 10).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
  }
}

/// The last two windows of an input whose bytes are decoded from text, to show what the file has. The windows are shared
/// with their reader: memory is that of two blocks.
package struct FileText {
  /// Bytes of a line before and after a range that are shown.
  private static let margin = 200

  private var windows: [(offsets: Range<Int>, bytes: [UInt8])] = []

  package init() {}

  package mutating func keep(_ window: [UInt8], at offsets: Range<Int>) {
    if windows.last?.offsets != offsets { windows = windows.suffix(1) + [(offsets, window)] }
  }

  package var isKept: Bool { !windows.isEmpty }

  /// Another input begins.
  package mutating func forget() { windows = [] }

  private func byte(at offset: Int) -> UInt8? {
    windows.last { $0.offsets.contains(offset) }.map { $0.bytes[offset &- $0.offsets.lowerBound] }
  }

  /// Whether `bytes` are not those of the file at `offset`, but decoded from its text.
  package func isSource(of bytes: some Sequence<UInt8>, at offset: Int) -> Bool {
    !windows.isEmpty && !bytes.enumerated().allSatisfy { byte(at: offset &+ $0) == $1 }
  }

  /// The lines with the bytes at `offsets`; nil if they are no longer kept.
  package func lines(with offsets: Range<Int>) -> FileExcerpt? {
    guard byte(at: offsets.lowerBound) != nil else { return nil }
    var (start, end) = (offsets.lowerBound, offsets.upperBound)
    while start > offsets.lowerBound &- Self.margin, let byte = byte(at: start &- 1), byte != 10 {
      start &-= 1
    }
    while end < offsets.upperBound &+ Self.margin, let byte = byte(at: end), byte != 10 { end &+= 1 }
    return FileExcerpt(offset: start, bytes: (start..<end).compactMap { byte(at: $0) })
  }
}
