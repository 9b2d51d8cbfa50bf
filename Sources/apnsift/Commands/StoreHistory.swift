import ArgumentParser
import JSON
import Platform
import Reports
import TokenStores
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
    let store = try store.openForReading(journal: journal.url)
    let buffer = OutputBuffer(OutputFile())
    if let replay {
      let count = try write(changesOf: replay, in: store, to: buffer)
      Messages.say("listed \(Count.of(count, "row")) that replay \(replay) changed in \(store.name)")
      return
    }
    let records = try store.history()
    if json {
      try buffer.append(JSONValue.array(records.map(HistoryReport.json)).text + "\n")
    } else {
      for record in records { try buffer.append(HistoryReport.text(record)) }
    }
    try buffer.flush()
    Messages.say("listed \(Count.of(records.count, "entry", "entries")) of the journal of \(store.name)")
  }

  private func write(changesOf id: Int, in store: any TokenStore, to buffer: OutputBuffer) throws -> Int {
    var count = 0
    try buffer.append(json ? "[\n" : CSVText.line(HistoryReport.changeColumns))
    try store.changes(of: id) { change in
      if json {
        try buffer.append((count > 0 ? ",\n" : "") + HistoryReport.json(change).text)
      } else {
        try buffer.append(CSVText.line(HistoryReport.fields(change)))
      }
      count += 1
    }
    if json { try buffer.append("\n]\n") }
    try buffer.flush()
    return count
  }
}
