import Analysis
import Basics
import Conformance
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
  package var isInteractive = false
  /// The name of the inputs that the tokens are compared with; nil without them.
  package var compared: String?
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
  private let sightings: TokenSightings
  private let collector: ReportCollector
  private let origins = TokenOrigins()
  private let readers = ReaderTotals()
  /// Runs the readers when a stream ends; nil if the readers are not tested.
  private let auditor: StreamAuditor?
  private let chunks: StreamChunks

  package init(_ options: ReportOptions) {
    self.options = options
    table = TokenTable(memory: options.memory / 2)
    sightings = TokenSightings(memory: options.memory / 2, now: options.now)
    collector = ReportCollector(options.head, options.limits)
    chunks = options.chunkSize.map { .sizes([$0]) } ?? .asCaptured
    auditor =
      options.isAudited
      ? StreamAuditor(
        chunks, memory: min(options.auditMemory, options.memory), memoryOption: "--audit-memory",
        skipsUnrecognised: true, report: readers)
      : nil
  }

  /// Reads the inputs and returns the page.
  /// - Parameters:
  ///   - others: sinks that get the same evidence.
  ///   - compared: the inputs of `options.compared`.
  package func page(
    of examination: inout Examination, others: [(any EvidenceSink)?] = [],
    comparedWith compared: inout Examination?
  ) throws -> ReportPage {
    examination.options.analysis.excerptsPerCode = options.limits.excerpts
    // As a replay does, for any app.
    let pushes = PushCollector(
      table, flaggedCount: false, takesErrors: false, takesOtherApps: true, now: options.now, origins: origins
    )
    let tuples = TokenCollector(table, flaggedCount: false, origins: origins)
    try examination.run([collector, tuples, pushes, sightings, auditor?.recorder()] + others)
    try auditor?.endInput()
    collector.finish(examination.summary, command: options.commands.show)
    var page = collector.page
    (page.inputs, page.failures) = (examination.inputs, examination.failures)
    page.searchedBytes = page.files.reduce(0) { $0 + $1.searchedBytes }
    sightings.side = 1
    try compared?.run([sightings])
    try addTokens(to: &page, failures: compared?.failures ?? 0)
    var invalidations = InvalidationCollector(options.limits, options.head.clock)
    page.invalidations = try invalidations.gather(table, origins.sources)
    page.invalidations.undatedPushes =
      pushes.leftOut.undated + pushes.leftOut.untimed + pushes.leftOut.withoutToken
    (page.readers, page.auditedStreams) = (readers.totals, readers.streams)
    page.auditedStreams.unrecognised = auditor?.unrecognised ?? 0
    (page.isAudited, page.chunks) = (options.isAudited, chunks.text)
    page.commands = options.commands.all(
      audit: options.chunkSize.map { " --chunk-size \($0)" } ?? "",
      flagged: [page.flagged, page.recovered])
    if let key = options.key { try Redaction.redact(&page, key: key) }
    return page
  }

  /// - Parameter failures: of the inputs that the page is compared with.
  private func addTokens(to page: inout ReportPage, failures: Int) throws {
    page.isInteractive = options.isInteractive
    let most = max(options.limits.tokens, options.isInteractive ? TokenLine.mostInteractive : 0)
    var chosen = TopK<(token: [UInt8], history: TokenHistory)>(most, by: TokenLine.precede)
    var counts = TokenCounts()
    var differences = options.compared.map { TokenDifferences(from: $0) }
    var latest = TopK<TokenDifference>(options.limits.tokens, by: TokenDifferences.precede)
    try sightings.visitSides { token, own, other in
      if let own {
        counts.add(own)
        chosen.add((token, own))
      }
      if differences == nil { return }
      let difference = TokenDifference(token, own, other)
      differences?.count(difference)
      if let difference { latest.add(difference) }
    }
    differences?.failures = failures
    differences?.rows = latest.sorted.compactMap { TokenDifferences.Row($0) }
    (page.summary.tokens, page.differences) = (counts, differences)
    let inputs = Dictionary(
      page.inputs.enumerated().map { ($1.source, $0) }, uniquingKeysWith: { first, _ in first })
    page.tokens = chosen.sorted.map { TokenLine($0.token, $0.history, input: inputs[$0.history.source]) }
  }
}
