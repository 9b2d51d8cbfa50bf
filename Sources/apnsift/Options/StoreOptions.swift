import ArgumentParser
import PostgreSQLStore
import SQLiteStore
import TokenStores

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
  private static let variable = "APNSIFT_STORE"
  /// The store where none is named.
  private static let standard = "sqlite:tokens.sqlite"

  @Option(
    help: "The store: sqlite:PATH or a postgresql:// URI. Else what \(variable) says, else \(standard).")
  var store: String?

  @Option(help: "Seconds to wait for another program's lock on the store.")
  var lockTimeout = 5

  @OptionGroup(title: "A table of your own") var mapping: MappingOptions

  mutating func validate() throws {
    guard (0...86_400).contains(lockTimeout) else {
      throw ValidationError("--lock-timeout is \(lockTimeout): 0 to 86400 seconds are possible.")
    }
  }

  /// The store that the option or the environment names; nil where neither does.
  private var named: String? {
    store ?? getenv(Self.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The store for a command that only reads.
  /// - Parameter journal: what `--journal` names.
  func openForReading(journal: StoreURL? = nil) throws -> any TokenStore {
    if let mapped = try openMapped(creates: false, insertsUnknown: false, journal: journal) { return mapped }
    return try open(named ?? Self.standard, creates: false)
  }

  /// The store for a command that writes. One that nobody named is made if missing, and that is said.
  /// - Parameters:
  ///   - creates: whether one that is named is made if missing, too.
  ///   - dryRun: whether nothing will be written after all.
  ///   - insertsUnknown: whether `--insert-unknown` is given.
  ///   - journal: what `--journal` names.
  func openForWriting(
    creates: Bool, dryRun: Bool = false, insertsUnknown: Bool = false, journal: StoreURL? = nil
  ) throws -> any TokenStore {
    if let mapped = try openMapped(creates: creates, insertsUnknown: insertsUnknown, journal: journal) {
      return mapped
    }
    if let named { return try open(named, creates: creates) }
    if try StoreURL(Self.standard).isMissing {
      Messages.say(
        "no store is named: "
          + (dryRun ? "taking \(Self.standard), which does not exist, as empty" : "making \(Self.standard)"))
    }
    return try open(Self.standard, creates: true)
  }

  /// The store in a table of the user's own; nil where no such table is described.
  private func openMapped(
    creates: Bool, insertsUnknown: Bool, journal: StoreURL?
  ) throws -> (any TokenStore)? {
    guard let mapping = try mapping.tableMapping() else {
      guard !insertsUnknown, journal == nil else {
        throw UsageError(
          "\(insertsUnknown ? "--insert-unknown" : "--journal") goes with a table of your own: describe it with "
            + "--mapping or --table, or leave the option out")
      }
      return nil
    }
    guard !creates else {
      throw UsageError(
        "--create makes apnsift's own table, and \(mapping.name) is one of yours: leave out --create or the mapping"
      )
    }
    guard let named else {
      throw UsageError("no store is named: name the database that has the table \(mapping.name) with --store")
    }
    return try MappedStores.open(
      try url(of: named), mapping: mapping,
      options: MappedStoreOptions(
        insertsUnknown: insertsUnknown, journal: journal, lockTimeout: .seconds(lockTimeout)))
  }

  private func open(_ name: String, creates: Bool) throws -> any TokenStore {
    switch try url(of: name) {
    case .sqlite(let path):
      return SQLiteTokenStore(path: path, creates: creates, lockTimeout: .seconds(lockTimeout))
    case .postgreSQL(let uri):
      do {
        return try PostgreSQLTokenStore(uri: uri, creates: creates, lockTimeout: .seconds(lockTimeout))
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

/// Where the replays into a table of the user's own are recorded.
struct JournalOptions: ParsableArguments {
  @Option(
    help:
      "The store that records replays into a table of your own, as sqlite:PATH, for `store history` and `undo`."
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
