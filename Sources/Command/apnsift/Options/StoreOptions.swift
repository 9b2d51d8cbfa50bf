import ArgumentParser
import Basics
import CommandOptions
import TokenStores

/// The store of a command, with an optional mapping of an existing table.
struct StoreOptions: ParsableArguments, StoreChoice {
  @OptionGroup(title: "STORE") var location: StoreLocationOptions
  @OptionGroup(title: "EXISTING TABLE") var mapping: MappingOptions

  func mappingFile() throws -> MappingFile? { try mapping.mappingFile() }
  var isTrial: Bool { mapping.isTrial }
}

/// The same for commands that have a --token-column of their own: the mapping is a file.
struct StoreFileOptions: ParsableArguments, StoreChoice {
  @OptionGroup(title: "STORE") var location: StoreLocationOptions

  @Option(help: .init("Mapping of an existing table (docs/stores.md).", valueName: "FILE"))
  var mapping: String?

  func mappingFile() throws -> MappingFile? { try mapping.map { try MappingFile(at: $0) } }
  var isTrial: Bool { false }
}

struct StoreLocationOptions: ParsableArguments {
  private static let variable = "APNSIFT_STORE"

  @Option(
    help: .init(
      "sqlite:PATH, or a postgresql:// or mysql:// URI. (default: $\(variable), else \(StoreLocation.usual))",
      valueName: "URL"))
  var store: String?
  @Option(help: .init("Time to wait for a lock on the store.", valueName: "SECONDS"))
  var lockTimeout = 5

  mutating func validate() throws { try checkRange("--lock-timeout", lockTimeout, 0...86_400) }

  /// The value of the environment variable; nil if it is unset or empty.
  var fromEnvironment: String? {
    getenv(Self.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

protocol StoreChoice {
  var location: StoreLocationOptions { get }

  /// The mapping of an existing table; nil for `device_tokens`.
  func mappingFile() throws -> MappingFile?

  /// Whether the mapping allows only dry runs.
  var isTrial: Bool { get }
}

extension StoreChoice {
  /// The store from the options, then from the mapping file.
  /// - Parameters:
  ///   - app: the value of `--app`.
  ///   - insertsUnknown: whether `--insert-unknown` is given.
  func location(
    app: String? = nil, environment: Environment? = nil, insertsUnknown: Bool = false,
    journal: StoreURL? = nil
  ) throws -> StoreLocation {
    let file = try mappingFile()
    try file?.checkOwner(app: app, environment: environment)
    var store = StoreLocation(
      location.store ?? file?.store ?? location.fromEnvironment, mapping: file?.mapping,
      app: app ?? file?.app, environment: environment ?? file?.environment,
      lockTimeout: .seconds(location.lockTimeout))
    (store.insertsUnknown, store.journal, store.isTrial) = (insertsUnknown, journal ?? file?.journal, isTrial)
    return store
  }

  /// Opens the store for registrations of tokens, and says whose they are.
  func openForRegistrations(
    creates: Bool, _ unknown: UnknownOptions, _ owner: OwnerOptions
  ) throws -> (store: TokenStore, owner: AppEnvironment) {
    let location = try location(
      app: owner.app, environment: owner.environment, insertsUnknown: unknown.insertUnknown)
    let store = try location.openForWriting(creates: creates)
    try store.check(for: .writing)
    return (store, try location.owner(in: store))
  }
}

/// The treatment of tokens that are not in an existing table.
struct UnknownOptions: ParsableArguments {
  @Flag(help: "Insert unknown tokens into an existing table, too.")
  var insertUnknown = false
}

/// The journal of replays, if not in the store.
struct JournalOptions: ParsableArguments {
  @Option(
    name: .customLong("journal"),
    help: .init("Journal of replays outside the store, as sqlite:PATH.", valueName: "URL"))
  var url: StoreURL?
}

/// Only an SQLite file, as a journal outside the store is.
extension StoreURL: ExpressibleByArgument {
  package init?(argument: String) {
    guard let url = try? StoreURL(argument), case .sqlite = url else { return nil }
    self = url
  }
}

struct OwnerOptions: ParsableArguments {
  @Option(help: .init("App that the tokens belong to.", valueName: "NAME"))
  var app: String?
  @Option(help: .init("Needed if the store has both. (default: production)", valueName: "NAME"))
  var environment: Environment?
}

extension Environment: ExpressibleByArgument {}

/// The rows to read, by the state of their tokens.
struct SelectionOptions: ParsableArguments {
  @Flag(help: "Only invalidated tokens.")
  var dead = false
  @Flag(help: "Only valid tokens.")
  var live = false

  mutating func validate() throws {
    guard !(dead && live) else { throw ValidationError(.exclusive("--dead", "--live")) }
  }

  var selection: TokenSelection { dead ? .dead : live ? .live : .all }

  /// The rows, for messages.
  var noun: String { dead ? "invalidated token" : live ? "valid token" : "token" }
}

/// The rows to read, by their owners.
struct FilterOptions: ParsableArguments {
  @Option(help: .init("Only tokens of this app.", valueName: "NAME"))
  var app: String?
  @Option(help: .init("Only tokens of this environment.", valueName: "NAME"))
  var environment: Environment?

  var filter: AppEnvironmentFilter { AppEnvironmentFilter(app: app, environment: environment) }
}
