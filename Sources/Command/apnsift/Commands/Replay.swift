import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports
import TokenStores

struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Invalidate the reported tokens in a token store.",
    usage: "apnsift replay [<options>] <input> ...",
    discussion: """
      A tuple, or a push with status 410, invalidates a token unless the store has a registration of it at or after the \
      reported time. Records with flags are ignored, and so are other errors without --from-errors, and tokens of Live \
      Activities, calls, passes and so on without --token-kind. A replay is one transaction, and repeating it changes \
      nothing (--batch makes several). The store records it, and `apnsift store undo` reverts it.

      The service also answers status 8 (invalid token) or BadDeviceToken for a valid token of the other environment or \
      of another app: --from-errors can invalidate tokens of active devices.

      EXAMPLES
        apnsift replay feedback.bin --store sqlite:tokens.sqlite --create
        apnsift replay capture.pcap --store sqlite:tokens.sqlite --dry-run
        apnsift replay dumps/ --app com.example.mail --environment sandbox
        apnsift replay feedback.bin --dry-run -o rows.csv  list the changes
        apnsift replay spool/ --skip-replayed              only new files
        apnsift replay spool/ --quiet --move-done done/    by the clock
        apnsift replay pushes.pcap --keys keys.log --app com.example.mail
        apnsift replay pushes.log --each-app               apps of the topics
        apnsift replay gateway.pcap --from-errors --known-only --dry-run

      EXISTING TABLES (docs/how-to: Rails, Django, PHP)
        apnsift replay feedback.bin --store sqlite:db.sqlite3 \\
          --mapping devices.yml --dry-run
        apnsift replay feedback.bin --store postgresql:///app \\
          --mapping devices.yml --journal sqlite:replays.sqlite
        apnsift replay feedback.bin --store sqlite:db.sqlite3 \\
          --table devices --token-column token --dry-run
        apnsift replay feedback.bin --store postgresql:///app \\
          --mapping devices.yml --to-sql replay.sql
      """)

  @Flag(help: "Change nothing; count and show the changes.")
  var dryRun = false

  @Option(
    name: [.short, .customLong("output")],
    help: .init("With --dry-run, write the rows that would change as CSV.", valueName: "FILE"))
  var output: String?

  @Option(
    help: .init(
      "Change nothing; write the replay as an SQL script, and its undo as NAME.undo.sql.", valueName: "FILE"))
  var toSQL: String?

  @Flag(help: "Overwrite the files of -o and --to-sql.")
  var force = false

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  @OptionGroup var owner: OwnerOptions

  @Flag(help: "Create the store, or its table, if missing.")
  var create = false

  @Option(
    help: .init(
      "Stop before invalidating more valid tokens, or a larger share.",
      valueName: "LIMIT"))
  var maxInvalidate = InvalidationLimit.standard

  @Option(help: .init("Spare tokens registered up to TIME (12h, 7d) before the tuple.", valueName: "TIME"))
  var grace = SpanArgument(0)

  @Flag(help: "Do not insert unknown tokens; the default for existing tables.")
  var knownOnly = false

  @OptionGroup var unknown: UnknownOptions

  @Option(
    help: .init(
      "Commit after every N rows (PostgreSQL, MariaDB, --to-sql); the same command continues.",
      valueName: "N"))
  var batch: Int?

  @Flag(help: "Use records with flags, too.")
  var includeFlagged = false

  @Flag(help: "Also use errors about tokens (status 8, BadDeviceToken), as of their capture time.")
  var fromErrors = false

  @Flag(help: "Replay even if a client's certificate or a topic names another app.")
  var otherApp = false

  @Flag(help: "Replay each push for the app of its topic, one app after the other.")
  var eachApp = false

  @Option(help: .init("Kind of tokens that pushes invalidate.", valueName: "KIND"))
  var tokenKind = TokenKind.device

  @Flag(help: "Use inputs that can be read only in part.")
  var partial = false

  @Flag(help: "Skip inputs that cannot be read in full; exit with 2.")
  var skipUnreadable = false

  @Flag(help: "Skip inputs already replayed for this app and environment.")
  var skipReplayed = false

  @Flag(help: "Do not record the replay; it cannot be undone.")
  var noJournal = false

  @Option(help: .init("Write figures for node_exporter's text collector, on every exit.", valueName: "FILE"))
  var metrics: String?

  @OptionGroup var spool: SpoolOptions
  @OptionGroup var journal: JournalOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var input: InputOptions

  mutating func validate() throws {
    try OutputName.check("-o", output, is: "csv")
    try OutputName.check("--to-sql", toSQL, is: "sql")
    if toSQL == "-" {
      throw ValidationError("--to-sql -: expected the name of a file: the undo is another one beside it")
    }
    if skipReplayed, input.capture.join || input.requests != nil {
      throw ValidationError("--skip-replayed skips single files: leave out --join and --requests")
    }
    if skipUnreadable, partial || input.capture.join || input.requests != nil {
      throw ValidationError(
        "--skip-unreadable skips single files: leave out --partial, --join and --requests")
    }
    if knownOnly, unknown.insertUnknown {
      throw ValidationError(.exclusive("--known-only", "--insert-unknown"))
    }
    for (option, isGiven) in [
      ("--app", owner.app != nil), ("--other-app", otherApp), ("-o", output != nil),
      ("--to-sql", toSQL != nil),
    ]
    where eachApp && isGiven {
      throw ValidationError(.exclusive("--each-app", option))
    }
    if output != nil, !changesNothing {
      throw ValidationError(
        "-o requires --dry-run; `store history NUMBER --changes` lists the changes of a replay")
    }
    if let batch { try checkRange("--batch", batch, 1...1_000_000_000) }
    if noJournal, journal.url != nil { throw ValidationError(.exclusive("--journal", "--no-journal")) }
    if spool.moveFailed != nil, !skipUnreadable, !partial {
      throw ValidationError(
        "--move-failed requires --skip-unreadable or --partial: without them, an input that cannot be read "
          + "stops the replay")
    }
    if let metrics, OutputName.fileExtension(metrics) != ReplayMetrics.fileExtension {
      throw ValidationError(
        "--metrics \(metrics): expected a name that ends in .\(ReplayMetrics.fileExtension), as node_exporter "
          + "reads no other files")
    }
  }

  private var changesNothing: Bool { dryRun || toSQL != nil }

  /// A row that apnsift inserts may lack columns that other programs need, so existing tables get none by default.
  private var insertsNone: Bool { knownOnly || (store.mapping.isGiven && !unknown.insertUnknown) }

  /// The options that the journal records.
  private var reported: [(String, JSONValue)] {
    [
      ("input", input.reported),
      ("known_only", .bool(insertsNone)),
      ("include_flagged", .bool(includeFlagged)),
      ("partial", .bool(partial)),
      ("skip_unreadable", .bool(skipUnreadable)),
      ("from_errors", .bool(fromErrors)),
      ("other_app", .bool(otherApp)),
      ("token_kind", .string(tokenKind.rawValue)),
      ("grace", .int(Int(grace.seconds))),
      ("max_invalidate", .string(maxInvalidate.text)),
    ] + (batch.map { [("batch", .int($0))] } ?? [])
  }

  func run() throws {
    // Before anything changes: it may not be possible to write it.
    var figures = try metrics.map { try ReplayMetrics($0) }
    let result = Result { try replay(&figures) }
    let status = if case .failure(let error) = result { ExitStatus.of(error) } else { ExitStatus.done }
    do {
      try figures?.write(exitCode: status.rawValue)
    } catch let error as CommandError {
      Console.say(error.message)
      if status == .done { throw ExitStatus.failed }
    }
    try result.get()
  }

  private func replay(_ figures: inout ReplayMetrics?) throws {
    // Before the store: a file of keys may be missing.
    var examination = try input.examination(hashing: .all, isReplay: true)
    defer { figures?.examination = examination }
    try spool.check(examination.walk.directories)
    let location = try store.location(
      app: owner.app, environment: owner.environment, insertsUnknown: unknown.insertUnknown,
      journal: journal.url)
    let store = try location.openForWriting(creates: create, dryRun: changesNothing)
    if batch != nil, toSQL == nil { try store.checkBatches() }
    try store.check(for: changesNothing ? .reading : noJournal ? .writing : .recording)
    var replay = StoreReplay(into: store, for: try location.owner(in: store))
    replay.options = ReplayOptions(knownOnly: insertsNone, dryRun: changesNothing)
    replay.options.grace = grace.seconds
    replay.options.batch = batch
    replay.options.brake = maxInvalidate
    (replay.includesFlagged, replay.includesErrors) = (includeFlagged, fromErrors)
    (replay.isPartial, replay.skipsUnreadable) = (partial, skipUnreadable)
    replay.skipsReplayed = skipReplayed
    replay.acceptsOtherApp = otherApp
    if eachApp { try replay.splitByApp() }
    replay.tokenKind = tokenKind
    replay.script = try toSQL.map {
      try ReplayScript($0, batch: batch ?? ReplayScript.usualBatch, replaces: force)
    }
    replay.memory = input.memory
    if !noJournal { replay.record = (Program.version, reported) }
    let outcome = try run(&replay, &examination)
    figures?.outcome = outcome
    if let stop = outcome.stop, !changesNothing {
      if json { try print(outcome) }
      throw NamedStoreError(store: store.name, reason: .stopped(stop))
    }
    // As without --dry-run: an unreadable input fails before the limit is checked, unless it may be left out.
    let mayReplay = examination.failures == 0 || partial || skipUnreadable
    let isStopped = outcome.stop != nil
    if mayReplay, !isStopped { try replay.script?.finish() }
    if let toSQL, let script = replay.script {
      Console.note(
        mayReplay && !isStopped
          ? "wrote \(toSQL), and its undo \(script.undoPath)" : "wrote no script: \(toSQL)")
    }
    let hasMoved = isStopped || !mayReplay || spool.move(examination.settled, isDryRun: changesNothing)
    try print(outcome, examination)
    if isStopped, mayReplay {
      Console.note(examination.closingLine(outcome.sentence))
      throw ExitStatus.stopped
    }
    let ending = Result { try input.end(examination, outcome.sentence) }
    if changesNothing, toSQL == nil, !self.store.isTrial, outcome.answer.rows > 0 { try replay.foretell() }
    try ending.get()
    if !hasMoved { throw ExitStatus.failed }
  }

  private func run(_ replay: inout StoreReplay, _ examination: inout Examination) throws
    -> ReplayOutcomeReport
  {
    guard let output else { return try replay.run(&examination) }
    let file = try OutputFile(output, force: force)
    let report = try ChangeReport(.traced, asJSON: false, to: OutputBuffer(file))
    replay.onChange = { try report.add($0, from: $1) }
    let outcome = try replay.run(&examination)
    try report.end()
    try file.finish()
    return outcome
  }

  private func print(_ outcome: ReplayOutcomeReport, _ examination: Examination) throws {
    if input.quiet, !json { return }
    do {
      try print(outcome)
    } catch let error as CommandError {
      // The store has changed even so: report it.
      Console.say(error.message)
      Console.say(examination.closingLine(outcome.sentence))
      throw ExitStatus.failed
    }
  }

  private func print(_ outcome: ReplayOutcomeReport) throws {
    try OutputFile().write(Array((json ? outcome.json.text + "\n" : outcome.table).utf8).span.bytes)
  }
}

extension TokenKind: ExpressibleByArgument {}
