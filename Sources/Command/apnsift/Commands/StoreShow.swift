import ArgumentParser
import Basics
import Reports
import TokenStores

struct StoreShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the rows of tokens.",
    usage: "apnsift store show [<options>] <token> ...",
    discussion: """
      EXAMPLES
        apnsift store show TOKEN --store sqlite:tokens.sqlite
        apnsift store show --json TOKEN TOKEN --app com.example.mail
      """)

  @Argument(help: .init("Tokens: \(TokenText.forms).", valueName: "token"), transform: tokenArgument)
  var tokens: [[UInt8]]

  @OptionGroup var store: StoreOptions
  @OptionGroup var filter: FilterOptions

  @Flag(help: "Print the rows as a JSON array.")
  var json = false

  func run() throws {
    let store = try store.location(app: filter.app, environment: filter.environment).openForReading()
    let rows = try store.rows(of: tokens, in: filter.filter)
    let buffer = OutputBuffer(OutputFile())
    if json {
      let writer = TokenRowWriter()
      let array = RowWriter(writer.names, as: .json, to: buffer)
      try array.begin()
      for row in rows { try writer.write(row.owner, row.token.span.bytes, row.state, to: array) }
      try array.end()
    } else {
      for row in rows { try buffer.append(TokenRowWriter.text(row)) }
    }
    try buffer.flush()
    let known = Set(rows.map(\.token))
    for token in tokens where !known.contains(token) {
      Console.say("\(Hex.string(token)): not in \(store.name)")
    }
    Console.say("showed \(Count.of(rows.count, "row")) of \(store.name)")
  }
}
