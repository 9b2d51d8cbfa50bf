import ArgumentParser
import Platform
import Stores
import TokenStores

/// Which store a command works on, also in a table of the user's own.
struct StoreOptions: ParsableArguments, StoreChoice {
  @OptionGroup var place: StorePlaceOptions

  @OptionGroup(title: "A table of your own") var mapping: MappingOptions

  func mappingFile() throws -> MappingFile? { try mapping.mappingFile() }

  var isTrial: Bool { mapping.isTrial }
}

/// The same for commands whose own options are called as those of a mapping: it comes from a file alone.
struct StoreFileOptions: ParsableArguments, StoreChoice {
  @OptionGroup var place: StorePlaceOptions

  @Option(
    help: ArgumentHelp(
      "A YAML file that says how a table of yours holds tokens (docs/stores.md, Your own table).",
      valueName: "file"))
  var mapping: String?

  func mappingFile() throws -> MappingFile? { try mapping.map { try MappingFile(at: $0) } }

  var isTrial: Bool { false }
}

/// Where the store is.
struct StorePlaceOptions: ParsableArguments {
  private static let variable = "APNSIFT_STORE"

  @Option(
    help: """
      The store: sqlite:PATH, or a postgresql:// or mysql:// URI. Else what the mapping file says, else \(variable), else \
      \(StoreLocation.usual).
      """)
  var store: String?

  @Option(help: "Seconds to wait for another program's lock on the store.")
  var lockTimeout = 5

  mutating func validate() throws {
    guard (0...86_400).contains(lockTimeout) else {
      throw ValidationError("--lock-timeout is \(lockTimeout): 0 to 86400 seconds are possible.")
    }
  }

  /// What the environment variable says; nil where it says nothing.
  var ofVariable: String? {
    getenv(Self.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// Options that choose a store.
protocol StoreChoice {
  var place: StorePlaceOptions { get }

  /// Says how the table of the user's own is; nil for `device_tokens`.
  func mappingFile() throws -> MappingFile?

  /// Whether the mapping is good for a try alone.
  var isTrial: Bool { get }
}

extension StoreChoice {
  /// The store by the options, and where they are silent by the mapping file.
  /// - Parameters:
  ///   - app: what `--app` says, and so on.
  ///   - insertsUnknown: whether `--insert-unknown` is given.
  func location(
    app: String? = nil, environment: Environment? = nil, insertsUnknown: Bool = false,
    journal: StoreURL? = nil
  ) throws -> StoreLocation {
    let file = try mappingFile()
    return StoreLocation(
      place.store ?? file?.store ?? place.ofVariable, mapping: file?.mapping, app: app ?? file?.app,
      environment: environment ?? file?.environment,
      settings: StoreSettings(
        insertsUnknown: insertsUnknown, journal: journal ?? file?.journal, isTrial: isTrial,
        lockTimeout: .seconds(place.lockTimeout)))
  }
}

/// What becomes of tokens that a table of the user's own does not hold.
struct UnknownOptions: ParsableArguments {
  @Flag(help: "Give tokens that a table of your own does not hold a row in it; else they are counted alone.")
  var insertUnknown = false
}

/// Where replays are recorded, if not in the store.
struct JournalOptions: ParsableArguments {
  @Option(
    help:
      "A file beside the store, as sqlite:PATH, that has the journal of its replays: where the store takes none."
  )
  var journal: JournalArgument?

  var url: StoreURL? { journal?.url }
}

/// A store of SQLite as an argument.
struct JournalArgument: ExpressibleByArgument {
  var url: StoreURL

  init?(argument: String) {
    guard let url = try? StoreURL(argument), case .sqlite = url else { return nil }
    self.url = url
  }
}

/// Whose tokens a command is about.
struct OwnerOptions: ParsableArguments {
  @Option(help: "The app whose tokens these are, as the store names it.")
  var app: String?

  @Option(help: "production or sandbox; must be given once the store holds both. (default: production)")
  var environment: Environment?
}

extension Environment: ExpressibleByArgument {}

/// Which rows of a store a command is about, by the state of their tokens.
struct SelectionOptions: ParsableArguments {
  @Flag(help: "Only tokens that are dead.")
  var dead = false

  @Flag(help: "Only tokens that are alive.")
  var live = false

  mutating func validate() throws {
    guard !(dead && live) else { throw ValidationError("--dead and --live exclude each other.") }
  }

  var selection: TokenSelection { dead ? .dead : live ? .live : .all }

  /// What rows of it are called.
  var noun: String { dead ? "dead token" : live ? "live token" : "token" }
}

/// Which rows of a store a command is about, by their owners.
struct FilterOptions: ParsableArguments {
  @Option(help: "Only tokens of this app.")
  var app: String?

  @Option(help: "Only tokens of this environment: production or sandbox.")
  var environment: Environment?

  var filter: AppEnvironmentFilter { AppEnvironmentFilter(app: app, environment: environment) }
}
