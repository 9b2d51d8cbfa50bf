import ArgumentParser
import EvidenceReport

/// What stands in a report, and how much of it.
struct ReportPageOptions: ParsableArguments {
  /// A page with more is of no use to anybody.
  private static let most = 100_000

  private static let usual = ReportOptions(ReportHead(title: "", version: ""), commands: CommandLines())

  @Option(help: "The heading. (default: of which inputs it is)")
  var title: String?

  @Option(help: "Remarks of the examiner: a file, or else the text itself. An empty line ends a paragraph.")
  var note: String?

  @Option(help: "When the report was made, RFC 3339 or seconds; it does not say unless told.")
  var madeAt: TimeArgument?

  @Option(help: "Who made it.")
  var madeBy: String?

  @Option(
    help: ArgumentHelp(
      "Replace tokens by pseudonyms that follow from them and this file's bytes, 16 or more.",
      valueName: "key-file"))
  var redact: String?

  @Option(help: "How many dead tokens are listed.")
  var maxTokens = ReportPageOptions.usual.maxTokens

  @Option(help: "How many of the tokens are listed that are named most often.")
  var maxRepeated = ReportPageOptions.usual.maxRepeated

  @Option(help: "How many places are shown of each kind of finding.")
  var maxPlaces = ReportPageOptions.usual.maxPlaces

  @Option(help: "How many streams are listed.")
  var maxStreams = ReportPageOptions.usual.maxStreams

  @Option(help: "How many error responses are listed.")
  var maxResponses = ReportPageOptions.usual.maxResponses

  @Flag(help: "Leave out what faulty readers would have made of it.")
  var noAudit = false

  @Option(help: "Let those readers read chunks of so many bytes. (default: as audit)")
  var chunkSize: Int?

  @Option(help: "Memory for the streams that the readers read: larger ones are not judged.")
  var auditMemory = SizeArgument(ReportPageOptions.usual.auditMemory)

  mutating func validate() throws {
    for (name, value) in [
      ("--max-tokens", maxTokens), ("--max-repeated", maxRepeated), ("--max-places", maxPlaces),
      ("--max-streams", maxStreams), ("--max-responses", maxResponses),
    ] where !(0...Self.most).contains(value) {
      throw ValidationError("\(name) is \(value): 0 to \(Self.most) are possible; export writes them all.")
    }
    if let chunkSize, chunkSize < 1 {
      throw ValidationError("--chunk-size is \(chunkSize): a chunk has 1 byte or more.")
    }
    if noAudit, chunkSize != nil {
      throw ValidationError("--no-audit and --chunk-size exclude each other.")
    }
  }

  /// - Parameters:
  ///   - input: the options that inputs are read with.
  ///   - version: of apnsift.
  func options(for input: InputOptions, version: String) -> ReportOptions {
    let inputs = [input.requests, input.responses].compactMap { $0 } + input.inputs
    var head = ReportHead(title: title ?? ReportHead.title(of: inputs), version: version)
    head.madeAt = madeAt?.defaultValueDescription
    head.madeBy = madeBy
    head.options = input.listed + listed
    var options = ReportOptions(
      head,
      commands: CommandLines(
        inputs, pair: input.requests != nil, joined: input.capture.join, options: input.listed))
    (options.maxTokens, options.maxRepeated, options.maxPlaces) = (maxTokens, maxRepeated, maxPlaces)
    (options.maxStreams, options.maxResponses) = (maxStreams, maxResponses)
    (options.isAudited, options.chunkSize) = (!noAudit, chunkSize)
    (options.auditMemory, options.memory) = (auditMemory.bytes, input.memory.bytes)
    return options
  }

  /// The options that shape the page, but for its words.
  private var listed: [ReportOption] {
    let usual = Self.usual
    func number(_ name: String, _ value: Int, _ usual: Int) -> ReportOption {
      ReportOption(name, "\(value)", isDefault: value == usual)
    }
    return [
      ReportOption("--redact", isDefault: redact == nil),
      number("--max-tokens", maxTokens, usual.maxTokens),
      number("--max-repeated", maxRepeated, usual.maxRepeated),
      number("--max-places", maxPlaces, usual.maxPlaces),
      number("--max-streams", maxStreams, usual.maxStreams),
      number("--max-responses", maxResponses, usual.maxResponses),
      ReportOption("--no-audit", isDefault: !noAudit),
      ReportOption(
        "--chunk-size", chunkSize.map { "\($0)" } ?? "as captured", isDefault: chunkSize == nil),
      ReportOption(
        "--audit-memory", auditMemory.defaultValueDescription,
        isDefault: auditMemory.bytes == usual.auditMemory),
    ]
  }
}
