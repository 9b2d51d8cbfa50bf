import APNsWire
import Analysis
import ArgumentParser
import JSON
import Platform
import Reports
import Stores
import StreamInputs
import TokenStores
import WireBytes

/// `apnsift replay`: the dead tokens into a token store.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Mark the dead tokens in a token store, by the rule.",
    discussion: """
      A token dies by a tuple only if the store has no registration of it at or after the tuple's time. Records \
      with flags do not count, and neither do requests and responses of gateways, but for --from-errors. The replay \
      is one transaction; doing it again changes nothing. The store records it, and `apnsift store undo` takes it back.

      EXAMPLES
        apnsift replay feedback.bin --store sqlite:tokens.sqlite --create
        apnsift replay capture.pcap --store sqlite:tokens.sqlite --dry-run
        apnsift replay dumps/ --app com.example.mail --environment sandbox
        apnsift replay feedback.bin --dry-run --json       what would change
        apnsift replay spool/ --skip-replayed              what is new in a directory
        apnsift replay gateway.pcap --from-errors --known-only --dry-run

      A TABLE OF YOUR OWN (docs/stores.md has walks for Rails and Django)
        apnsift replay feedback.bin --store sqlite:db.sqlite3 \\
          --mapping devices.yml --dry-run
        apnsift replay feedback.bin --store postgresql:///app \\
          --mapping devices.yml --journal sqlite:replays.sqlite
        apnsift replay feedback.bin --store sqlite:db.sqlite3 --table devices \\
          --token-column token --token-form hex --registered-column updated_at \\
          --registered-form timestamp --action delete --dry-run
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var store: StoreOptions

  @Flag(help: "Make the store, or its table, if missing.")
  var create = false

  @OptionGroup var owner: OwnerOptions

  @Flag(help: "Count what would change, show the first few tokens of each kind, and change nothing.")
  var dryRun = false

  @Option(
    help: """
      How many live tokens may be invalidated, as a number or a share of those of the app and environment. A share \
      counts once there are more than \(ReplayBrake.fewest) of them; 100% lets all pass. Beyond it nothing is \
      changed, and the exit code is 3.
      """)
  var maxInvalidate = BrakeArgument(.standard)

  @Option(
    help: """
      Keep a device that was registered no longer than this before a tuple's time, too: where the clocks or time \
      zones of the table are in doubt. 90s, 15m, 12h, 7d.
      """)
  var grace = SpanArgument(0)

  @Flag(
    help:
      "Count tokens that the store does not know, and do not insert them; so it is with a table of your own.")
  var knownOnly = false

  @OptionGroup var unknown: UnknownOptions

  @Flag(help: "Let records with flags count, too.")
  var includeFlagged = false

  @Flag(
    help: """
      Take the tokens, too, that a gateway refused with status 8 (invalid token), as dead from the time on at which \
      the refusal was captured. Off unless asked for, since that status is also what a token of the other environment \
      or of another app gets: such a device lives. Only a captured response that names one request counts.
      """)
  var fromErrors = false

  @Flag(help: "Replay what could be read where an input cannot be read whole.")
  var partial = false

  @Flag(help: "Pass over inputs that were replayed for this app and environment before, by their SHA-256.")
  var skipReplayed = false

  @Flag(help: "Do not record the replay in the store's journal: it cannot be explained or undone then.")
  var noJournal = false

  @OptionGroup var journal: JournalOptions

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  mutating func validate() throws {
    if skipReplayed, input.capture.join || input.requests != nil {
      throw ValidationError(
        "--skip-replayed passes over files one by one: it does not go with --join or --requests.")
    }
    if knownOnly, unknown.insertUnknown {
      throw ValidationError("--known-only and --insert-unknown exclude each other.")
    }
    if noJournal, journal.url != nil {
      throw ValidationError("--journal names where the replay is recorded: it does not go with --no-journal.")
    }
  }

  /// A row that apnsift makes may lack what the user's own programs need, so it makes none there unasked.
  private var insertsNone: Bool { knownOnly || (store.mapping.isGiven && !unknown.insertUnknown) }

  /// What of the options the journal keeps.
  private var reported: JSONValue {
    .object([
      ("input", input.reported),
      ("known_only", .bool(insertsNone)),
      ("include_flagged", .bool(includeFlagged)),
      ("partial", .bool(partial)),
      ("from_errors", .bool(fromErrors)),
      ("grace", .int(Int(grace.seconds))),
      ("max_invalidate", .string(maxInvalidate.defaultValueDescription)),
    ])
  }

  // MARK: - Replayed before

  /// Why `input` is passed over; nil where it was not replayed before.
  private func replayed(
    _ input: Input, in store: any TokenStore, for owner: AppEnvironment
  ) throws -> String? {
    guard let digest = InputHash.digest(of: input) else { return nil }
    return try store.replays(ofInputs: [digest], for: owner)[digest].map {
      "was replayed before, by replay \($0)"
    }
  }

  /// Says which inputs were replayed before: that they change nothing is no fault.
  private func reportReplayed(
    _ examination: Examination, _ analyzer: Analyzer, in store: any TokenStore, for owner: AppEnvironment
  ) throws {
    let known = try store.replays(ofInputs: examination.inputs.compactMap(\.sha256), for: owner)
    for input in examination.inputs {
      guard let digest = input.sha256, let replay = known[digest] else { continue }
      let message = "was replayed before, by replay \(replay)"
      Messages.say("\(input.source): \(message)")
      try analyzer.report(Finding(source: input.source, code: .alreadyReplayed, message: message))
    }
  }

  func run() throws {
    let store = try store.openForWriting(
      creates: create, dryRun: dryRun, owner: owner.named, insertsUnknown: unknown.insertUnknown,
      journal: journal.url)
    try store.check(for: dryRun ? .reading : noJournal ? .writing : .recording)
    let owner = try owner.owner(in: store)
    let table = TokenTable(memory: input.memory.bytes, temporaryDirectory: TemporaryDirectory.path)
    let collector = TokenCollector(table, flaggedCount: includeFlagged)
    let rejections =
      fromErrors
      ? RejectionCollector(table, flaggedCount: includeFlagged, now: UInt32(clamping: time(nil))) : nil
    let sinks: [(any EvidenceSink)?] = [collector, rejections]
    let analyzer = Analyzer(input.analysis, sinks: sinks.compactMap { $0 })
    var examination = Examination(input, hashing: .all)
    if skipReplayed { examination.skips = { try replayed($0, in: store, for: owner) } }
    try examination.run(analyzer)
    try reportReplayed(examination, analyzer, in: store, for: owner)
    if examination.failures > 0, !partial {
      Messages.say(
        "\(store.name) is unchanged: \(Count.of(examination.failures, "input")) could not be read whole, "
          + "see above; --partial replays what could be read")
      throw ExitStatus.failed
    }
    tellErrors(rejections, analyzer.summary)
    if let warning = try OwnerDoubt(store: store, owner: owner).warning(table) { Messages.say(warning) }
    let answer = try replay(
      table, into: store, for: owner, isRecorded: !noJournal && !examination.inputs.isEmpty
    ) { rejected in
      ReplayEntry.of(
        inputs: examination.inputs.map(ReplayedInput.init), options: reported,
        tuples: analyzer.summary.feedback, rejected: rejected)
    }
    let outcome = ReplayOutcomeReport(
      store: store.name, dryRun: dryRun, owner: owner, inputs: examination.inputs.count,
      tuples: analyzer.summary.feedback, rejections: rejections?.count, answer: answer)
    try tell(outcome, examination.closingLine(outcome.sentence, analyzer.summary))
    try examination.check(analyzer.summary)
  }

  /// What is left out of a gateway's responses, and why.
  private func tellErrors(_ rejections: RejectionCollector?, _ summary: Summary) {
    if let rejections, rejections.timeless > 0 {
      Messages.say(
        "\(Count.of(rejections.timeless, "invalid-token response")) left out: no capture time that can be believed "
          + "says since when the token is dead")
    }
    guard rejections == nil else { return }
    if summary.gateway.responses > 0 {
      Messages.say(
        "\(Count.of(summary.gateway.responses, "error response")) left out; --from-errors takes the tokens that a "
          + "gateway called invalid (see its help first)")
    } else if summary.gateway.requests > 0 {
      Messages.say(
        "\(Count.of(summary.gateway.requests, "request")) left out: they say of no token that it is dead")
    }
  }

  /// Hands the table's dead tokens to the store, in one transaction.
  private func replay(
    _ table: TokenTable, into store: any TokenStore, for owner: AppEnvironment, isRecorded: Bool,
    entry: @escaping (_ rejected: Int) -> JournalEntry
  ) throws -> ReplayAnswer {
    var rejection = Rejection()
    var progress = Progress()
    defer { progress.clear() }
    var options = ReplayOptions(knownOnly: insertsNone, dryRun: dryRun)
    options.grace = grace.seconds
    options.brake = maxInvalidate.brake
    options.sampleLength = dryRun ? ReplayOutcomeReport.sampleLength : 0
    var answer = try store.replay(
      { visit in
        rejection = Rejection()
        var done = 0
        try table.visit { token, verdict in
          guard let time = verdict.time else { return rejection.add(verdict.flags) }
          try visit(token, time)
          done += 1
          progress.update(tokens: done)
        }
      }, for: owner, options: options, entry: isRecorded ? { entry(rejection.count) } : nil)
    answer.counts.rejected = rejection.count
    progress.clear()
    if let advice = rejection.advice { Messages.say(advice) }
    if answer.repeated > 0 {
      let isOne = answer.repeated == 1
      Messages.say(
        "\(Count.of(answer.repeated, "token")) \(isOne ? "is" : "are") in several rows of the table: each row counts"
      )
    }
    if let stop = answer.stop { Messages.say("warning: the replay would be stopped: \(stop.text)") }
    return answer
  }

  private func tell(_ outcome: ReplayOutcomeReport, _ closingLine: String) throws {
    do {
      let buffer = OutputBuffer(OutputFile())
      try buffer.append(json ? outcome.json.text + "\n" : outcome.table)
      try buffer.flush()
    } catch let failure as Failure {
      // The store has changed all the same, and somebody must say so.
      Messages.say(failure.message)
      Messages.say(closingLine)
      throw ExitStatus.failed
    }
    Messages.say(closingLine)
  }
}

/// Tokens of which no record counts.
private struct Rejection {
  private(set) var count = 0
  private var flags: RecordFlags = []

  mutating func add(_ flags: RecordFlags) {
    count += 1
    self.flags.formUnion(flags)
  }

  /// Which flags it was, and how to have such records count; nil where there is nothing to say.
  var advice: String? {
    guard count > 0 else { return nil }
    let isLength = flags.contains(.unexpectedTokenLength) || flags.contains(.zeroLengthToken)
    return "\(Count.of(count, "token")) rejected, all records of which carry flags "
      + "(\(flags.codes.joined(separator: ", "))); "
      + (isLength ? "--token-length makes a length normal, " : "")
      + "--include-flagged lets flagged records count"
  }
}

extension ReplayedInput {
  fileprivate init(_ input: InputSummary) {
    self.init(source: input.source, sha256: input.sha256 ?? "", bytes: input.bytes)
  }
}

/// What the journal is told of a replay or an undo of this process.
enum ReplayEntry {
  static func of(inputs: [ReplayedInput], options: JSONValue, tuples: Int, rejected: Int) -> JournalEntry {
    JournalEntry(
      at: Int64(time(nil)), version: Apnsift.version, inputs: inputs, options: options.text, tuples: tuples,
      rejected: rejected)
  }
}
