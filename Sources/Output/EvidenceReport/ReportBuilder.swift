import Analysis
import Basics
import Conformance
import PacketCapture
import Reports

/// How much a report lists.
package struct ReportLimits: Sendable {
  package var tokens = 300
  package var repeated = 10
  /// Files that were read, and that were not.
  package var inputs = 100
  package var files = 100
  /// Doubtful records, and doubtful tokens.
  package var doubtful = 30
  package var chains = 50
  package var excerpts = 5
  package var streams = 30
  package var responses = 20

  package init() {}
}

/// The content and limits of a report.
package struct ReportOptions {
  package var head: ReportHead
  /// For pseudonyms; nil unless the report is redacted.
  package var key: [UInt8]?
  package var limits = ReportLimits()
  package var isAudited = false
  /// Chunk size for the readers, in bytes; nil uses the captured chunks.
  package var chunkSize: Int?
  /// Memory for the streams that the readers get, in bytes.
  package var auditMemory = 64 << 20
  /// Memory for distinct tokens, in bytes.
  package var memory = 1 << 30
  /// The latest plausible time of a push with status 410, in seconds since 1970.
  package var now = UInt32.max
  package var commands: CommandLines

  package init(_ head: ReportHead, commands: CommandLines) { (self.head, self.commands) = (head, commands) }
}

/// Gathers the rows of a report in one pass over the inputs.
package struct ReportBuilder {
  private let options: ReportOptions
  private let table: TokenTable
  private let excerpts: FindingExcerpts
  private let collector: ReportCollector
  private let flagged: FlaggedRecordCollector
  private let origins = TokenOrigins()
  private let readers: ReaderTotals
  /// Runs the readers when a stream ends; nil if the readers are not tested.
  private let auditor: StreamAuditor?
  private let chunks: StreamChunks

  package init(_ options: ReportOptions) {
    self.options = options
    table = TokenTable(memory: options.memory, temporaryDirectory: TemporaryDirectory.path)
    excerpts = FindingExcerpts(maxExcerpts: options.limits.excerpts)
    flagged = FlaggedRecordCollector(options.limits)
    collector = ReportCollector(options.limits)
    readers = ReaderTotals()
    chunks = options.chunkSize.map { .sizes([$0]) } ?? .asCaptured
    auditor =
      options.isAudited
      ? StreamAuditor(
        chunks, memory: min(options.auditMemory, options.memory), memoryOption: "--audit-memory",
        skipsUnrecognised: true, report: readers)
      : nil
  }

  /// Reads the inputs and returns the page.
  /// - Parameter others: sinks that get the same evidence.
  package func page(
    of examination: inout Examination, others: [(any EvidenceSink)?] = []
  ) throws -> ReportPage {
    examination.options.analysis.excerptsPerCode = options.limits.excerpts
    // As a replay does, for any app.
    let pushes = PushCollector(
      table, flaggedCount: false, takesErrors: false, takesOtherApps: true, now: options.now, origins: origins
    )
    let sinks: [(any EvidenceSink)?] = [
      collector, excerpts, flagged, TokenCollector(table, flaggedCount: false, origins: origins),
      pushes,
      auditor?.recorder(),
    ]
    try examination.run(sinks + others)
    try auditor?.endInput()
    var page = ReportPage(options.head)
    page.inputs = examination.inputs
    page.files = collector.files
    page.limits = options.limits
    page.failures = examination.failures
    page.searchedBytes = page.files.reduce(0) { $0 + $1.searchedBytes }
    page.summary = examination.summary
    page.flagged = flagged.counts
    page.flaggedRecords = flagged.rows
    (page.recovered, page.chains) = (flagged.recovered.counts, flagged.recovered.chains)
    page.chainCount = flagged.recovered.chainCount
    page.streams = collector.sortedStreams
    page.streamsLeftOut = collector.streamsLeftOut
    page.decodedStreams = collector.decodedStreams
    page.findings = FindingCode.allCases.compactMap { code in
      guard let count = page.summary.findings[code], count > 0 else { return nil }
      let examples = excerpts.examples(of: code, command: options.commands.show)
      return FindingGroup(code: code, count: count, examples: examples)
    }
    var invalidations = InvalidationCollector(options.limits, options.head.clock)
    page.invalidations = try invalidations.gather(table, origins.sources)
    page.invalidations.undatedPushes =
      pushes.leftOut.undated + pushes.leftOut.untimed + pushes.leftOut.withoutToken
    page.gateway = collector.gateway
    page.readers = readers.totals
    page.auditedStreams = readers.streams
    page.auditedStreams.unrecognised = auditor?.unrecognised ?? 0
    page.isAudited = options.isAudited
    page.chunks = chunks.text
    page.commands = options.commands.all(
      audit: options.chunkSize.map { " --chunk-size \($0)" } ?? "",
      flagged: [page.flagged, page.recovered])
    if let key = options.key { try Redaction.redact(&page, key: key) }
    return page
  }
}
