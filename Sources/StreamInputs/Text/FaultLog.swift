import PacketCapture

/// A place in a text.
struct TextPlace: Equatable, Sendable {
  /// Byte offset in the file, from 0.
  var fileOffset: Int
  /// From 1.
  var line: Int
  /// In bytes, from 1. A byte order mark is not counted.
  var column: Int
}

/// Where a decoder stands in its text.
struct TextCursor: Sendable {
  /// Byte offset in the file, from 0, of the next character.
  var fileOffset = 0
  /// Number of the line, from 1, and the file offset of its first character.
  private(set) var line = 1
  private(set) var lineStart = 0

  /// Passes over a byte order mark, which belongs to no line.
  mutating func skip(byteOrderMark length: Int) {
    fileOffset += length
    lineStart += length
  }

  /// A newline stands at `fileOffset`.
  mutating func passNewline(at fileOffset: Int) {
    line += 1
    lineStart = fileOffset + 1
  }

  /// The place of the next character.
  var place: TextPlace { place(fileOffset) }

  /// The place of `fileOffset`, which lies in the current line.
  func place(_ fileOffset: Int) -> TextPlace {
    TextPlace(fileOffset: fileOffset, line: line, column: fileOffset - lineStart + 1)
  }
}

/// Puts the faults of one file out, and counts those that would be too many to read.
struct FaultLog: Sendable {
  /// Faults that are put out one by one; a file that has more is not a text of the kind it was read as.
  static let limit = 20

  private(set) var count = 0

  mutating func report(_ message: String, at place: TextPlace, into output: inout DecodedText) {
    count += 1
    guard count <= Self.limit else { return }
    output.append(
      InputFault(message, fileOffset: place.fileOffset, line: place.line, column: place.column))
  }

  /// The file has ended: says how many faults were only counted.
  mutating func close(into output: inout DecodedText) {
    guard count > Self.limit else { return }
    let more = count - Self.limit
    output.append(
      InputFault(
        "\(more) more place\(more == 1 ? "" : "s") in this text cannot be read and "
          + "\(more == 1 ? "is" : "are") not listed; see whether the text is of the kind it was read as"))
    count = 0
  }
}
