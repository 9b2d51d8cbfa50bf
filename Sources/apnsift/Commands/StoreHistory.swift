import ArgumentParser
import JSON
import Platform
import Reports
import WireBytes

/// `apnsift store history`: what was replayed into a store, and what each replay changed.
struct StoreHistory: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the replays of a store, or the rows that one of them changed.",
    discussion: """
      Newest last. Each replay has its number, when it was done, its inputs with their SHA-256, and how many tokens had \
      each outcome; an undo has the number of the replay that it is of.

      EXAMPLES
        apnsift store history --store sqlite:tokens.sqlite
        apnsift store history --json                  the same for a script
        apnsift store history 3                       its rows, as CSV
        apnsift store history 3 --json
        apnsift store history --store postgresql:///app --mapping devices.yml
      """)

  @Argument(help: "The number of a replay.")
  var replay: Int?

  @OptionGroup var store: StoreOptions

  @OptionGroup var journal: JournalOptions

  @Flag(help: "Print a JSON array.")
  var json = false

  func run() throws {
    let store = try store.location(journal: journal.url).openForReading()
    let buffer = OutputBuffer(OutputFile())
    let done: String
    if let replay {
      let count = try HistoryReport.write(changesOf: replay, in: store, asJSON: json, to: buffer)
      done = "\(Count.of(count, "row")) that replay \(replay) changed in \(store.name)"
    } else {
      let records = try store.history()
      if json {
        try buffer.append(JSONValue.array(records.map(HistoryReport.json)).text + "\n")
      } else {
        for record in records { try buffer.append(HistoryReport.text(record)) }
      }
      done = "\(Count.of(records.count, "entry", "entries")) of the journal of \(store.name)"
    }
    try buffer.flush()
    Messages.say("listed \(done)")
  }
}
