import Analysis

/// Findings in the page.
struct FindingsView {
  /// The findings of one code.
  struct Group {
    let code: String
    let severity: String
    let count: String
    let title: String
    let meaning: String
    let remedy: String
    let examples: [Example]
    let isCut: Bool
    let shown: String
  }

  /// A finding with the bytes around it.
  struct Example {
    let facts: [PageView.Fact]
    let message: String
    let hasMessage: Bool
    let hex: [HexView.Part]
    let hasHex: Bool
    let command: String
    let hasCommand: Bool
  }

  let groups: [Group]
  let hasGroups: Bool
  let hasHex: Bool
  let allCommand: String

  init(_ page: ReportPage) {
    groups = page.findings.map(Self.group)
    hasGroups = !groups.isEmpty
    hasHex = groups.contains { $0.examples.contains { $0.hasHex } }
    allCommand = page.commands.findings
  }

  private static func group(_ found: FindingGroup) -> Group {
    let entry = found.code.entry
    return Group(
      code: found.code.rawValue, severity: found.code.severity.rawValue, count: Figures.grouped(found.count),
      title: entry.title, meaning: "\(entry.cause) \(entry.meaning)", remedy: entry.remedy,
      examples: found.examples.map(example),
      isCut: found.examples.count < found.count,
      shown: Figures.part(found.examples.count, of: found.count, "shown"))
  }

  private static func example(_ found: FindingExample) -> Example {
    let hex = found.window.map { HexView($0, finding: found.finding).parts } ?? []
    let message = found.finding.message.text
    return Example(
      facts: facts(found.finding), message: message, hasMessage: !message.isEmpty, hex: hex,
      hasHex: !hex.isEmpty, command: found.command ?? "", hasCommand: found.command != nil)
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
