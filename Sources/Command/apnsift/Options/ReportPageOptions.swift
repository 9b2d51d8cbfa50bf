import ArgumentParser
import Basics
import CommandOptions
import EvidenceReport

struct ReportPageOptions: ParsableArguments {
  fileprivate static let usual = ReportOptions(ReportHead(title: "", version: ""), commands: CommandLines())

  @Option(help: .init("Title. (default: the inputs)", valueName: "TEXT"))
  var title: String?
  @Option(name: .customLong("case"), help: .init("Number or name of the case.", valueName: "TEXT"))
  var caseName: String?
  @Option(help: .init("Name of the examiner.", valueName: "NAME"))
  var examiner: String?
  @Option(help: .init("Remarks: a file, or the text itself.", valueName: "FILE|TEXT"))
  var notes: String?
  @Option(help: .init("Time of the report, RFC 3339 or Unix seconds. (default: omitted)", valueName: "TIME"))
  var madeAt: TimeArgument?
  @Option(help: .init("Replace tokens by pseudonyms made with this key.", valueName: "KEYFILE"))
  var redact: String?
  @Flag(help: "Count the records of identical inputs once.")
  var uniqueInputs = false
  @Option(
    help: .init(
      "Also show how the tokens differ from those of another file or directory.", valueName: "INPUT"))
  var compare: String?
  @Flag(help: "Also show what five faulty readers would have reported.")
  var readers = false
  @Flag(help: "Add a script that sorts, filters and searches up to 50,000 tokens.")
  var interactive = false
  @Option(help: .init("Chunk size for those readers. (default: as audit)", valueName: "SIZE"))
  var chunkSize: Int?

  mutating func validate() throws {
    if let chunkSize { try checkRange("--chunk-size", chunkSize, 1...Int.max) }
    if chunkSize != nil, !readers { throw ValidationError("--chunk-size needs --readers") }
  }

  /// - Parameter version: of apnsift.
  func options(
    for input: InputOptions, _ limits: ReportLimitOptions, _ local: LocalTimeOptions, version: String
  ) -> ReportOptions {
    let inputs = [input.requests, input.responses].compactMap { $0 } + input.inputs
    var head = ReportHead(title: title ?? ReportHead.title(of: inputs), version: version)
    head.madeAt = madeAt?.defaultValueDescription
    head.caseName = caseName
    head.examiner = examiner
    head.clock = local.clock
    let listed =
      [ReportOption("--time-zone", local.timeZone ?? "none", isDefault: local.timeZone == nil)]
      + self.listed(limits)
    head.options = input.listed + listed
    var options = ReportOptions(
      head,
      commands: CommandLines(
        inputs, pair: input.requests != nil, joined: input.capture.join, options: input.listed,
        page: texts + listed, compared: compare))
    options.compared = compare
    options.limits = limits.limits
    options.now = madeAt?.seconds ?? UInt32(clamping: time(nil))
    (options.isAudited, options.chunkSize, options.isInteractive) = (readers, chunkSize, interactive)
    (options.auditMemory, options.memory) = (limits.auditMemory.bytes, input.memory)
    return options
  }

  /// The texts of the page, as options that make it again.
  private var texts: [ReportOption] {
    [
      ("--title", title), ("--case", caseName), ("--examiner", examiner), ("--notes", notes),
      ("--made-at", madeAt?.defaultValueDescription),
    ].map { ReportOption($0.0, $0.1, isDefault: $0.1 == nil) }
  }

  /// The options that shape the page, except its texts.
  private func listed(_ limits: ReportLimitOptions) -> [ReportOption] {
    [
      ReportOption("--redact", redact.map { _ in "KEYFILE" }, isDefault: redact == nil),
      ReportOption("--unique-inputs", isDefault: !uniqueInputs),
      ReportOption("--compare", compare ?? "none", isDefault: compare == nil),
    ] + limits.listed + [
      ReportOption("--readers", isDefault: !readers),
      ReportOption("--interactive", isDefault: !interactive),
      ReportOption(
        "--chunk-size", chunkSize.map { "\($0)" } ?? "as captured", isDefault: chunkSize == nil),
      ReportOption(
        "--audit-memory", limits.auditMemory.defaultValueDescription,
        isDefault: limits.auditMemory.bytes == Self.usual.auditMemory),
    ]
  }
}

/// How much a report lists.
struct ReportLimitOptions: ParsableArguments {
  private static let usual = ReportLimits()

  @Option(help: .init("Tokens to list.", valueName: "COUNT"))
  var maxTokens = ReportLimitOptions.usual.tokens
  @Option(help: .init("Most frequent tokens to list.", valueName: "COUNT"))
  var maxRepeated = ReportLimitOptions.usual.repeated
  @Option(help: .init("Inputs to list that were read.", valueName: "COUNT"))
  var maxInputs = ReportLimitOptions.usual.inputs
  @Option(help: .init("Files to list that were not read.", valueName: "COUNT"))
  var maxFiles = ReportLimitOptions.usual.files
  @Option(help: .init("Doubtful records, and doubtful tokens, to list.", valueName: "COUNT"))
  var maxDoubtful = ReportLimitOptions.usual.doubtful
  @Option(help: .init("Chains of recovered records to list.", valueName: "COUNT"))
  var maxChains = ReportLimitOptions.usual.chains
  @Option(help: .init("Excerpts to show of each finding.", valueName: "COUNT"))
  var maxPlaces = ReportLimitOptions.usual.excerpts
  @Option(help: .init("Streams to list.", valueName: "COUNT"))
  var maxStreams = ReportLimitOptions.usual.streams
  @Option(help: .init("Error responses to list.", valueName: "COUNT"))
  var maxResponses = ReportLimitOptions.usual.responses
  @Option(
    help: .init(
      "Memory for the streams that faulty readers read; larger ones are skipped.", valueName: "SIZE"))
  var auditMemory = SizeArgument(ReportPageOptions.usual.auditMemory)

  /// The counts among the options, each with what it sets.
  private static var counts:
    [(name: String, option: KeyPath<Self, Int>, limit: WritableKeyPath<ReportLimits, Int>)]
  {
    [
      ("--max-tokens", \.maxTokens, \.tokens), ("--max-repeated", \.maxRepeated, \.repeated),
      ("--max-inputs", \.maxInputs, \.inputs), ("--max-files", \.maxFiles, \.files),
      ("--max-doubtful", \.maxDoubtful, \.doubtful), ("--max-chains", \.maxChains, \.chains),
      ("--max-places", \.maxPlaces, \.excerpts), ("--max-streams", \.maxStreams, \.streams),
      ("--max-responses", \.maxResponses, \.responses),
    ]
  }

  var limits: ReportLimits {
    var limits = ReportLimits()
    for count in Self.counts { limits[keyPath: count.limit] = self[keyPath: count.option] }
    return limits
  }

  fileprivate var listed: [ReportOption] {
    Self.counts.map { count in
      let value = self[keyPath: count.option]
      return ReportOption(count.name, "\(value)", isDefault: value == Self.usual[keyPath: count.limit])
    }
  }

  mutating func validate() throws {
    // `export` writes everything; a longer page is unusable.
    for count in Self.counts { try checkRange(count.name, self[keyPath: count.option], 0...100_000) }
  }
}
