import APNsWire
import Analysis
import Messages
import Platform
import Reports
import StreamInputs
import TokenStores

/// Invalidates the tokens of inputs in a store, and reports what is skipped.
package struct StoreReplay {
  private let store: TokenStore
  private let owner: AppEnvironment
  package var options = ReplayOptions()
  /// Whether records with flags are accepted.
  package var includesFlagged = false
  /// Whether to invalidate tokens that a gateway reported as invalid.
  package var includesErrors = false
  /// Whether to replay the readable part of damaged inputs.
  package var isPartial = false
  /// Whether to skip damaged inputs, and replay the others.
  package var skipsUnreadable = false
  /// Whether to skip inputs that were replayed before.
  package var skipsReplayed = false
  /// Whether to replay feedback although a client's certificate names another app.
  package var acceptsOtherApp = false
  /// The memory for distinct tokens, in bytes.
  package var memory = 1 << 30
  /// For the journal: the version of apnsift, and the options as JSON. Nil records nothing.
  package var record: (version: String, options: String)?
  /// Called for each row that is changed, or would be by a dry run, with the input of the deciding record.
  package var onChange: ((_ change: JournalChange, _ input: ReplayedInput?) throws -> Void)?

  package init(into store: TokenStore, for owner: AppEnvironment) {
    (self.store, self.owner) = (store, owner)
  }

  package func run(_ examination: inout Examination) throws -> ReplayOutcomeReport {
    let known = ReplayedInputs()
    if skipsReplayed { examination.skips = { try isReplayed($0, known) } }
    var (tokens, rejections) = collectors()
    let apps = ClientApps()
    try examination.run([tokens, rejections, apps])
    if skipsUnreadable, examination.failures > 0 {
      (tokens, rejections) = collectors()
      try examination.runWithoutFailed([tokens, rejections])
    }
    let table = tokens.table
    known.say()
    try reportReplayed(examination)
    try checkFailures(examination)
    try apps.check(against: owner.app, store: store.name, acceptsOther: acceptsOtherApp)
    sayLeftOut(rejections, examination.summary)
    if let warning = try EnvironmentMismatchCheck(store: store, owner: owner).warning(table) {
      Console.note(warning)
    }
    let answer = try replay(tokens, of: examination)
    return ReplayOutcomeReport(
      store: store.name, dryRun: options.dryRun, owner: owner, inputs: examination.inputs.count,
      tuples: examination.summary.feedback, rejections: rejections?.count, answer: answer)
  }

  private func collectors() -> (TokenCollector, RejectionCollector?) {
    let table = TokenTable(memory: memory, temporaryDirectory: TemporaryDirectory.path)
    let origins = record != nil || onChange != nil ? TokenOrigins() : nil
    let tokens = TokenCollector(table, flaggedCount: includesFlagged, origins: origins)
    guard includesErrors else { return (tokens, nil) }
    let now = UInt32(clamping: time(nil))
    return (
      tokens, RejectionCollector(table, flaggedCount: includesFlagged, now: now, origins: origins)
    )
  }

  /// - Throws: if an input failed, and no option accepts that. A dry run reports it, and continues.
  private func checkFailures(_ examination: Examination) throws {
    guard examination.failures > 0, !isPartial, !skipsUnreadable else { return }
    guard options.dryRun else {
      throw Failure(.storeUnchanged(store.name, unreadable: examination.failures))
    }
    Console.say(.storeWouldBeUnchanged(store.name, unreadable: examination.failures))
  }

  // MARK: - Replayed before

  /// The skipped inputs, for one message about all of them.
  private final class ReplayedInputs {
    var names: Set<String> = []
    var replays: Set<Int> = []

    func say() {
      guard let first = names.first, let replay = replays.first else { return }
      if names.count == 1 { return Console.note(.inputSkipped(first, replayedBy: replay)) }
      Console.note(.inputsSkipped(names.count, replayedBy: replays.sorted()))
    }
  }

  /// Whether `input` was replayed before; then `known` has it.
  private func isReplayed(_ input: Input, _ known: ReplayedInputs) throws -> Bool {
    guard let digest = InputHash.digest(of: input),
      let replay = try store.replays(ofInputs: [digest], for: owner)[digest]
    else { return false }
    known.names.insert(input.name)
    known.replays.insert(replay)
    return true
  }

  /// Reports inputs that were replayed before: it is normal that they change nothing.
  private func reportReplayed(_ examination: Examination) throws {
    let known = try store.replays(ofInputs: examination.inputs.compactMap(\.sha256), for: owner)
    for input in examination.inputs {
      guard let digest = input.sha256, let replay = known[digest] else { continue }
      let message = Message.alreadyReplayed(by: replay)
      Console.note(.about(input.source, message))
      try examination.report(Finding(source: input.source, code: .alreadyReplayed, message: message))
    }
  }

  // MARK: - Replaying

  /// Reports the skipped requests and responses of a gateway.
  private func sayLeftOut(_ rejections: RejectionCollector?, _ summary: Summary) {
    if let rejections {
      guard rejections.skippedCount > 0 else { return }
      Console.note(.invalidTokenResponsesSkipped(rejections.skippedCount))
    } else if summary.gateway.responses > 0 {
      Console.note(.errorResponsesSkipped(summary.gateway.responses))
    } else if summary.gateway.requests > 0 {
      Console.note(.requestsSkipped(summary.gateway.requests))
    }
  }

  /// Replays the collected tokens into the store, in one transaction.
  private func replay(_ tokens: TokenCollector, of examination: Examination) throws -> ReplayAnswer {
    let sources = tokens.origins?.sources ?? []
    // A journal numbers the inputs as it lists them.
    let inputs = sources.map { source in examination.inputs.firstIndex { $0.source == source } }
    var origin: TokenOrigin?
    var trace = ReplayTrace {
      guard let origin, inputs.indices.contains(Int(origin.input)), let input = inputs[Int(origin.input)]
      else {
        return nil
      }
      return RecordOrigin(input: input, stream: Int(origin.stream), offset: Int(clamping: origin.offset))
    }
    if let onChange {
      trace.visit = { change in
        try onChange(change, change.origin.map { Self.replayed(examination.inputs[$0.input]) })
      }
    }
    var rejection = Rejection()
    var progress = TokenProgress()
    defer { progress.clear() }
    var options = options
    options.sampleLength = options.dryRun ? ReplayOutcomeReport.sampleLength : 0
    let record = examination.inputs.isEmpty ? nil : record
    var answer = try store.replay(
      { visit in
        rejection = Rejection()
        progress.tokens = 0
        try tokens.table.visit { token, verdict in
          origin = verdict.origin
          guard let time = verdict.time else { return rejection.add(verdict.flags) }
          try visit(token, time)
          progress.advance()
        }
      }, for: owner, options: options,
      entry: record.map { record in { Self.entry(record, of: examination, rejected: rejection.count) } },
      trace: tokens.origins == nil ? nil : trace)
    answer.counts.rejected = rejection.count
    progress.clear()
    if let advice = rejection.advice { Console.note(advice) }
    if answer.repeated > 0 { Console.note(.tokensInSeveralRows(answer.repeated)) }
    if let stop = answer.stop { Console.say(.replayWouldStop(stop.message)) }
    return answer
  }

  private static func replayed(_ input: InputSummary) -> ReplayedInput {
    ReplayedInput(source: input.source, sha256: input.sha256 ?? "", bytes: input.bytes)
  }

  private static func entry(
    _ record: (version: String, options: String), of examination: Examination, rejected: Int
  ) -> JournalEntry {
    JournalEntry(
      at: Int64(time(nil)), version: record.version,
      inputs: examination.inputs.map(replayed),
      options: record.options, tuples: examination.summary.feedback, rejected: rejected)
  }
}

/// Tokens without an accepted record.
private struct Rejection {
  private(set) var count = 0
  private var flags: RecordFlags = []

  mutating func add(_ flags: RecordFlags) {
    count += 1
    self.flags.formUnion(flags)
  }

  /// The flags, and the options that accept such records; nil if no token was rejected.
  var advice: Message? {
    guard count > 0 else { return nil }
    let hasLength = flags.contains(.unexpectedTokenLength) || flags.contains(.zeroLengthToken)
    return .tokensRejected(count, flags: flags.codes, hasLength: hasLength)
  }
}
