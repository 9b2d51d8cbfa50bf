import APNsWire
import Analysis
import Basics
import Reports
import StreamInputs

/// Invalidates the tokens of inputs in a store, and reports what is skipped.
package struct StoreReplay {
  private let store: TokenStore
  private let owner: AppEnvironment
  package var options = ReplayOptions()
  /// Whether records with flags are accepted.
  package var includesFlagged = false
  /// Whether to invalidate the tokens of token errors, as of their capture time.
  package var includesErrors = false
  /// Whether to replay the readable part of damaged inputs.
  package var isPartial = false
  /// Whether to skip damaged inputs, and replay the others.
  package var skipsUnreadable = false
  /// Whether to skip inputs that were replayed before.
  package var skipsReplayed = false
  /// Whether to replay although a client's certificate or a push's topic names another app.
  package var acceptsOtherApp = false
  /// The kind of tokens that pushes invalidate.
  package var tokenKind = TokenKind.device
  /// The memory for distinct tokens, in bytes.
  package var memory = 1 << 30
  /// For the journal: the version of apnsift, and the options as JSON. Nil records nothing.
  package var record: (version: String, options: String)?
  /// Gets the replay as SQL; only of a dry run.
  package var script: ReplayScript?
  /// Called for each row that is changed, or would be by a dry run, with the input of the deciding record.
  package var onChange: ((_ change: JournalChange, _ input: ReplayedInput?) throws -> Void)?

  package init(into store: TokenStore, for owner: AppEnvironment) {
    (self.store, self.owner) = (store, owner)
  }

  package func run(_ examination: inout Examination) throws -> ReplayOutcomeReport {
    let listed = try ReviewedList.rows(of: examination.walk.inputs)
    var known: [String: Int] = [:]
    if skipsReplayed {
      examination.skips = { input in
        known[input.name] = try earlierReplay(of: input)
        return known[input.name] != nil
      }
    }
    var collected = Collectors(self)
    let apps = ClientApps()
    try examination.run(collected.sinks + [apps])
    if skipsUnreadable, examination.failures > 0 {
      collected = Collectors(self)
      try examination.runWithoutFailed(collected.sinks)
    }
    let table = collected.tokens.table
    Self.say(skipped: known)
    try reportReplayed(examination)
    try checkFailures(examination)
    if let finding = collected.pushes.doubtfulTimes {
      throw Failure(
        "\(store.name) is unchanged: \(finding.source): \(finding.message); with a name that is not in "
          + "it, no time is taken")
    }
    try apps.check(against: owner.app, store: store.name, acceptsOther: acceptsOtherApp)
    try collected.pushes.topics.check(against: owner.app, store: store.name, acceptsOther: acceptsOtherApp)
    sayLeftOut(collected.rejections, examination.summary)
    collected.pushes.leftOut.say(tokenKind)
    if let warning = try EnvironmentMismatchCheck(store: store, owner: owner).warning(table) {
      Console.note(warning)
    }
    let answer = try replay(collected, of: examination, listed)
    var report = ReplayOutcomeReport(
      store: store.name, dryRun: options.dryRun, owner: owner, inputs: examination.readCount,
      tuples: examination.summary.feedback, pushes: collected.pushes.invalidated,
      rejections: collected.rejections.map { $0.count + collected.pushes.refused }, answer: answer)
    report.pushesOfOtherKinds = collected.pushes.leftOut.ofOtherKinds.values.reduce(0, +)
    report.pushesOfOtherApps = collected.pushes.leftOut.ofOtherApps
    report.reading = examination.countsAsJSON
    return report
  }

  /// The sinks that add tokens to one table.
  private struct Collectors {
    let tokens: TokenCollector
    let pushes: PushCollector
    /// Nil without `includesErrors`.
    let rejections: RejectionCollector?

    init(_ replay: StoreReplay) {
      let table = TokenTable(memory: replay.memory, temporaryDirectory: TemporaryDirectory.path)
      let origins = replay.record != nil || replay.onChange != nil ? TokenOrigins() : nil
      let now = UInt32(clamping: time(nil))
      let (flagged, errors) = (replay.includesFlagged, replay.includesErrors)
      tokens = TokenCollector(table, flaggedCount: flagged, origins: origins)
      pushes = PushCollector(
        table, flaggedCount: flagged, takesErrors: errors, app: replay.owner.app,
        takesOtherApps: replay.acceptsOtherApp, now: now, origins: origins)
      pushes.tokenKind = replay.tokenKind
      rejections =
        errors ? RejectionCollector(table, flaggedCount: flagged, now: now, origins: origins) : nil
    }

    var sinks: [(any EvidenceSink)?] { [tokens, pushes, rejections] }
  }

  /// - Throws: if an input failed, and no option accepts that. A dry run reports it, and continues.
  private func checkFailures(_ examination: Examination) throws {
    guard examination.failures > 0, !isPartial, !skipsUnreadable else { return }
    let reason =
      "\(Count.of(examination.failures, "input")) could not be read in full, see above; "
      + "--partial replays the readable part, --skip-unreadable the other inputs"
    guard options.dryRun else { throw Failure("\(store.name) is unchanged: \(reason)") }
    Console.say("the replay would leave \(store.name) unchanged: \(reason)")
  }

  // MARK: - Replayed before

  /// One message about all skipped inputs, by name with their replay.
  private static func say(skipped: [String: Int]) {
    guard let (first, replay) = skipped.first else { return }
    if skipped.count == 1 {
      return Console.note("\(first): skipped: already replayed by replay \(replay)")
    }
    let replays = Set(skipped.values).sorted()
    let shown = replays.prefix(8).map { "\($0)" }.joined(separator: ", ")
    Console.note(
      "\(skipped.count) inputs skipped: already replayed by \(replays.count == 1 ? "replay" : "replays") "
        + "\(shown)\(replays.count > 8 ? ", …" : "")")
  }

  /// The replay that had `input` before; nil if none had.
  private func earlierReplay(of input: Input) throws -> Int? {
    guard let digest = FileDigests.of(input, .sha256)?.digests.sha256 else { return nil }
    return try store.replays(ofInputs: [digest], for: owner)[digest]
  }

  /// Reports inputs that were replayed before: it is normal that they change nothing.
  private func reportReplayed(_ examination: Examination) throws {
    let known: [String: Int]
    do {
      known = try store.replays(ofInputs: examination.inputs.compactMap(\.sha256), for: owner)
    } catch let error as StoreError {
      guard case .notPermitted = error.fault else { throw error }
      return Console.note("inputs that were replayed before are not known: \(error.fault.problem)")
    }
    for input in examination.inputs {
      guard let digest = input.sha256, let replay = known[digest] else { continue }
      let message: Message = "already replayed by replay \(replay)"
      Console.note(.about(input.source, message))
      try examination.report(Finding(source: input.source, code: .alreadyReplayed, message: message))
    }
  }

  // MARK: - Replaying

  /// Reports the skipped requests and responses of a gateway.
  private func sayLeftOut(_ rejections: RejectionCollector?, _ summary: Summary) {
    if let rejections {
      guard rejections.skippedCount > 0 else { return }
      Console.note(
        "skipped \(Count.of(rejections.skippedCount, "invalid-token response")): no plausible capture "
          + "time for the invalidation")
    } else if summary.gateway.responses > 0 {
      Console.note(
        "skipped \(Count.of(summary.gateway.responses, "error response")); --from-errors invalidates "
          + "the tokens that a gateway reported as invalid (read its help first)")
    } else if summary.gateway.requests > 0 {
      Console.note(
        "skipped \(Count.of(summary.gateway.requests, "request")): requests do not invalidate tokens")
    }
  }

  /// Replays the collected tokens into the store, in one transaction.
  private func replay(
    _ collected: Collectors, of examination: Examination, _ listed: ListedRows?
  ) throws -> ReplayAnswer {
    let (tokens, pushes) = (collected.tokens, collected.pushes)
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
    trace.script = script
    trace.listed = listed
    trace.title = examination.inputs.map {
      "Input \($0.source), \($0.bytes) bytes, SHA-256 \($0.sha256 ?? "unknown")"
    }
    if let onChange {
      trace.visit = { change in
        try onChange(change, change.origin.map { Self.replayed(examination.inputs[$0.input]) })
      }
    }
    var rejection = Rejection(pushes.doubts)
    var progress = TokenProgress()
    defer { progress.clear() }
    var options = options
    options.sampleLength = options.dryRun ? ReplayOutcomeReport.sampleLength : 0
    let record = examination.inputs.isEmpty ? nil : record
    var answer = try store.replay(
      { visit in
        rejection = Rejection(pushes.doubts)
        listed?.restart()
        progress.tokens = 0
        try tokens.table.visit { token, verdict in
          origin = verdict.origin
          guard let time = verdict.time else { return rejection.add(verdict.flags) }
          try visit(token, StoreTime(seconds: Int64(time), milliseconds: verdict.milliseconds))
          progress.advance()
        }
      }, for: owner, options: options,
      entry: record.map { record in
        { Self.entry(record, of: examination, pushes.invalidated, rejected: rejection.count) }
      },
      trace: tokens.origins == nil && script == nil && listed == nil ? nil : trace)
    answer.counts.rejected = rejection.count
    if answer.isContinued, let replay = answer.replay {
      Console.note("continued replay \(replay), which was interrupted")
    }
    progress.clear()
    if let advice = rejection.advice { Console.note(advice) }
    if answer.repeated > 0 {
      Console.note(
        "\(Count.of(answer.repeated, "token")) \(answer.repeated == 1 ? "is" : "are") in several rows of "
          + "the table: each row counts")
    }
    if let listed, answer.stop == nil { Self.sayDifferences(from: listed) }
    store.warning(answer.times).map { Console.note(.warning($0)) }
    if options.dryRun, let stop = answer.stop {
      Console.say("warning: the replay would be stopped: \(stop.message)")
    }
    return answer
  }

  /// How many rows of a list are named.
  private static let named = 5

  /// Says what of a reviewed list was not changed, and why.
  private static func sayDifferences(from listed: ListedRows) {
    let left = listed.left
    if !left.isEmpty {
      let rows = left.prefix(named).map { row in
        let key = row.key.isEmpty ? "" : ", row \(VisibleText.of(row.key))"
        return "\(Hex.string(row.token))\(key) (\(row.outcome?.name ?? "gone"))"
      }
      Console.note(
        "\(Count.of(left.count, "row")) of the list \(left.count == 1 ? "is" : "are") not changed, because the rule "
          + "says otherwise now: \(rows.joined(separator: ", "))\(left.count > named ? ", …" : "")")
    }
    if listed.others > 0 {
      Console.note(
        "\(Count.of(listed.others, "row")) of the same tokens \(listed.others == 1 ? "is" : "are") not in the list "
          + "and not changed")
    }
  }

  /// Says why the database would refuse the replay of a dry run, and what may refuse its rows.
  package func foretell() throws {
    do {
      try store.check(for: record == nil ? .writing : .recording, isDryRun: true)
    } catch let error as StoreError {
      Console.say("warning: the replay would be refused: \(error.fault.problem); \(error.fault.remedy)")
    }
    let guards = try store.guards()
    if guards.isEmpty { return }
    Console.note(
      "the replay would be refused if one of these refuses a row, which a dry run does not try: "
        + "\(guards.joined(separator: ", "))")
  }

  private static func replayed(_ input: InputSummary) -> ReplayedInput {
    ReplayedInput(source: input.source, sha256: input.sha256 ?? "", bytes: input.bytes)
  }

  private static func entry(
    _ record: (version: String, options: String), of examination: Examination, _ pushes: Int, rejected: Int
  ) -> JournalEntry {
    JournalEntry(
      at: Int64(time(nil)), version: record.version,
      inputs: examination.inputs.map(replayed),
      options: record.options, tuples: examination.summary.feedback + pushes, rejected: rejected)
  }
}

/// Tokens without an accepted record.
private struct Rejection {
  private(set) var count = 0
  private var flags: RecordFlags = []
  /// The flags of pushes that were rejected.
  private let doubts: PushFlags

  init(_ doubts: PushFlags) { self.doubts = doubts }

  mutating func add(_ flags: RecordFlags) {
    count += 1
    self.flags.formUnion(flags)
  }

  /// The flags, and the options that accept such records; nil if no token was rejected.
  var advice: Message? {
    guard count > 0 else { return nil }
    let hasLength = flags.contains(.unexpectedTokenLength) || flags.contains(.zeroLengthToken)
    let ofPushes = PushFlags.all.filter { doubts.contains($0.flag) }.map(\.code)
    let codes = Set(flags.codes + ofPushes).sorted()
    return
      "\(Count.of(count, "token")) rejected: every record has flags (\(codes.joined(separator: ", "))); "
      + (hasLength ? "--token-length accepts a length, " : "") + "--include-flagged accepts flagged records"
  }
}
