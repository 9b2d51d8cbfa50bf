import ArgumentParser
import Platform
import PostgreSQLStore
import SQLiteStore
import Stores
import TokenStores

/// The store of a command that names none.
private enum StoreDefaults {
  static let variable = "APNSIFT_STORE"
  static let url = "sqlite:tokens.sqlite"
}

/// Which store a command works on, also in a table of the user's own.
struct StoreOptions: ParsableArguments, StoreChoice {
  @OptionGroup var place: StorePlaceOptions

  @OptionGroup(title: "A table of your own") var mapping: MappingOptions

  func tableMapping() throws -> TableMapping? { try mapping.tableMapping() }
}

/// The same for commands whose own options are called as those of a mapping: it comes from a file alone.
struct StoreFileOptions: ParsableArguments, StoreChoice {
  @OptionGroup var place: StorePlaceOptions

  @Option(
    help: ArgumentHelp(
      "A YAML file that says how a table of yours holds tokens (docs/stores.md, Your own table).",
      valueName: "file"))
  var mapping: String?

  func tableMapping() throws -> TableMapping? {
    try mapping.map { try MappingBuilder(draft: MappingFile.draft(at: $0)).mapping() }
  }
}

/// Where the store is.
struct StorePlaceOptions: ParsableArguments {
  @Option(
    help:
      "The store: sqlite:PATH or a postgresql:// URI. Else what \(StoreDefaults.variable) says, else \(StoreDefaults.url)."
  )
  var store: String?

  @Option(help: "Seconds to wait for another program's lock on the store.")
  var lockTimeout = 5

  mutating func validate() throws {
    guard (0...86_400).contains(lockTimeout) else {
      throw ValidationError("--lock-timeout is \(lockTimeout): 0 to 86400 seconds are possible.")
    }
  }
}

/// Options that choose a store.
protocol StoreChoice {
  var place: StorePlaceOptions { get }

  /// The table of the user's own; nil for `device_tokens`.
  func tableMapping() throws -> TableMapping?
}

extension StoreChoice {
  /// The store that the option or the environment names; nil where neither does.
  private var named: String? {
    place.store
      ?? getenv(StoreDefaults.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The store for a command that only reads.
  /// - Parameters:
  ///   - owner: whose the rows of a table are that does not say so.
  ///   - journal: what `--journal` names.
  func openForReading(owner: AppEnvironment = AppEnvironment(), journal: StoreURL? = nil) throws
    -> any TokenStore
  {
    try openMapped(owner: owner, journal: journal) ?? open(named ?? StoreDefaults.url, creates: false)
  }

  /// The store for a command that writes. One that nobody named is made if missing, and that is said.
  /// - Parameters:
  ///   - creates: whether one that is named is made if missing, too.
  ///   - dryRun: whether nothing will be written after all.
  ///   - owner: whose the rows of a table are that does not say so.
  ///   - insertsUnknown: whether `--insert-unknown` is given.
  ///   - journal: what `--journal` names.
  func openForWriting(
    creates: Bool, dryRun: Bool = false, owner: AppEnvironment = AppEnvironment(),
    insertsUnknown: Bool = false,
    journal: StoreURL? = nil
  ) throws -> any TokenStore {
    let mapped = try openMapped(
      creates: creates, owner: owner, insertsUnknown: insertsUnknown, journal: journal)
    if let mapped { return mapped }
    if let named { return try open(named, creates: creates) }
    if try StoreURL(StoreDefaults.url).isMissing {
      Messages.say(
        "no store is named: "
          + (dryRun
            ? "taking \(StoreDefaults.url), which does not exist, as empty" : "making \(StoreDefaults.url)"))
    }
    return try open(StoreDefaults.url, creates: true)
  }

  /// The store in a table of the user's own, or with a journal in a file; nil where it is an ordinary one.
  private func openMapped(
    creates: Bool = false, owner: AppEnvironment, insertsUnknown: Bool = false, journal: StoreURL?
  ) throws -> (any TokenStore)? {
    let mapping = try tableMapping()
    var options = MappedStoreOptions(
      owner: owner, insertsUnknown: insertsUnknown, journal: journal, lockTimeout: .seconds(place.lockTimeout)
    )
    guard let mapping else {
      guard !insertsUnknown else {
        throw UsageError(
          "--insert-unknown goes with a table of your own: describe it with --mapping or --table, or leave the option out"
        )
      }
      guard journal != nil else { return nil }
      options.insertsUnknown = true
      let url = try url(of: named ?? StoreDefaults.url)
      // To register nothing makes the table.
      if creates { _ = try open(url.text, creates: true).register({ _ in }, for: owner) }
      return try MappedStores.open(url, mapping: nil, options: options)
    }
    guard !creates else {
      throw UsageError(
        "--create makes apnsift's own table, and \(mapping.name) is one of yours: leave out --create or the mapping"
      )
    }
    guard let named else {
      throw UsageError("no store is named: name the database that has the table \(mapping.name) with --store")
    }
    return try MappedStores.open(try url(of: named), mapping: mapping, options: options)
  }

  private func open(_ name: String, creates: Bool) throws -> any TokenStore {
    switch try url(of: name) {
    case .sqlite(let path):
      return SQLiteTokenStore(path: path, creates: creates, lockTimeout: .seconds(place.lockTimeout))
    case .postgreSQL(let uri):
      do {
        return try PostgreSQLTokenStore(uri: uri, creates: creates, lockTimeout: .seconds(place.lockTimeout))
      } catch {
        throw UsageError(error.message)
      }
    }
  }

  private func url(of name: String) throws -> StoreURL {
    do { return try StoreURL(name) } catch { throw UsageError(error.message) }
  }
}

extension StoreURL {
  fileprivate var isMissing: Bool {
    switch self {
    case .sqlite(let path): access(path, F_OK) != 0
    case .postgreSQL: false
    }
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
  var app = ""

  @Option(help: "production or sandbox; must be given once the store holds both. (default: production)")
  var environment: Environment?

  /// The owner as far as the options alone say it.
  var named: AppEnvironment { AppEnvironment(app: app, environment: environment ?? .production) }

  /// The owner, once it is clear which of a store's environments is meant.
  func owner(in store: any TokenStore) throws -> AppEnvironment {
    if let environment { return AppEnvironment(app: app, environment: environment) }
    let environments = Set(try store.owners().map(\.environment))
    guard environments.count < 2 else {
      throw UsageError(
        "\(store.name) holds tokens of production and of sandbox: say which with --environment")
    }
    return AppEnvironment(app: app, environment: .production)
  }
}

extension Environment: ExpressibleByArgument {}
