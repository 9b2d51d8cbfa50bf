import Analysis
import Reports

/// The commands that a report names: with the inputs and the options that it was made with.
struct CommandLines {
  private let input: InputOptions
  private let words: String
  /// Whether all inputs belong together, so that one of them alone gives other answers.
  private var isOne: Bool { input.capture.join || input.requests != nil }

  init(_ input: InputOptions) {
    self.input = input
    words = input.words.map { " " + $0 }.joined()
  }

  private var inputs: String {
    if let requests = input.requests, let responses = input.responses {
      return " --requests \(ShellWord.input(requests)) --responses \(ShellWord.input(responses))"
    }
    return input.inputs.map { " " + ShellWord.input($0) }.joined()
  }

  private func command(_ name: String, _ rest: String = "") -> String {
    "apnsift \(name)\(inputs)\(words)\(rest)"
  }

  /// - Parameter audit: options of the audit, each with a space before it.
  func all(audit: String) -> ReportCommands {
    var commands = ReportCommands()
    commands.streams = command("export", " --records streams")
    commands.findings = command("export", " --records findings")
    commands.records = command("export", " --records feedback")
    commands.requests = command("export", " --records requests")
    commands.resend = command("export", " --records resend")
    commands.responses = command("export", " --records responses")
    commands.deadTokens = [
      command("replay", " --store sqlite:dead.sqlite --create"),
      "apnsift store list --store sqlite:dead.sqlite --dead -t csv",
    ]
    commands.audit = command("audit", audit)
    return commands
  }

  /// What shows the place of a finding; nil where it has none in a stream.
  func show(_ finding: Finding) -> String? {
    guard let stream = finding.stream else { return nil }
    let target: String
    if let offset = finding.offset {
      target = " --offset \(offset)"
    } else if let packet = finding.packet {
      target = " --packet \(packet)"
    } else {
      return nil
    }
    let inputs = isOne ? inputs : " " + ShellWord.input(finding.source)
    let place =
      (stream > 0 ? " --stream \(stream)" : "")
      + (finding.direction.map { " --direction \($0.rawValue)" } ?? "")
    return "apnsift show\(inputs)\(words)\(target)\(place)"
  }
}
