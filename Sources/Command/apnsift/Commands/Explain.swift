import Analysis
import ArgumentParser
import Basics
import PacketCapture

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a finding or a flag: its cause, what it means, what to do.",
    discussion: """
      Without a code, it lists all of them.

      EXAMPLES
        apnsift explain stream-gap
        apnsift explain
        apnsift explain --json             codes, columns and limits
      """)

  @Argument(help: ArgumentHelp("The code of a finding or flag.", valueName: "code"))
  var code: String?

  @Flag(help: "Print everything that is known of codes, columns and limits as JSON.")
  var json = false

  @Option(help: ArgumentHelp("Print a page of docs/reference.", visibility: .private))
  var page: ReferencePage?

  func run() throws {
    if let page { return print(page.text, terminator: "") }
    if json { return print(ReferenceJSON.value.text) }
    guard let code else {
      for code in FindingCode.allCases { Self.line(code.rawValue, code.severity.rawValue, code.entry.title) }
      for flag in FlagEntry.all { Self.line(flag.code, "flag", flag.entry.title) }
      return
    }
    let entries =
      FindingCode.allCases.filter { $0.rawValue == code }.map { ($0.severity.rawValue, $0.entry) }
      + FlagEntry.all.filter { $0.code == code }.map { ("flag on \($0.kinds)", $0.entry) }
    guard let (remark, entry) = entries.first else {
      let codes = FindingCode.allCases.map(\.rawValue) + FlagEntry.all.map(\.code)
      throw UsageError(
        "'\(code)' is neither a finding nor a flag; the nearest is "
          + "'\(Spelling.nearest(to: code, of: codes))'")
    }
    print("\(code) (\(remark)): \(entry.title)")
    for (title, text) in [("Cause", entry.cause), ("Meaning", entry.meaning), ("Remedy", entry.remedy)] {
      print("\n\(title)\n\(Self.wrapped(text))")
    }
    print("\nExample\n\(entry.example.split(separator: "\n").map { "  \($0)\n" }.joined())", terminator: "")
  }

  private static func line(_ code: String, _ kind: String, _ title: String) {
    let columns = [(code, 26), (kind, 9)].map {
      $0 + String(repeating: " ", count: max($1 - $0.utf8.count, 1))
    }
    print(columns.joined() + title)
  }

  /// In lines of at most 78 characters, indented.
  private static func wrapped(_ text: String) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count > 75 { lines.append("") }
      lines[lines.count - 1] += " \(word)"
    }
    return lines.map { " \($0)" }.joined(separator: "\n")
  }
}
