import ArgumentParser
import Basics
import CommandOptions
import Reports
import TokenStores

struct StoreExport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the tokens of a store as CSV, in any form.",
    usage: "apnsift store export [<options>]",
    discussion: """
      `store import` with the same forms reads the registrations of this CSV, and ignores the other columns.

      EXAMPLES
        apnsift store export --live --app com.example.mail -o live.csv
        apnsift store export --dead --columns token --no-header --token-form base64
        apnsift store export --columns token,invalidated_at --delimiter ';' \\
          --time-form timestamp:Europe/Berlin
      """)

  @OptionGroup var store: StoreFileOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var filter: FilterOptions

  @Option(help: .init("Columns, in this order.", valueName: "LIST"))
  var columns = ColumnsArgument(columns: StoreColumn.allCases)

  @OptionGroup var forms: FormOptions
  @OptionGroup var csv: CSVOptions

  @Flag(help: "Do not write a header line.")
  var noHeader = false

  @OptionGroup var target: OutputOptions

  mutating func validate() throws { try OutputName.check("-o", target.output, is: "csv") }

  func run() throws {
    let store = try store.location(app: filter.app, environment: filter.environment).openForReading()
    let file = try target.output.map { try OutputFile($0, force: target.force) } ?? OutputFile(isData: true)
    let buffer = OutputBuffer(file)
    var writer = TokenRowWriter()
    writer.columns = columns.columns
    writer.tokenForm = forms.tokenForm
    writer.timeForm = forms.timeForm.form ?? .iso
    let rows = RowWriter(writer.names, delimiter: csv.delimiter.byte, to: buffer)
    if !noHeader { try rows.begin() }
    let error = try writer.write(selection.selection, of: store, in: filter.filter, to: rows)
    try rows.end()
    try file.finish()
    if let error { throw error }
    Console.say("exported \(Count.of(rows.count, selection.noun)) of \(store.name)")
  }
}

/// Columns as an argument: `token,registered_at`.
struct ColumnsArgument: ExpressibleByArgument {
  var columns: [StoreColumn]

  init(columns: [StoreColumn]) { self.columns = columns }

  init?(argument: String) {
    columns = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let column = StoreColumn(rawValue: String(name)), !columns.contains(column) else { return nil }
      columns.append(column)
    }
  }

  var defaultValueDescription: String { columns.map(\.rawValue).joined(separator: ",") }
}
