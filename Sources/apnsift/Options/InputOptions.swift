import APNsWire
import Analysis
import ArgumentParser
import EvidenceReport
import JSON
import PacketCapture
import Platform
import Reports
import StreamInputs

/// The options of every command that reads inputs (docs/spec/interface.md#input-options).
struct InputOptions: ParsableArguments {
  @Argument(help: "Files, directories (walked), or - for standard input.")
  var inputs: [String] = []

  @Option(
    help: "A dump of what the client of a gateway connection sent; with --responses, in place of inputs.")
  var requests: String?

  @Option(help: "A dump of what the gateway sent on the same connection.")
  var responses: String?

  @Option(
    name: [.short, .long],
    help: """
      How the inputs are stored: auto (by content); of dumps raw, hex (also xxd, hexdump -C), base64; capture \
      (pcap, pcapng); or what other tools wrote of streams. Compressed files (gzip, zstd, lz4) are looked through.
      """
  )
  var from = FromArgument.auto

  @Option(
    name: .customLong("protocol"),
    help: """
      What the bytes of a stream are: auto (by the server's port, else by content; a dump that is like nothing \
      is read as feedback), feedback, requests or responses. Of a capture the last two mean gateway connections. \
      Ciphertext is told, whatever is said.
      """
  )
  var speaks = ProtocolArgument.auto

  @Option(help: "Token lengths that are normal: 32, or 32,54 or 1-100.")
  var tokenLength = TokenLengths.standard

  @Option(help: "The longest token that is believed, in bytes; raised to the longest normal one.")
  var maxTokenLength = FeedbackRules.announcedLongestToken

  @Option(help: "The longest payload that is believed of a request with command 0 or 1, in bytes.")
  var maxPayload = RequestRules.usualLongestPayload

  @Option(help: "How many requests of a connection wait for a response; beyond it the oldest stay unknown.")
  var maxPending = GatewayLimits.usualMaxPending

  @Option(help: "The earliest plausible time: RFC 3339, or seconds since 1970.")
  var earliest = TimeArgument(FeedbackRules.serviceStart)

  @Option(help: "The latest plausible time.")
  var latest = TimeArgument(FeedbackRules.serviceEnd)

  @Option(
    help: """
      Memory for distinct tokens, as much for requests that wait for their outcome, and the most that each buffer \
      of captures may take; tokens and requests beyond it go through temporary files, with the same answers.
      """
  )
  var memory = SizeArgument(1 << 30)

  @Option(help: "How many bytes the * lines of one hex dump may stand for.")
  var maxExpansion = SizeArgument(1 << 30)

  @OptionGroup(title: "Captures") var capture: CaptureOptionGroup

  @Flag(help: "Exit with 1 where there is a finding of severity error: the same as --fail-on error.")
  var strict = false

  @Option(
    help: """
      What makes the exit code another than 0, separated by commas: unrecognised (an input of no known format; 2, and \
      no replay), unreadable (2, as always); or from which severity on a finding does: error, warning or note (1).
      """)
  var failOn = FailOnArgument()

  @Flag(help: "Write errors and the last line to standard error, and nothing else.")
  var quiet = false

  mutating func validate() throws {
    Messages.isQuiet = quiet
    guard (requests == nil) == (responses == nil) else {
      throw ValidationError(
        "--requests and --responses go together: one direction alone is an input, with --protocol requests or responses."
      )
    }
    guard !inputs.isEmpty || requests != nil else {
      throw ValidationError("Missing expected argument '<inputs> ...'")
    }
    guard requests == nil || (inputs.isEmpty && !capture.join) else {
      throw ValidationError(
        "--requests and --responses stand in place of inputs: give either the pair or those.")
    }
    if requests != nil, speaks == .feedback || capture.filter != nil {
      throw ValidationError(
        "--requests and --responses name dumps of a gateway connection: --protocol feedback and --filter do not "
          + "go with them.")
    }
    guard (inputs + [requests, responses].compactMap { $0 }).filter({ $0 == "-" }).count < 2 else {
      throw ValidationError("Standard input (-) can be read only once.")
    }
    if let port = Set(capture.feedbackPort).intersection(capture.gatewayPort).min() {
      throw ValidationError(
        "Port \(port) is named by --feedback-port and by --gateway-port: it can be one of the two.")
    }
    guard (0...Int(UInt16.max)).contains(maxTokenLength) else {
      throw ValidationError("--max-token-length is \(maxTokenLength): a length field holds 0 to 65535.")
    }
    guard (0...Int(UInt16.max)).contains(maxPayload) else {
      throw ValidationError("--max-payload is \(maxPayload): a length field holds 0 to 65535.")
    }
    guard maxPending >= 0 else {
      throw ValidationError("--max-pending is \(maxPending): 0 requests or more can wait.")
    }
    guard earliest.seconds <= latest.seconds else {
      throw ValidationError(
        "--earliest \(earliest.defaultValueDescription) lies behind --latest \(latest.defaultValueDescription)."
      )
    }
    guard memory.bytes > 0, maxExpansion.bytes >= 0 else {
      throw ValidationError("--memory must be more than 0 bytes.")
    }
  }

  /// The rules that the options make; `validate` has judged them.
  var rules: FeedbackRules {
    FeedbackRules(
      tokenLengths: tokenLength, longestToken: maxTokenLength, earliest: earliest.seconds,
      latest: latest.seconds) ?? .standard
  }

  var requestRules: RequestRules {
    RequestRules(
      tokenLengths: tokenLength, longestToken: maxTokenLength, longestPayload: maxPayload)
      ?? .standard
  }

  private var analysis: AnalysisOptions {
    var options = AnalysisOptions()
    options.rules = rules
    options.requestRules = requestRules
    options.choice = protocolChoice
    options.gateway.maxPending = maxPending
    options.gateway.memory = memory.bytes
    options.gateway.temporaryDirectory = TemporaryDirectory.path
    return options
  }

  /// The examination of the inputs, by their paths as the system was given them.
  func examination(hashing: Examination.Hashing, mayRepeat: Bool = false) -> Examination {
    var paths = ArgumentPaths()
    let walk =
      requests == nil
      ? InputWalk(inputs.map { Input($0, path: paths.path(of: $0)) })
      : InputWalk(
        [],
        paired: pair.map { name, half in
          var input = Input(name, path: paths.path(of: name))
          input.half = half
          return input
        })
    var options = examinationOptions
    options.hashing = hashing
    options.mayRepeat = mayRepeat
    return Examination(walk, options)
  }

  var examinationOptions: Examination.Options {
    var options = Examination.Options()
    options.analysis = analysis
    options.reading.format = from.format
    options.reading.maxExpansion = maxExpansion.bytes
    options.reading.capture = capture.options(serverPorts: protocolChoice.serverPorts, memory: memory.bytes)
    options.reading.joins = capture.join
    options.failsOnUnrecognised = failOn.unrecognised
    return options
  }

  /// The two directions of a connection, if they were named.
  var pair: [(name: String, half: Input.Half)] {
    [(requests, Input.Half.requests), (responses, .responses)].compactMap { name, half in
      name.map { ($0, half) }
    }
  }

  /// How it is told what a stream speaks.
  var protocolChoice: ProtocolChoice {
    var choice = ProtocolChoice()
    choice.named = speaks.named
    if !capture.feedbackPort.isEmpty { choice.feedbackPorts = Set(capture.feedbackPort) }
    if !capture.gatewayPort.isEmpty { choice.gatewayPorts = Set(capture.gatewayPort) }
    // What is named takes a port from the defaults.
    if capture.feedbackPort.isEmpty { choice.feedbackPorts.subtract(capture.gatewayPort) }
    if capture.gatewayPort.isEmpty { choice.gatewayPorts.subtract(capture.feedbackPort) }
    return choice
  }

  /// What of the options a report's reader must know to get the same answers.
  var reported: JSONValue {
    .object(
      [
        ("from", .string(from.name)),
        ("protocol", .string(speaks.rawValue)),
        ("token_length", .string(tokenLength.text)),
        ("max_token_length", .int(rules.longestToken)),
        ("max_payload", .int(maxPayload)),
        ("max_pending", .int(maxPending)),
        ("earliest", .int(Int(rules.earliest))),
        ("latest", .int(Int(rules.latest))),
        ("memory", .int(memory.bytes)),
        ("max_expansion", .int(maxExpansion.bytes)),
        ("strict", .bool(strict)),
        ("feedback_ports", .array(protocolChoice.feedbackPorts.sorted().map { .int(Int($0)) })),
        ("gateway_ports", .array(protocolChoice.gatewayPorts.sorted().map { .int(Int($0)) })),
      ] + capture.reported)
  }

  /// All options that inputs are read with, in the order of the help text.
  var listed: [ReportOption] {
    func option(_ name: String, _ value: String, default usual: String) -> ReportOption {
      ReportOption(name, value, isDefault: value == usual)
    }
    return [
      option("--from", from.name, default: "auto"),
      option("--protocol", speaks.rawValue, default: ProtocolArgument.auto.rawValue),
      option("--token-length", tokenLength.text, default: TokenLengths.standard.text),
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
      + [ReportOption("--strict", isDefault: !strict, shapesAnswers: false)]
  }
}
