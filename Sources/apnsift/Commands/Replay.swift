import Analysis
import ArgumentParser
import JSON
import Platform
import Reports
import Stores
import TokenStores

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
        apnsift replay feedback.bin --dry-run -o rows.csv  each row that would
        apnsift replay spool/ --skip-replayed              what is new in a directory
        apnsift replay gateway.pcap --from-errors --known-only --dry-run

      A TABLE OF YOUR OWN (docs/stores.md has walks for Rails and Django)
        apnsift replay feedback.bin --store sqlite:db.sqlite3 \\
          --mapping devices.yml --dry-run
        apnsift replay feedback.bin --store postgresql:///app \\
          --mapping devices.yml --journal sqlite:replays.sqlite
        apnsift replay feedback.bin --store sqlite:db.sqlite3 \\
          --table devices --token-column token --dry-run    a try, without a file
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
  var maxInvalidate = ReplayBrake.standard

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

  @Flag(
    help: """
      Replay the other inputs where some cannot be read whole, as if those had not been named; the exit code is 2 all the \
      same. The others are read a second time.
      """)
  var skipUnreadable = false

  @Flag(help: "Pass over inputs that were replayed for this app and environment before, by their SHA-256.")
  var skipReplayed = false

  @Flag(help: "Do not record the replay in the store's journal: it cannot be explained or undone then.")
  var noJournal = false

  @OptionGroup var journal: JournalOptions

  @Option(
    name: [.short, .customLong("output")],
    help: """
      With --dry-run: write every row that would change to this file as CSV: its key, the token, its times, and the record \
      that decided (input, stream, offset).
      """)
  var output: String?

  @Flag(help: "Replace the file that -o names, if it exists.")
  var force = false

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  mutating func validate() throws {
    if skipReplayed, input.capture.join || input.requests != nil {
      throw ValidationError(
        "--skip-replayed passes over files one by one: it does not go with --join or --requests.")
    }
    if skipUnreadable, partial || input.capture.join || input.requests != nil {
      throw ValidationError(
        "--skip-unreadable leaves files out one by one: it does not go with --partial, --join or --requests.")
    }
    if knownOnly, unknown.insertUnknown {
      throw ValidationError("--known-only and --insert-unknown exclude each other.")
    }
    if output != nil, !dryRun {
      throw ValidationError(
        "-o lists what a dry run would change: it goes with --dry-run (`store history N --changes` "
          + "lists what a replay changed).")
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
      ("skip_unreadable", .bool(skipUnreadable)),
      ("from_errors", .bool(fromErrors)),
      ("grace", .int(Int(grace.seconds))),
      ("max_invalidate", .string(maxInvalidate.text)),
    ])
  }

  func run() throws {
    let location = try store.location(
      app: owner.app, environment: owner.environment, insertsUnknown: unknown.insertUnknown,
      journal: journal.url)
    let store = try location.openForWriting(creates: create, dryRun: dryRun)
    try store.check(for: dryRun ? .reading : noJournal ? .writing : .recording)
    var replay = StoreReplay(into: store, for: try location.owner(in: store))
    replay.options = ReplayOptions(knownOnly: insertsNone, dryRun: dryRun)
    replay.options.grace = grace.seconds
    replay.options.brake = maxInvalidate
    (replay.includesFlagged, replay.includesErrors) = (includeFlagged, fromErrors)
    (replay.isPartial, replay.skipsUnreadable) = (partial, skipUnreadable)
    replay.skipsReplayed = skipReplayed
    replay.memory = input.memory.bytes
    if !noJournal { replay.record = (Apnsift.version, reported.text) }
    var examination = input.examination(hashing: .all)
    let outcome = try run(&replay, &examination)
    try tell(outcome, examination.closingLine(outcome.sentence))
    try input.check(examination)
    if outcome.answer.stop != nil { throw ExitStatus.stopped }
  }

  private func run(_ replay: inout StoreReplay, _ examination: inout Examination) throws
    -> ReplayOutcomeReport
  {
    guard let output else { return try replay.run(&examination) }
    let file = try OutputFile(output, force: force)
    var report = try ChangeReport(.traced, asJSON: false, to: OutputBuffer(file))
    replay.onChange = { change, source in
      try report.add(change, from: source.map { ReplayedInput(source: $0, sha256: "", bytes: 0) })
    }
    let outcome = try replay.run(&examination)
    try report.end()
    try file.finish()
    return outcome
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
