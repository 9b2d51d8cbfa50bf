import APNsWire
import Analysis
import ArgumentParser
import Basics
import PacketCapture
import ProviderLogs
import Reports
import StreamInputs
import TokenStores

/// The options of every command that reads inputs (docs/spec/interface.md#input-options).
package struct InputOptions: ParsableArguments {
  @Argument(help: .init("Files, directories, or - for standard input.", valueName: "input"))
  var arguments: [String] = []
  @Option(help: .init("List of more inputs, one a line or separated by NUL; repeatable.", valueName: "FILE"))
  var filesFrom: [FilesFromArgument] = []
  @Option(help: .init("Gateway requests (client to server); instead of inputs.", valueName: "FILE"))
  package var requests: String?
  @Option(help: .init("Gateway responses of the same connection.", valueName: "FILE"))
  package var responses: String?
  @Option(name: [.short, .long], help: .init("Input format.", valueName: "FORMAT"))
  package var from = FromArgument.auto
  @Option(help: .init("Field names in a log, such as token=dev,status=result.code.", valueName: "LIST"))
  var map = LogMappingArgument()
  @Option(help: .init("Forms of lines in a log, tried before the built-in ones.", valueName: "FILE"))
  package var forms: LineFormsArgument?
  @Option(help: .init("Lines of a log: PCRE2 with groups such as (?<token>…).", valueName: "REGEX"))
  var linePattern: LinePatternArgument?
  @Option(parsing: .unconditional, help: LogZoneArgument.help) var logZone: LogZoneArgument?

  @Option(name: .customLong("protocol"), help: .init("Stream protocol.", valueName: "NAME"))
  var streamProtocol = ProtocolArgument.auto
  @Option(.tokenLength) package var tokenLength: TokenLengths

  @Option(.earliest) package var earliest: TimeArgument

  @Option(.latest) package var latest: TimeArgument

  @Option(help: .init("Leave out files whose hash is in this list; repeatable.", valueName: "FILE"))
  var knownHashes: [String] = []
  @Flag(help: "Same as --fail-on error.")
  package var strict = false
  @Option(help: .init("Conditions for a non-zero exit code.", valueName: "LIST"))
  var failOn = FailOnArgument()
  @Flag(help: "Print only problems to standard error.")
  package var quiet = false
  @Option(help: .init("Threads that read, decode and format. (default: processors)", valueName: "COUNT"))
  package var jobs: Int?

  @OptionGroup(title: "CAPTURES") package var capture: CaptureOptionGroup
  @OptionGroup(title: "TLS") var decryption: DecryptionOptions
  @OptionGroup(title: "ADVANCED") var limits: LimitOptions

  package init() {}
  package var memory: Int { limits.memory.bytes }

  package mutating func validate() throws {
    Console.isQuiet = quiet
    if let message = filesFrom.lazy.compactMap(\.message).first ?? map.message {
      throw ValidationError(message)
    }
    try forms?.check()
    if let message = linePattern?.message { throw ValidationError(message) }
    try logZone?.check()
    if let jobs { try checkRange("--jobs", jobs, 1...1024) }
    for limit in Limit.all { try limit.check(limit.given(self).number) }
    guard (requests == nil) == (responses == nil) else {
      throw ValidationError(
        "--requests and --responses go together; for one direction, give an input and --protocol "
          + "requests or --protocol responses")
    }
    guard !inputs.isEmpty || requests != nil else {
      throw ValidationError("no input: name files or directories, or - for standard input")
    }
    guard requests == nil || (inputs.isEmpty && !capture.join) else {
      throw ValidationError("--requests and --responses exclude other inputs and --join")
    }
    if requests != nil, streamProtocol == .feedback || capture.filter != nil {
      throw ValidationError(
        "--requests and --responses are dumps of a gateway connection: leave out --protocol feedback "
          + "and --filter")
    }
    let read = inputs + filesFrom.map(\.name) + pair.map(\.name) + decryption.files + knownHashes
    if read.count(where: { $0 == "-" }) > 1 { throw ValidationError(.standardInputTwice) }
    guard requests == nil || knownHashes.isEmpty else {
      throw ValidationError(
        "--known-hashes leaves out files, and --requests and --responses need both: leave out one of them")
    }
    if let port = Set(capture.feedbackPort).intersection(capture.gatewayPort).min() {
      throw ValidationError("port \(Int(port)) is given for --feedback-port and --gateway-port: choose one")
    }
    guard earliest.seconds <= latest.seconds else {
      throw ValidationError(
        "--earliest \(UTCTime.text(earliest.seconds)) is after --latest \(UTCTime.text(latest.seconds))")
    }
  }

  /// The decoding rules; `validate` has checked the options.
  var rules: FeedbackRules {
    FeedbackRules(
      tokenLengths: tokenLength, longestToken: limits.maxTokenLength, earliest: earliest.seconds,
      latest: latest.seconds) ?? .standard
  }

  var requestRules: RequestRules {
    RequestRules(
      tokenLengths: tokenLength, longestToken: limits.maxTokenLength, longestPayload: limits.maxPayload)
      ?? .standard
  }

  /// The examination of the inputs, by the bytes of their paths as given.
  /// - Parameter isReplay: whether files that other programs are writing are left alone, and times of lists are not in the
  ///   future.
  /// - Throws: a `CommandError` if a file of keys cannot be used.
  package func examination(
    hashing: Examination.Hashing, mayRepeat: Bool = false, isReplay: Bool = false
  ) throws -> Examination {
    var paths = ArgumentPaths()
    let walk =
      requests == nil
      ? InputWalk(named(&paths), leavesHidden: isReplay)
      : InputWalk(
        [],
        paired: pair.map { name, half in
          var input = Input(argument: name, from: &paths)
          input.half = half
          return input
        })
    var options = examinationOptions
    options.keys = try decryption.streamKeys(memory: memory) { Input(argument: $0, from: &paths) }
    options.knownHashes = try known { Input(argument: $0, from: &paths) }
    options.hashing = hashing
    options.jobs = jobs
    options.readAheadMemory = memory / 4
    options.fileNames = { ImageFiles($0) }
    options.mayRepeat = mayRepeat
    options.failsOnChange = isReplay
    if isReplay {
      let now = UInt32(clamping: time(nil))
      options.reading.lines.plausible = min(earliest.seconds, now)...now
    }
    return Examination(walk, options)
  }

  /// The lists of known files; nil without any.
  private func known(_ input: (String) -> Input) throws -> KnownHashes? {
    guard !knownHashes.isEmpty else { return nil }
    var known = KnownHashes()
    for name in knownHashes {
      let others = try known.add(input(name).of(option: "--known-hashes"), memory: memory)
      if others.lines > 0 {
        Console.note(
          .about(
            name,
            others.lines == 1
              ? "line \(others.first) has no hash and is ignored"
              : "\(others.lines) lines have no hash and are ignored; the first is line \(others.first)"))
      }
    }
    return known
  }

  var examinationOptions: Examination.Options {
    var options = Examination.Options()
    options.analysis.rules = rules
    options.analysis.requestRules = requestRules
    options.analysis.choice = protocolChoice
    options.analysis.logs.mapping = map.mapping
    options.analysis.logs.zone = logZone?.clock
    options.analysis.logs.tokenLengths = rules.tokenLengths
    options.analysis.logs.forms =
      [linePattern?.form].compactMap { $0 } + ((try? forms?.forms.get()) ?? [])
    options.analysis.gateway.temporaryDirectory = TemporaryDirectory.path
    for limit in Limit.all {
      guard let target = limit.target else { continue }
      let number = limit.given(self).number
      options[keyPath: target] = limit.isWithinMemory ? min(number, memory) : number
    }
    options.reading.format = from.format
    options.reading.carving.rules = rules
    options.reading.carving.requestRules = requestRules
    options.reading.carving.logZone = logZone?.clock
    options.reading.lines = options.analysis.logs
    options.reading.carvesUnknown = streamProtocol == .auto
    options.reading.capture.filter = capture.filter
    options.reading.capture.serverPorts = protocolChoice.serverPorts
    options.reading.joins = capture.join
    options.failsOnUnrecognised = failOn.unrecognised
    return options
  }

  /// Collects tokens, within --memory.
  package func sightings(takesAll: Bool = true) -> TokenSightings {
    TokenSightings(memory: memory, now: UInt32(clamping: time(nil)), takesAll: takesAll)
  }

  /// `--requests` and `--responses`, if given.
  package var pair: [(name: String, half: Input.Half)] {
    [(requests, Input.Half.requests), (responses, .responses)].compactMap { name, half in
      name.map { ($0, half) }
    }
  }

  /// The names of the inputs as they were given.
  package var names: [String] {
    var paths = ArgumentPaths()
    return pair.map { Input(argument: $0.name, from: &paths).name } + named(&paths).map(\.name)
  }

  /// The inputs in their order, pairs apart: the arguments, then those of lists.
  package var inputs: [String] { arguments + filesFrom.flatMap(\.inputs).map(\.name) }

  /// The same options with one of the inputs.
  package func alone(_ name: String) -> InputOptions {
    var options = self
    (options.arguments, options.filesFrom) = ([name], [])
    return options
  }

  private func named(_ paths: inout ArgumentPaths) -> [Input] {
    arguments.map { Input(argument: $0, from: &paths) } + filesFrom.flatMap(\.inputs)
  }

  /// How the protocol of a stream is detected.
  var protocolChoice: ProtocolChoice {
    var choice = ProtocolChoice()
    choice.named = streamProtocol.named
    if !capture.feedbackPort.isEmpty { choice.feedbackPorts = Set(capture.feedbackPort) }
    if !capture.gatewayPort.isEmpty { choice.gatewayPorts = Set(capture.gatewayPort) }
    // A port that one option names is not a default port of the other.
    if capture.feedbackPort.isEmpty { choice.feedbackPorts.subtract(capture.gatewayPort) }
    if capture.gatewayPort.isEmpty { choice.gatewayPorts.subtract(capture.feedbackPort) }
    return choice
  }
}
