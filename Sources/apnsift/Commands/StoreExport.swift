import ArgumentParser
import Platform
import Reports
import TokenStores
import WireBytes

/// `apnsift store export`: the rows of a store, as the tables of others take them.
struct StoreExport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the tokens of a store as CSV, in any form.",
    discussion: """
      What it writes, `store import` reads with the same forms: registrations alone, as it passes over the other columns.

      EXAMPLES
        apnsift store export --live --app com.example.mail -o live.csv
        apnsift store export --dead --columns token --no-header --token-form base64
        apnsift store export --columns token,invalidated_at --delimiter ';' \\
          --time-form timestamp:Europe/Berlin
      """)

  @OptionGroup var store: StoreFileOptions

  @Flag(help: "Only tokens that are dead.")
  var dead = false

  @Flag(help: "Only tokens that are alive.")
  var live = false

  @Option(help: "Only tokens of this app.")
  var app: String?

  @Option(help: "Only tokens of this environment: production or sandbox.")
  var environment: Environment?

  @Option(help: "The columns in their order.")
  var columns = ColumnsArgument(columns: StoreColumn.allCases)

  @OptionGroup var forms: FormOptions

  @OptionGroup var csv: CSVOptions

  @Flag(help: "Leave the line with the columns' names out.")
  var noHeader = false

  @Option(name: [.short, .long], help: "Write to this file, which appears when it is whole.")
  var output: String?

  @Flag(help: "Replace an output file that exists.")
  var force = false

  mutating func validate() throws {
    guard !(dead && live) else { throw ValidationError("--dead and --live exclude each other.") }
  }

  func run() throws {
    let store = try store.openForReading(
      owner: AppEnvironment(app: app ?? "", environment: environment ?? .production))
    let file = try output.map { try OutputFile($0, force: force) } ?? OutputFile()
    let buffer = OutputBuffer(file)
    let delimiter = csv.delimiter.byte
    if !noHeader {
      try buffer.append(CSVText.line(columns.columns.map(\.rawValue), delimiter: delimiter))
    }
    var count = 0
    let fault = try rows(of: store) { row in
      try buffer.append(CSVText.line(try columns.columns.map { try text($0, of: row) }, delimiter: delimiter))
      count += 1
    }
    try buffer.flush()
    try file.finish()
    if let fault { throw fault }
    let kind = dead ? "dead token" : live ? "live token" : "token"
    Messages.say("exported \(Count.of(count, kind)) of \(store.name)")
  }

  /// Visits the rows. The error that it returns tells of those that cannot be understood; the others are
  /// visited all the same.
  private func rows(of store: any TokenStore, visit: (StoreRow) throws -> Void) throws -> StoreError? {
    let selection: TokenSelection = dead ? .dead : live ? .live : .all
    do {
      try store.list(selection, in: AppEnvironmentFilter(app: app, environment: environment)) {
        owner, token, state in
        try visit(StoreRow(owner: owner, token: forms.tokenForm.text(of: token), state: state))
      }
      return nil
    } catch let error as StoreError {
      guard case .foreignRows = error.fault else { throw error }
      return error
    }
  }

  private func text(_ column: StoreColumn, of row: StoreRow) throws -> String {
    switch column {
    case .token: row.token
    case .registeredAt: try text(row.state.registeredAt, column, of: row)
    case .invalidatedAt: try text(row.state.invalidatedAt, column, of: row)
    case .app: row.owner.app
    case .environment: row.owner.environment.rawValue
    }
  }

  /// A time that somebody else wrote may be of a year that the form has no text for.
  private func text(_ seconds: Int64?, _ column: StoreColumn, of row: StoreRow) throws -> String {
    guard let seconds else { return "" }
    let form = forms.timeForm.form ?? .iso
    guard let text = form.text(of: seconds) else {
      throw Failure(
        "token \(row.token): its \(column.rawValue) is \(seconds), for which the form \(form.name) has no text: "
          + "repair the row, or choose --time-form seconds")
    }
    return text
  }
}

/// A row of a store with its token as it is written.
private struct StoreRow {
  var owner: AppEnvironment
  var token: String
  var state: TokenState
}

/// A column of an exported store.
enum StoreColumn: String, CaseIterable {
  case token
  case registeredAt = "registered_at"
  case invalidatedAt = "invalidated_at"
  case app
  case environment
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
