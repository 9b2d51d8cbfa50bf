import ArgumentParser
import Platform
import Reports
import TokenStores
import WireBytes

/// `apnsift store list`: the rows of a store.
struct StoreList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the tokens of a store.",
    discussion: """
      EXAMPLES
        apnsift store list --dead --store sqlite:tokens.sqlite
        apnsift store list -t ndjson --app com.example.mail
      """)

  enum To: String, ExpressibleByArgument, CaseIterable {
    case csv, json, ndjson
  }

  @OptionGroup var store: StoreOptions

  @Flag(help: "Only tokens that are dead.")
  var dead = false

  @Flag(help: "Only tokens that are alive.")
  var live = false

  @Option(name: [.short, .long], help: "csv, json or ndjson.")
  var to = To.csv

  @Option(help: "Only tokens of this app.")
  var app: String?

  @Option(help: "Only tokens of this environment: production or sandbox.")
  var environment: Environment?

  mutating func validate() throws {
    guard !(dead && live) else { throw ValidationError("--dead and --live exclude each other.") }
  }

  func run() throws {
    let store = try store.openForReading(
      owner: AppEnvironment(app: app ?? "", environment: environment ?? .production))
    let buffer = OutputBuffer(OutputFile())
    let format: TokenRowWriter.Format =
      switch to {
      case .csv: .csv
      case .json: .json
      case .ndjson: .ndjson
      }
    let writer = TokenRowWriter(format, output: buffer)
    try writer.begin()
    let fault = try list(store, to: writer)
    try writer.end()
    try buffer.flush()
    if let fault { throw fault }
    let kind = dead ? "dead token" : live ? "live token" : "token"
    Messages.say("listed \(Count.of(writer.count, kind)) of \(store.name)")
  }

  /// Writes the rows. The error that it returns tells of those that cannot be understood; the others are
  /// written all the same.
  private func list(_ store: any TokenStore, to writer: TokenRowWriter) throws -> StoreError? {
    let selection: TokenSelection = dead ? .dead : live ? .live : .all
    let filter = AppEnvironmentFilter(app: app, environment: environment)
    do {
      try store.list(selection, in: filter) { owner, token, state in
        try writer.write(
          app: owner.app, environment: owner.environment.rawValue, token: token,
          registeredAt: state.registeredAt, invalidatedAt: state.invalidatedAt)
      }
      return nil
    } catch let error as StoreError {
      guard case .foreignRows = error.fault else { throw error }
      return error
    }
  }
}
