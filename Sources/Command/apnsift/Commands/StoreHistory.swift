import ArgumentParser
import Basics
import CommandOptions
import Reports
import TokenStores

struct StoreHistory: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the replays of a store, or the rows that one changed.",
    usage: "apnsift store history [<options>] [<number>]",
    discussion: """
      Newest last. Each replay is listed with its number, time, inputs with their SHA-256, and token counts by outcome. \
      An undo is listed with the number of the replay that it reverted.

      EXAMPLES
        apnsift store history --store sqlite:tokens.sqlite
        apnsift store history --json                  as JSON
        apnsift store history --last 10
        apnsift store history 3                       changed rows, as CSV
        apnsift store history 3 --changes             with keys and sources
        apnsift store history --changes               of all replays
        apnsift store history --store postgresql:///app --mapping devices.yml
        apnsift store history --trim-journal 90d      forget older rows
      """)

  @Argument(help: .init("Number of a replay.", valueName: "number"))
  var replay: Int?

  @Flag(help: "List changed rows with their keys and the records that changed them.")
  var changes = false

  @Option(help: .init("List only the last N replays and undos.", valueName: "N"))
  var last: Int?

  @Option(
    help: .init(
      "Forget the rows that replays changed before TIME (90d): these cannot be undone any more.",
      valueName: "TIME"))
  var trimJournal: SpanArgument?

  @Flag(help: "Print a JSON array.")
  var json = false

  @OptionGroup var journal: JournalOptions
  @OptionGroup var store: StoreOptions

  mutating func validate() throws {
    if let last { try checkRange("--last", last, 1...1_000_000_000) }
    if replay != nil, last != nil { throw ValidationError(.exclusive("a number", "--last")) }
    if trimJournal != nil, replay != nil || last != nil || changes || json {
      throw ValidationError("--trim-journal goes without a number, --last, --changes and --json")
    }
    if let trimJournal, !trimJournal.hasUnit {
      throw ValidationError("--trim-journal \(trimJournal.seconds) has no unit: write 90d for days")
    }
  }

  func run() throws {
    if let trimJournal { return try trim(olderThan: trimJournal.seconds) }
    let store = try store.location(journal: journal.url).openForReading()
    let buffer = OutputBuffer(OutputFile())
    let (all, error) = try store.readableHistory()
    let history = all.suffix(last ?? all.count)
    guard replay != nil || changes else {
      try list(history, of: store, buffer)
      if let error { throw error }
      return
    }
    let report = try ChangeReport(changes ? .tracedByReplay : .short, asJSON: json, to: buffer)
    let records = history.filter { replay == nil ? $0.undoes == nil : $0.id == replay }
    if let replay, records.isEmpty {
      throw error ?? NamedStoreError(store: store.name, reason: .noReplay(replay))
    }
    for record in records {
      do {
        try store.changes(of: record.id) { change in
          let input = change.origin.flatMap { origin in
            record.entry.inputs.indices.contains(origin.input) ? record.entry.inputs[origin.input] : nil
          }
          try report.add(change, from: input, replay: record.id)
        }
      } catch let error as NamedStoreError {
        guard replay == nil, case .notUndoable = error.reason else { throw error }
        Console.note(error.reason.message)
      }
    }
    try report.end()
    if replay == nil, let error { throw error }
    let changed: Message =
      replay.map { "replay \($0) changed in \(store.name)" } ?? "the replays of \(store.name) changed"
    Console.say("listed \(Count.of(report.count, "row")) that \(changed)")
  }

  private func trim(olderThan seconds: UInt32) throws {
    let store = try store.location(journal: journal.url).openForWriting(creates: false)
    let oldest = Int64(time(nil)) - Int64(seconds)
    let trimmed = try store.trimJournal(before: oldest)
    let rows = trimmed.reduce(0) { $0 + $1.rows }
    Console.say(
      "removed \(Count.of(rows, "changed row")) of \(Count.of(trimmed.count, "replay")) before "
        + "\(TokenRowWriter.time(oldest) ?? "") from the journal of \(store.name)")
  }

  private func list(_ records: ArraySlice<JournalRecord>, of store: TokenStore, _ buffer: OutputBuffer) throws
  {
    if json {
      try buffer.append(JSONValue.array(records.map(HistoryReport.json)).text + "\n")
    } else {
      for record in records { try buffer.append(HistoryReport.text(record)) }
    }
    try buffer.flush()
    Console.say("listed \(Count.of(records.count, "entry")) of the journal of \(store.name)")
  }
}
