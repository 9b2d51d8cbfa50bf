import Analysis
import WireBytes

/// Bytes around a location, in cells of eight, which the page arranges by the width of the screen.
struct HexView {
  private static let width = 8

  struct Cell {
    let offset: String
    let spans: [Span]
    let text: String
  }

  /// Consecutive bytes of one kind.
  struct Span {
    let kind: String
    let digits: String
  }

  /// Consecutive cells, and a note on the bytes before them.
  struct Part {
    let cells: [Cell]
    let before: String
    let hasBefore: Bool
    /// Whether the bytes before are missing from the input, rather than left out of the page.
    let isGap: Bool
  }

  let parts: [Part]

  init(_ window: HexWindow, finding: Finding) {
    var parts: [Part] = []
    var end: Int?
    for segment in window.segments where !segment.bytes.isEmpty {
      let before = end.map { Self.separator(from: $0, to: segment.offset, finding) } ?? ""
      parts.append(
        Part(
          cells: Self.cells(segment), before: before, hasBefore: !before.isEmpty,
          isGap: finding.code == .streamGap))
      end = segment.offset + segment.bytes.count
    }
    self.parts = parts
  }

  /// The note between two segments.
  private static func separator(from end: Int, to start: Int, _ finding: Finding) -> String {
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

/// Bytes around a location in a stream, each with its kind.
package struct HexWindow: Equatable, Sendable {
  /// The role of a byte.
  package enum Kind: String, Sendable {
    /// Part of the bytes that the finding is about.
    case finding
    case time, length, token
    /// Part of no known feedback tuple.
    case other
  }

  package struct Byte: Equatable, Sendable {
    /// Nil if it is redacted.
    package var value: UInt8?
    package var kind: Kind

    package init(_ value: UInt8?, _ kind: Kind) {
      self.value = value
      self.kind = kind
    }
  }

  /// Consecutive bytes.
  package struct Segment: Equatable, Sendable {
    /// Offset of the first byte in its direction of the stream, from 0.
    package var offset: Int
    package var bytes: [Byte]

    package init(offset: Int, bytes: [Byte]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// In order; the bytes between two segments are missing or left out.
  package var segments: [Segment]

  package init(_ segments: [Segment]) { self.segments = segments }
}
