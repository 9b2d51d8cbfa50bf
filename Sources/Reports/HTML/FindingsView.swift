import Analysis
import WireBytes

/// Findings and flags in the page.
struct FindingsView {
  /// The findings of one code.
  struct Group {
    let code: String
    let severity: String
    let count: String
    let title: String
    let meaning: String
    let remedy: String
    let places: [Place]
    let isCut: Bool
    let shown: String
  }

  struct Place {
    let facts: [PageView.Fact]
    let message: String
    let hasMessage: Bool
    let hex: [HexView.Part]
    let hasHex: Bool
    let command: String
    let hasCommand: Bool
  }

  struct Flag {
    let code: String
    let count: String
    let title: String
    let meaning: String
    let remedy: String
  }

  let groups: [Group]
  let hasGroups: Bool
  let flags: [Flag]
  let hasFlags: Bool
  let flagged: String
  let hasHex: Bool
  let allCommand: String

  init(_ page: ReportPage) {
    groups = page.findings.map(Self.group)
    hasGroups = !groups.isEmpty
    flags = page.summary.flagCounts.map { code, count in
      let text = FlagTexts.text(code) ?? CodeText(title: code, meaning: "", remedy: "")
      return Flag(
        code: code, count: Figures.grouped(count), title: text.title, meaning: text.meaning,
        remedy: text.remedy)
    }
    hasFlags = !flags.isEmpty
    flagged =
      Figures.count(
        page.flaggedRecords, "record carries a flag: it was read, but with doubt",
        "records carry a flag: they were read, but with doubt")
    hasHex = groups.contains { $0.places.contains { $0.hasHex } }
    allCommand = page.commands.findings
  }

  private static func group(_ found: FoundCode) -> Group {
    let text = found.code.pageText
    return Group(
      code: found.code.rawValue, severity: found.code.severity.rawValue, count: Figures.grouped(found.count),
      title: text.title, meaning: text.meaning, remedy: text.remedy, places: found.places.map(place),
      isCut: found.places.count < found.count,
      shown: "\(Figures.grouped(found.places.count)) of \(Figures.grouped(found.count))")
  }

  private static func place(_ place: FoundPlace) -> Place {
    let hex = place.window.map { HexView($0, finding: place.finding).parts } ?? []
    return Place(
      facts: facts(place.finding), message: place.finding.message, hasMessage: !place.finding.message.isEmpty,
      hex: hex, hasHex: !hex.isEmpty, command: place.command ?? "", hasCommand: place.command != nil)
  }

  private static func facts(_ finding: Finding) -> [PageView.Fact] {
    func fact(_ name: String, _ number: Int?) -> PageView.Fact? {
      number.map { PageView.Fact(name: name, value: Figures.grouped($0)) }
    }
    let sender = finding.direction.map { ", from the \($0.rawValue)" } ?? ""
    return [
      PageView.Fact(name: "Input", value: finding.source),
      finding.stream.map { PageView.Fact(name: "Stream", value: "\($0)\(sender)") },
      fact("Offset", finding.offset), finding.length.flatMap { $0 > 0 ? fact("Bytes", $0) : nil },
      fact("Packet", finding.packet), fact("Offset in the file", finding.fileOffset),
    ].compactMap { $0 }
  }
}

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
