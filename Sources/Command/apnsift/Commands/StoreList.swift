import ArgumentParser
import Basics
import Reports
import TokenStores

struct StoreList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the tokens of a store.",
    usage: "apnsift store list [<options>]",
    discussion: """
      EXAMPLES
        apnsift store list --dead --store sqlite:tokens.sqlite
        apnsift store list -t ndjson --app com.example.mail
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var selection: SelectionOptions

  @Option(name: [.short, .long], help: .init("Output format.", valueName: "FORMAT"))
  var to = RowWriter.Format.csv

  @OptionGroup var filter: FilterOptions

  func run() throws {
    let store = try store.location(app: filter.app, environment: filter.environment).openForReading()
    let buffer = OutputBuffer(OutputFile())
    let writer = TokenRowWriter()
    let rows = RowWriter(writer.names, as: to, to: buffer)
    try rows.begin()
    let error = try writer.write(selection.selection, of: store, in: filter.filter, to: rows)
    try rows.end()
    if let error { throw error }
    Console.say("listed \(Count.of(rows.count, selection.noun)) of \(store.name)")
  }
}

extension RowWriter.Format: ExpressibleByArgument {}
