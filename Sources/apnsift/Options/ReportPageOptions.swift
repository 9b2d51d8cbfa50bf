import Analysis
import ArgumentParser
import WireBytes

/// What stands in a report, and how much of it.
struct ReportPageOptions: ParsableArguments {
  /// A page with more is of no use to anybody.
  private static let most = 100_000

  /// What is taken where nothing is said.
  private enum Usual {
    static let tokens = 1000
    static let repeated = 10
    static let places = 5
    static let streams = 100
    static let responses = 100
    static let auditMemory = 64 << 20
  }

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
  var maxTokens = Usual.tokens

  @Option(help: "How many of the tokens are listed that are named most often.")
  var maxRepeated = Usual.repeated

  @Option(help: "How many places are shown of each kind of finding.")
  var maxPlaces = Usual.places

  @Option(help: "How many streams are listed.")
  var maxStreams = Usual.streams

  @Option(help: "How many error responses are listed.")
  var maxResponses = Usual.responses

  @Flag(help: "Leave out what faulty readers would have made of it.")
  var noAudit = false

  @Option(help: "Let those readers read chunks of so many bytes. (default: as audit)")
  var chunkSize: Int?

  @Option(help: "Memory for the streams that the readers read: larger ones are not judged.")
  var auditMemory = SizeArgument(Usual.auditMemory)

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

  var chunks: StreamChunks { chunkSize.map { .sizes([$0]) } ?? .asCaptured }

  /// The options that shape the page, but for its words.
  var listed: [ListedOption] {
    func number(_ name: String, _ value: Int, _ usual: Int) -> ListedOption {
      ListedOption(name: name, value: "\(value)", isDefault: value == usual)
    }
    return [
      ListedOption(name: "--redact", isDefault: redact == nil),
      number("--max-tokens", maxTokens, Usual.tokens), number("--max-repeated", maxRepeated, Usual.repeated),
      number("--max-places", maxPlaces, Usual.places), number("--max-streams", maxStreams, Usual.streams),
      number("--max-responses", maxResponses, Usual.responses),
      ListedOption(name: "--no-audit", isDefault: !noAudit),
      ListedOption(
        name: "--chunk-size", value: chunkSize.map { "\($0)" } ?? "as captured", isDefault: chunkSize == nil),
      ListedOption(
        name: "--audit-memory", value: auditMemory.defaultValueDescription,
        isDefault: auditMemory.bytes == Usual.auditMemory),
    ]
  }
}
