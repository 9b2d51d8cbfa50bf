import Analysis
import Reports

package struct ReportOption: Sendable {
  /// With its hyphens.
  package var name: String
  /// Nil for a flag.
  package var value: String?
  package var isDefault: Bool
  /// Whether it affects the results, so that other commands must repeat it.
  package var affectsResults: Bool

  package init(_ name: String, _ value: String? = nil, isDefault: Bool, affectsResults: Bool = true) {
    (self.name, self.value, self.isDefault, self.affectsResults) = (name, value, isDefault, affectsResults)
  }

  /// The value as the page shows it.
  var text: String { value ?? (isDefault ? "not given" : "given") }

  /// Shell words that make another command read the inputs in the same way; empty if none are needed.
  fileprivate var words: [String] {
    guard !isDefault, affectsResults else { return [] }
    // Each port becomes an option of its own.
    if let value, name.hasSuffix("-port") {
      return value.split(separator: ", ").flatMap { [name, String($0)] }
    }
    return [name] + (value.map { [ShellWord.quoted($0)] } ?? [])
  }
}

/// The commands that a report suggests, with the inputs and options of the report.
package struct CommandLines {
  /// As they were given.
  private let inputs: [String]
  private let isPair: Bool
  /// Whether the inputs belong together, so that one of them alone gives different results.
  private let isOne: Bool
  private let words: String
  private let pageWords: String
  /// The inputs that these are compared with.
  private let compared: String?

  /// - Parameters:
  ///   - pair: whether the inputs are the requests and the responses of one connection.
  ///   - joined: whether they are parts of one capture.
  ///   - options: the options for reading the inputs.
  ///   - page: those for the page.
  ///   - compared: the input that these are compared with.
  package init(
    _ inputs: [String] = [], pair: Bool = false, joined: Bool = false, options: [ReportOption] = [],
    page: [ReportOption] = [], compared: String? = nil
  ) {
    (self.inputs, self.compared) = (inputs, compared)
    isPair = pair
    isOne = joined || pair
    words = options.flatMap(\.words).map { " " + $0 }.joined()
    pageWords = page.flatMap(\.words).map { " " + $0 }.joined()
  }

  private func command(_ name: String, _ rest: String = "") -> String {
    "apnsift \(name)\(inputWords)\(words)\(rest)"
  }

  private var inputWords: String {
    let options = isPair ? [" --requests", " --responses"] : inputs.map { _ in "" }
    return zip(options, inputs).map { "\($0) \(ShellWord.input($1))" }.joined()
  }

  /// - Parameters:
  ///   - audit: options of the audit, each with a space before it.
  ///   - flagged: numbers of records with flags.
  func all(audit: String, flagged: [RecordCounts]) -> ReportCommands {
    var commands = ReportCommands(
      report: command("report", pageWords + " -o report.html"), everything: command("export", " -t ndjson"),
      audit: command("audit", audit))
    if let compared, inputs.count == 1 {
      commands.differences = command("compare", " \(ShellWord.input(compared)) -t csv")
    }
    commands.flagged = ExportedKind.ofRecords.filter { kind in flagged.contains { $0[kind] > 0 } }
      .map { command("export", " --records \($0.rawValue) --flagged") }
    for kind in ExportedKind.allCases {
      commands.exports[kind] = command("export", " --records \(kind.rawValue)")
    }
    return commands
  }

  /// The command that shows a finding's bytes; nil if the finding has no location in a stream.
  package func show(_ finding: Finding) -> String? {
    let offset = finding.offset.map { " --offset \($0)" }
    guard let stream = finding.stream, let target = offset ?? finding.packet.map({ " --packet \($0)" })
    else { return nil }
    let inputs = isOne ? inputWords : " " + ShellWord.input(finding.source)
    let filter =
      (stream > 0 ? " --stream \(stream)" : "")
      + (finding.direction.map { " --direction \($0.rawValue)" } ?? "")
    return "apnsift show\(inputs)\(words)\(target)\(filter)"
  }
}

/// Commands that print the rows left out of the page, with their arguments quoted for a shell.
package struct ReportCommands: Sendable {
  /// Makes the page again.
  var report = ""
  var everything = ""
  var audit = ""
  /// Nil unless there is one input on each side.
  package var differences: String?
  var exports: [ExportedKind: String] = [:]
  /// One for each kind of record.
  var flagged: [String] = []

  subscript(kind: ExportedKind) -> String { exports[kind, default: ""] }
}
