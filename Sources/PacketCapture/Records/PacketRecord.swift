import WireBytes

/// One packet as a capture file holds it; its bytes lie in the window that it was read from.
package struct PacketRecord: Equatable, Sendable {
  /// Its number in the file, from 1.
  package var number: Int
  /// Nil where the record has none (simple packet blocks).
  package var time: CaptureTime?
  package var linkType: LinkType
  /// Index in the window (from 0) of its first captured byte, and how many were captured.
  package var start: Int
  package var capturedLength: Int
  /// How long the packet was on the wire, in bytes; less than captured only in damaged records.
  package var originalLength: Int
  /// Offset in the file (from 0, after decompression) of its first captured byte.
  package var fileOffset: Int
  /// Whether the file ends before the last byte that was captured.
  package var isCutByFile: Bool

  package init(
    number: Int, time: CaptureTime?, linkType: LinkType, start: Int, capturedLength: Int,
    originalLength: Int, fileOffset: Int, isCutByFile: Bool = false
  ) {
    self.number = number
    self.time = time
    self.linkType = linkType
    self.start = start
    self.capturedLength = capturedLength
    self.originalLength = originalLength
    self.fileOffset = fileOffset
    self.isCutByFile = isCutByFile
  }
}
