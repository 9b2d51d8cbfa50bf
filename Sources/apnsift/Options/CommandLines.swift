import APNsWire
import Analysis
import EvidenceReport
import PacketCapture
import Platform
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

/// An option as a report lists it.
struct ListedOption {
  /// With its hyphens.
  var name: String
  /// Nil for a flag.
  var value: String?
  var isDefault: Bool
  /// Whether other commands need it to give the same answers.
  var shapesAnswers = true
}

extension InputOptions {
  /// All options that inputs are read with, in the order of the help text.
  var listed: [ListedOption] {
    func option(_ name: String, _ value: String, default usual: String) -> ListedOption {
      ListedOption(name: name, value: value, isDefault: value == usual)
    }
    return [
      option("--from", from.name, default: "auto"),
      option("--protocol", speaks.rawValue, default: ProtocolArgument.auto.rawValue),
      option("--token-length", tokenLength.lengths.text, default: TokenLengths.standard.text),
      option("--max-token-length", "\(maxTokenLength)", default: "\(FeedbackRules.announcedLongestToken)"),
      option("--max-payload", "\(maxPayload)", default: "\(RequestRules.usualLongestPayload)"),
      option("--max-pending", "\(maxPending)", default: "\(GatewayLimits.usualMaxPending)"),
      option(
        "--earliest", earliest.defaultValueDescription,
        default: TimeArgument(FeedbackRules.serviceStart).defaultValueDescription),
      option(
        "--latest", latest.defaultValueDescription,
        default: TimeArgument(FeedbackRules.serviceEnd).defaultValueDescription),
      option("--memory", memory.defaultValueDescription, default: "1GiB"),
      option("--max-expansion", maxExpansion.defaultValueDescription, default: "1GiB"),
    ] + capture.listed(protocolChoice.feedbackPorts, protocolChoice.gatewayPorts)
      + [ListedOption(name: "--strict", isDefault: !strict, shapesAnswers: false)]
  }

  /// Those that another command needs to read the inputs in the same way, as words of a shell.
  var words: [String] {
    listed.filter { !$0.isDefault && $0.shapesAnswers }.flatMap { option in
      // Of ports there may be several, and each is an option.
      if let value = option.value, option.name.hasSuffix("-port") {
        return value.split(separator: ", ").flatMap { [option.name, String($0)] }
      }
      return [option.name] + (option.value.map { [ShellWord.quoted($0)] } ?? [])
    }
  }
}

extension CaptureOptionGroup {
  func listed(_ feedbackPorts: Set<UInt16>, _ gatewayPorts: Set<UInt16>) -> [ListedOption] {
    let standard = CaptureOptions()
    func size(_ name: String, _ size: SizeArgument, _ usual: Int) -> ListedOption {
      ListedOption(name: name, value: size.defaultValueDescription, isDefault: size.bytes == usual)
    }
    func ports(_ name: String, _ given: [UInt16], _ ports: Set<UInt16>) -> ListedOption {
      ListedOption(
        name: name, value: ports.sorted().map { String($0) }.joined(separator: ", "), isDefault: given.isEmpty
      )
    }
    return [
      ListedOption(name: "--filter", value: filter ?? "none", isDefault: filter == nil),
      ListedOption(name: "--join", isDefault: !join),
      ports("--feedback-port", feedbackPort, feedbackPorts),
      ports("--gateway-port", gatewayPort, gatewayPorts),
      ListedOption(
        name: "--reorder-window", value: "\(reorderWindow)",
        isDefault: reorderWindow == standard.reorderWindow),
      size("--stream-buffer", streamBuffer, standard.streamBuffer),
      size("--total-buffer", totalBuffer, standard.totalBuffer),
      size("--fragment-buffer", fragmentBuffer, standard.fragmentBuffer),
      ListedOption(
        name: "--max-connections", value: "\(maxConnections)",
        isDefault: maxConnections == standard.maxConnections),
      size("--max-packet", maxPacket, standard.maxPacket),
    ]
  }
}

/// Words of a command as a shell takes them.
enum ShellWord {
  /// `text` as one word, in quotes where it needs them. What cannot be seen is spelled out, so that who copies the command
  /// from paper gets the same.
  static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    guard VisibleText.exact(text) == text else { return spelledOut(text) }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// The same for the name of an input: one that begins with a hyphen would be taken for an option.
  static func input(_ name: String) -> String {
    quoted(name.hasPrefix("-") && name != "-" ? "./" + name : name)
  }

  /// As bash, zsh and ksh read it: `$'…'` with the bytes in hex.
  private static func spelledOut(_ text: String) -> String {
    "$'"
      + text.unicodeScalars.map { scalar in
        if scalar == "'" || scalar == "\\" { return "\\" + String(scalar) }
        let one = String(scalar)
        if VisibleText.exact(one) == one { return one }
        return one.utf8.map { "\\x" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
      }.joined() + "'"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:,+=@%".utf8.contains(byte)
    }
  }
}
