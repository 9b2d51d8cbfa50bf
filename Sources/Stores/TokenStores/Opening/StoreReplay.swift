import APNsWire
import Analysis
import Basics
import StreamInputs

/// Invalidates the tokens of inputs in a store, and reports what is skipped.
package struct StoreReplay {
  let store: TokenStore
  var owner: AppEnvironment
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
  /// Whether pushes are replayed for the app that their topic names; `owner` then has none.
  var isForEachApp = false
  package var tokenKind = TokenKind.device
  /// The memory for distinct tokens, in bytes.
  package var memory = 1 << 30
  /// For the journal: the version of apnsift, and the options. Nil records nothing.
  package var record: (version: String, options: [(String, JSONValue)])?
  /// Gets the replay as SQL; only of a dry run.
  package var script: ReplayScript?
  /// The rows of reviewed lists, if the inputs are some.
  private var listed: ListedRows?
  /// Called for each row that is changed, or would be by a dry run, with the input of the deciding record.
  package var onChange: ((_ change: JournalChange, _ input: ReplayedInput?) throws -> Void)?

  package init(into store: TokenStore, for owner: AppEnvironment) {
    (self.store, self.owner) = (store, owner)
  }

  package mutating func run(_ examination: inout Examination) throws -> ReplayOutcomeReport {
    listed = try ReviewedList.rows(of: examination.walk.inputs)
    var known: [String: Int] = [:]
    if skipsReplayed {
      let earlier = try EarlierReplays(in: store, for: owner, eachApp: isForEachApp, options: record?.options)
      examination.skips = { input in
        guard let digest = FileDigests.of(input, [.sha256])?.digests[.sha256] else { return false }
        known[input.name] = try earlier.replays(ofInputs: [digest])[digest]
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
    try collected.markAccepted()
    Self.say(skipped: known)
    try reportReplayed(examination)
    try checkFailures(examination)
    if let finding = collected.pushes.doubtfulTimes {
      throw CommandError(
        "\(store.name) is unchanged: \(finding.source): \(finding.message); with a name that is not in "
          + "it, no time is taken")
    }
    let pushes = collected.pushes
    examination.count(.implausibleTimestamp, times: pushes.implausibleCount)
    if !isForEachApp {
      try apps.check(against: owner.app, store: store.name, acceptsOther: acceptsOtherApp)
      try pushes.topics.check(against: owner.app, store: store.name, acceptsOther: acceptsOtherApp)
    }
    sayLeftOut(collected.rejections, examination.summary)
    pushes.leftOut.say(tokenKind)
    let replays = try isForEachApp ? replays(of: pushes.apps) : [(self, pushes.added)]
    let owners = try store.owners()
    for (replay, added) in replays {
      let check = EnvironmentMismatchCheck(store: store, owner: replay.owner, owners: owners)
      if let warning = try check.warning(added.table) { Console.note(warning) }
    }
    let outcomes = try run(replays, collected, examination)
    guard isForEachApp else { return outcomes[0] }
    return report(ReplayAnswer(), pushes.added, collected, examination).adding(outcomes)
  }

  struct Collectors {
    let tokens: TokenCollector
    let pushes: PushCollector
    /// Nil without `includesErrors`.
    let rejections: RejectionCollector?
    /// The answers to pushes; nil with `includesFlagged`.
    let answers: TokenSightings?

    init(_ replay: StoreReplay) {
      let memory = replay.memory
      let table = TokenTable(memory: memory)
      let origins = replay.record != nil || replay.onChange != nil ? TokenOrigins() : nil
      let now = UInt32(clamping: time(nil))
      let (flagged, errors) = (replay.includesFlagged, replay.includesErrors)
      tokens = TokenCollector(table, flaggedCount: flagged, origins: origins)
      pushes = PushCollector(
        table, flaggedCount: flagged, takesErrors: errors, app: replay.owner.app,
        takesOtherApps: replay.acceptsOtherApp, now: now, origins: origins)
      pushes.tokenKind = replay.tokenKind
      if replay.isForEachApp { pushes.makeTable = { TokenTable(memory: memory / PushCollector.mostApps) } }
      rejections = errors ? RejectionCollector(table, flaggedCount: flagged, now: now, origins: origins) : nil
      answers = flagged ? nil : TokenSightings(memory: memory, now: now, takesAll: false)
    }

    /// Only pushes name an app.
    var sinks: [(any EvidenceSink)?] {
      pushes.makeTable == nil ? [tokens, pushes, answers, rejections] : [pushes, answers]
    }

    /// Marks the tokens of devices that live: a push was accepted later than the answers that would invalidate them.
    func markAccepted() throws {
      try answers?.visit { token, history in
        guard history.isAcceptedAgain else { return }
        for added in [pushes.added] + pushes.apps.values {
          try added.table.markAccepted(token, hasOrigin: tokens.origins != nil)
        }
      }
    }
  }

  /// - Throws: if an input failed, and no option accepts that. A dry run reports it, and continues.
  private func checkFailures(_ examination: Examination) throws {
    guard examination.failures > 0, !isPartial, !skipsUnreadable else { return }
    let reason =
      "\(Count.of(examination.failures, "input")) could not be read in full, see above; "
      + "--partial replays the readable part, --skip-unreadable the other inputs"
    guard options.dryRun else { throw CommandError("\(store.name) is unchanged: \(reason)") }
    Console.say("the replay would leave \(store.name) unchanged: \(reason)")
  }

  // MARK: - Replayed before

  /// One message about all skipped inputs, by name with their replay.
  private static func say(skipped: [String: Int]) {
    guard let (first, replay) = skipped.first else { return }
    if skipped.count == 1 { return Console.note("\(first): skipped: already replayed by replay \(replay)") }
    let replays = Set(skipped.values).sorted()
    let shown = replays.prefix(8).map { "\($0)" }.joined(separator: ", ")
    Console.note(
      "\(skipped.count) inputs skipped: already replayed by \(replays.count == 1 ? "replay" : "replays") "
        + "\(shown)\(replays.count > 8 ? ", …" : "")")
  }

  /// Reports inputs that were replayed before: it is normal that they change nothing.
  private func reportReplayed(_ examination: Examination) throws {
    let known: [String: Int]
    do {
      known = try EarlierReplays(in: store, for: owner, eachApp: isForEachApp)
        .replays(ofInputs: examination.inputs.compactMap(\.sha256))
    } catch let error as NamedStoreError {
      guard case .notPermitted = error.reason else { throw error }
      return Console.note("inputs that were replayed before are not known: \(error.reason.message)")
    }
    for input in examination.inputs {
      guard let digest = input.sha256, let replay = known[digest] else { continue }
      let message: Message = "already replayed by replay \(replay)"
      Console.note(.about(input.source, message))
      try examination.report(Finding(source: input.source, code: .alreadyReplayed, message: message))
    }
  }

  // MARK: - Replaying

  private func sayLeftOut(_ rejections: RejectionCollector?, _ summary: Summary) {
    if isForEachApp {
      let count = summary.feedback + summary.gateway.responses
      guard count > 0 else { return }
      Console.note("skipped \(Count.of(count, "record")) without a topic; --app names the app")
    } else if let rejections {
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

  /// Replays the tokens of one table into the store, in one transaction.
  func replay(
    _ added: AddedPushes, _ collected: Collectors, _ examination: Examination
  ) throws -> ReplayOutcomeReport {
    let (answer, rejection) = try answer(to: added, collected, examination)
    if answer.isContinued, let replay = answer.replay {
      Console.note("continued replay \(replay), which was interrupted")
    }
    for advice in rejection.advice { Console.note(named(advice)) }
    if answer.repeated > 0 {
      Console.note(
        named(
          "\(Count.of(answer.repeated, "token")) \(answer.repeated == 1 ? "is" : "are") in several rows of "
            + "the table: each row counts"))
    }
    let outcome = report(answer, added, collected, examination)
    if let listed, answer.stop == nil { listed.sayDifferences() }
    store.warning(answer.times, isDryRun: options.dryRun).map { Console.note(named($0)) }
    if options.dryRun, let stop = outcome.stop {
      Console.say("warning: the replay would be stopped: \(stop)")
    }
    return outcome
  }

  func report(
    _ answer: ReplayAnswer, _ added: AddedPushes, _ collected: Collectors, _ examination: Examination
  ) -> ReplayOutcomeReport {
    ReplayOutcomeReport(
      store: store.name, dryRun: options.dryRun, owner: owner, inputs: examination.readCount,
      tuples: examination.summary.feedback, pushes: added.invalidated, leftOut: collected.pushes.leftOut,
      reading: examination.countsAsJSON, rejections: collected.rejections.map { $0.count + added.refused },
      answer: answer, stop: answer.stop.map { named($0.message) })
  }

  private func named(_ message: Message) -> Message { isForEachApp ? .about(owner.app, message) : message }

  func answer(
    to added: AddedPushes, _ collected: Collectors, _ examination: Examination
  ) throws -> (answer: ReplayAnswer, rejection: Rejection) {
    let origins = collected.tokens.origins
    let sources = origins?.sources ?? []
    // A journal numbers the inputs as it lists them.
    let inputs = sources.map { source in examination.inputs.firstIndex { $0.source == source } }
    var origin: TokenOrigin?
    var trace = ReplayTrace {
      guard let origin, inputs.indices.contains(Int(origin.input)), let input = inputs[Int(origin.input)]
      else { return nil }
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
    var rejection = Rejection(tokenFlags: added.tokenFlags)
    var progress = TokenProgress()
    defer { progress.clear() }
    var options = options
    options.sampleLength = options.dryRun ? ReplayOutcomeReport.sampleLength : 0
    let record = examination.inputs.isEmpty ? nil : record
    var answer = try store.replay(
      { visit in
        rejection = Rejection(tokenFlags: added.tokenFlags)
        listed?.restart()
        progress.tokens = 0
        try added.table.visit { token, verdict in
          // A mark alone: no record of the token was added.
          if verdict.isAcceptedAgain, verdict.records == 1 { return }
          origin = verdict.origin
          guard let time = verdict.time, !verdict.isAcceptedAgain else {
            listed?.leave(token.withUnsafeBytes { Array($0) }, "rejected")
            return rejection.add(verdict)
          }
          let exact = StoreTime(seconds: Int64(time), milliseconds: verdict.milliseconds)
          try visit(token, listed?.time(of: token, time) ?? exact)
          progress.advance()
        }
      }, for: owner, options: options,
      entry: record.map { record in
        let tuples = isForEachApp ? 0 : examination.summary.feedback
        return {
          JournalEntry(
            at: Int64(time(nil)), version: record.version, inputs: examination.inputs.map(Self.replayed),
            options: JSONValue.object(record.options).text, tuples: tuples + added.invalidated,
            rejected: rejection.count)
        }
      }, trace: origins == nil && script == nil && listed == nil ? nil : trace)
    answer.counts.rejected = rejection.count
    return (answer, rejection)
  }

  /// Says why the database would refuse the replay of a dry run, and what may refuse its rows.
  package func foretell() throws {
    do {
      try store.check(for: record == nil ? .writing : .recording, isDryRun: true)
    } catch let error as NamedStoreError {
      Console.say("warning: the replay would be refused: \(error.reason.message); \(error.reason.remedy)")
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
}

/// Tokens without a record that counts, or with a push that was accepted again.
struct Rejection {
  private(set) var count = 0
  private(set) var acceptedAgain = 0
  private(set) var flags: RecordFlags = []
  let tokenFlags: PushFlags

  mutating func add(_ verdict: TokenSummary) {
    count += 1
    if verdict.time == nil { flags.formUnion(verdict.flags) } else { acceptedAgain += 1 }
  }

  /// Why tokens were rejected, and the options that accept them.
  var advice: [Message] {
    let again: Message =
      "\(Count.of(acceptedAgain, "token")) rejected: a push was accepted later than the last answer that calls the "
      + "token invalid; --include-flagged invalidates it"
    return [acceptedAgain > 0 ? again : nil, ofFlags].compactMap { $0 }
  }

  private var ofFlags: Message? {
    let count = count - acceptedAgain
    guard count > 0 else { return nil }
    let hasLength = flags.contains(.unexpectedTokenLength) || flags.contains(.zeroLengthToken)
    let ofPushes = PushFlags.all.filter { tokenFlags.contains($0.flag) }.map(\.code)
    let codes = Set(flags.codes + ofPushes).sorted()
    return "\(Count.of(count, "token")) rejected: every record has flags (\(codes.joined(separator: ", "))); "
      + (hasLength ? "--token-length accepts a length, " : "") + "--include-flagged accepts flagged records"
  }
}
