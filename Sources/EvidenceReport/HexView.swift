import Analysis
import WireBytes

/// Bytes around a place, in cells of eight: they stand side by side on a desk, and one below the other on a phone.
struct HexView {
  private static let width = 8

  struct Cell {
    let offset: String
    let spans: [Span]
    let text: String
  }

  /// Bytes in a row that are of the same kind.
  struct Span {
    let kind: String
    let digits: String
  }

  /// Cells in a row, and what is missing before them.
  struct Part {
    let cells: [Cell]
    let before: String
    let hasBefore: Bool
    /// Whether those are missing, rather than left out.
    let isGap: Bool
  }

  let parts: [Part]

  init(_ window: HexWindow, finding: Finding) {
    var parts: [Part] = []
    var end: Int?
    for segment in window.segments where !segment.bytes.isEmpty {
      let before = end.map { Self.left(from: $0, to: segment.offset, finding) } ?? ""
      parts.append(
        Part(
          cells: Self.cells(segment), before: before, hasBefore: !before.isEmpty,
          isGap: finding.code == .streamGap))
      end = segment.offset + segment.bytes.count
    }
    self.parts = parts
  }

  /// What stands between two segments.
  private static func left(from end: Int, to start: Int, _ finding: Finding) -> String {
    let bytes = Figures.count(start - end, "byte")
    if finding.code == .streamGap { return start > end ? "\(bytes) missing" : "" }
    return start > end ? "\(bytes) between" : ""
  }

  private static func cells(_ segment: HexWindow.Segment) -> [Cell] {
    stride(from: 0, to: segment.bytes.count, by: width).map { start in
      let bytes = segment.bytes[start..<min(start + width, segment.bytes.count)]
      return Cell(
        offset: String(segment.offset + start), spans: spans(bytes), text: bytes.map(readable).joined())
    }
  }

  private static func spans(_ bytes: ArraySlice<HexWindow.Byte>) -> [Span] {
    var spans: [Span] = []
    var rest = bytes
    while let first = rest.first {
      let run = rest.prefix { $0.kind == first.kind }
      rest = rest.dropFirst(run.count)
      let digits = run.map { byte in byte.value.map { Hex.string([$0]) } ?? "··" }
      spans.append(Span(kind: first.kind.rawValue, digits: digits.joined(separator: " ")))
    }
    return spans
  }

  private static func readable(_ byte: HexWindow.Byte) -> String {
    guard let value = byte.value else { return "·" }
    return (0x20...0x7e).contains(value) ? String(Unicode.Scalar(value)) : "."
  }
}

/// Bytes around a place of a stream, with what each of them is.
package struct HexWindow: Equatable, Sendable {
  /// What a byte is.
  package enum Kind: String, Sendable {
    /// Of the place that the finding is about.
    case place
    case time, length, token
    /// Of no record of feedback that is known.
    case other
  }

  package struct Byte: Equatable, Sendable {
    /// Nil where it is not to be shown.
    package var value: UInt8?
    package var kind: Kind

    package init(_ value: UInt8?, _ kind: Kind) {
      self.value = value
      self.kind = kind
    }
  }

  /// Bytes in a row.
  package struct Segment: Equatable, Sendable {
    /// Offset of the first one in its direction of the stream, from 0.
    package var offset: Int
    package var bytes: [Byte]

    package init(offset: Int, bytes: [Byte]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// In order; between two of them bytes are missing, or left out.
  package var segments: [Segment]

  package init(_ segments: [Segment]) { self.segments = segments }
}
