import APNsWire
import Analysis
import PacketCapture

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
