import ArgumentParser
import CommandOptions
import EvidenceReport
import Messages
import Platform

/// The contents of a report.
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

  @Flag(help: "Leave out the comparison with faulty readers.")
  var noAudit = false

  @Option(help: .init("Chunk size for those readers. (default: as audit)", valueName: "SIZE"))
  var chunkSize: Int?

  mutating func validate() throws {
    if let chunkSize, chunkSize < 1 { throw ValidationError(.sizeTooSmall("--chunk-size", chunkSize)) }
    if noAudit, chunkSize != nil { throw ValidationError("--no-audit and --chunk-size exclude each other") }
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
        page: texts + listed))
    (options.maxTokens, options.maxRepeated, options.maxLocations) = (
      limits.maxTokens, limits.maxRepeated, limits.maxLocations
    )
    (options.maxStreams, options.maxResponses) = (limits.maxStreams, limits.maxResponses)
    (options.maxDoubtful, options.maxFiles) = (limits.maxDoubtful, limits.maxFiles)
    options.now = madeAt?.seconds ?? UInt32(clamping: time(nil))
    (options.isAudited, options.chunkSize) = (!noAudit, chunkSize)
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
    let usual = Self.usual
    func number(_ name: String, _ value: Int, _ usual: Int) -> ReportOption {
      ReportOption(name, "\(value)", isDefault: value == usual)
    }
    return [
      ReportOption("--redact", redact.map { _ in "KEYFILE" }, isDefault: redact == nil),
      number("--max-tokens", limits.maxTokens, usual.maxTokens),
      number("--max-repeated", limits.maxRepeated, usual.maxRepeated),
      number("--max-files", limits.maxFiles, usual.maxFiles),
      number("--max-doubtful", limits.maxDoubtful, usual.maxDoubtful),
      number("--max-places", limits.maxLocations, usual.maxLocations),
      number("--max-streams", limits.maxStreams, usual.maxStreams),
      number("--max-responses", limits.maxResponses, usual.maxResponses),
      ReportOption("--no-audit", isDefault: !noAudit),
      ReportOption(
        "--chunk-size", chunkSize.map { "\($0)" } ?? "as captured", isDefault: chunkSize == nil),
      ReportOption(
        "--audit-memory", limits.auditMemory.defaultValueDescription,
        isDefault: limits.auditMemory.bytes == usual.auditMemory),
    ]
  }
}

/// How much a report lists.
struct ReportLimitOptions: ParsableArguments {
  private static let usual = ReportPageOptions.usual

  @Option(help: .init("Invalidated tokens to list.", valueName: "COUNT"))
  var maxTokens = ReportLimitOptions.usual.maxTokens

  @Option(help: .init("Most frequent tokens to list.", valueName: "COUNT"))
  var maxRepeated = ReportLimitOptions.usual.maxRepeated

  @Option(help: .init("Files to list that were not read.", valueName: "COUNT"))
  var maxFiles = ReportLimitOptions.usual.maxFiles

  @Option(help: .init("Doubtful records, and doubtful tokens, to list.", valueName: "COUNT"))
  var maxDoubtful = ReportLimitOptions.usual.maxDoubtful

  @Option(
    name: .customLong("max-places"), help: .init("Excerpts to show of each finding.", valueName: "COUNT"))
  var maxLocations = ReportLimitOptions.usual.maxLocations

  @Option(help: .init("Streams to list.", valueName: "COUNT"))
  var maxStreams = ReportLimitOptions.usual.maxStreams

  @Option(help: .init("Error responses to list.", valueName: "COUNT"))
  var maxResponses = ReportLimitOptions.usual.maxResponses

  @Option(
    help: .init(
      "Memory for the streams that faulty readers read; larger ones are skipped.", valueName: "SIZE"))
  var auditMemory = SizeArgument(ReportLimitOptions.usual.auditMemory)

  mutating func validate() throws {
    for (name, value) in [
      ("--max-tokens", maxTokens), ("--max-repeated", maxRepeated), ("--max-doubtful", maxDoubtful),
      ("--max-files", maxFiles), ("--max-places", maxLocations),
      ("--max-streams", maxStreams), ("--max-responses", maxResponses),
    ] {
      // `export` writes everything; a longer page is unusable.
      try checkRange(name, value, 0...100_000)
    }
  }
}
