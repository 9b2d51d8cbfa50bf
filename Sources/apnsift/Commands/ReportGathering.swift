import Analysis
import EvidenceReport
import Platform
import Readers
import Reports

/// One pass over the inputs, and the report's rows from it.
struct ReportGathering {
  private let input: InputOptions
  private let options: ReportPageOptions
  private let names: TokenNames
  private let table: TokenTable
  private let places: PlaceKeeper
  private let collector: ReportCollector
  private let readers: ReaderTotals
  /// Judges streams when they end; nil where no readers are asked for.
  private let auditor: StreamAuditor?
  private let analyzer: Analyzer

  init(_ input: InputOptions, _ options: ReportPageOptions, names: TokenNames) throws {
    self.input = input
    self.options = options
    self.names = names
    let redacts = names.key != nil
    table = TokenTable(memory: input.memory.bytes, temporaryDirectory: TemporaryDirectory.path)
    places = PlaceKeeper(redacts: redacts)
    collector = ReportCollector(
      maxStreams: options.maxStreams, maxResponses: options.maxResponses, names: names)
    readers = ReaderTotals(redacts: redacts)
    let memory = min(options.auditMemory.bytes, input.memory.bytes)
    let auditor =
      options.noAudit
      ? nil
      : StreamAuditor(
        options.chunks, memory: memory, memoryOption: "--audit-memory", skipsUnrecognised: true,
        report: readers)
    self.auditor = auditor
    let sinks: [(any EvidenceSink)?] = [
      collector, places, TokenCollector(table, flaggedCount: false), auditor?.recorder(),
    ]
    var analysis = input.analysis
    analysis.excerptsPerCode = options.maxPlaces
    analyzer = Analyzer(analysis, sinks: sinks.compactMap { $0 })
  }

  /// Counts over all that was read.
  private(set) var summary = Summary()

  mutating func run(_ examination: inout Examination) throws {
    try examination.run(analyzer)
    try auditor?.endInput()
    summary = analyzer.summary
  }

  // MARK: - The page

  func page(of examination: Examination, note: [String]) throws -> ReportPage {
    var gathering = DeathGathering(
      maxTokens: options.maxTokens, maxRepeated: options.maxRepeated,
      times: input.rules.earliest...input.rules.latest)
    let commands = CommandLines(input)
    var page = ReportPage(head(note))
    page.inputs = examination.inputs
    page.failures = examination.failures
    page.summary = summary
    page.flaggedRecords = collector.flaggedRecords
    page.streams = collector.sortedStreams
    page.streamsLeftOut = collector.streamsLeftOut
    page.decodedStreams = collector.decodedStreams
    page.findings = FindingCode.allCases.compactMap { code in
      guard let count = summary.findings[code], count > 0 else { return nil }
      return FoundCode(code: code, count: count, places: places.places(of: code, command: commands.show))
    }
    page.deaths = try gathering.gather(table, names: names)
    page.gateway = collector.gateway
    page.readers = readers.totals
    page.auditedStreams = AuditedStreams(
      judged: readers.judgedStreams, conditional: readers.conditionalStreams,
      unrecognised: auditor?.unrecognised ?? 0)
    page.isAudited = auditor != nil
    page.chunks = options.chunks.text
    page.commands = commands.all(audit: options.chunkSize.map { " --chunk-size \($0)" } ?? "")
    return names.key == nil ? page : page.masked()
  }

  private func head(_ note: [String]) -> ReportHead {
    var head = ReportHead(title: options.title ?? defaultTitle, version: Apnsift.version)
    head.note = note
    head.madeAt = options.madeAt?.defaultValueDescription
    head.madeBy = options.madeBy
    head.isRedacted = names.key != nil
    head.options = (input.listed + options.listed).map { option in
      ReportHead.Option(
        option.name, option.value ?? (option.isDefault ? "not given" : "given"), isDefault: option.isDefault)
    }
    return head
  }

  private var defaultTitle: String {
    let names = [input.requests, input.responses].compactMap { $0 } + input.inputs
    if names.count == 1, let name = names.first {
      return "Examination of \(name == "-" ? "standard input" : name)"
    }
    return "Examination of \(names.count) inputs"
  }
}
