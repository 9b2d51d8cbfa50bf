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
  /// - Parameters:
  ///   - owner: whose the rows of a table are that does not say so.
  ///   - journal: what `--journal` names.
  func openForReading(owner: AppEnvironment = AppEnvironment(), journal: StoreURL? = nil) throws
    -> any TokenStore
  {
    try openMapped(owner: owner, journal: journal) ?? open(named ?? Self.standard, creates: false)
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
    if try StoreURL(Self.standard).isMissing {
      Messages.say(
        "no store is named: "
          + (dryRun ? "taking \(Self.standard), which does not exist, as empty" : "making \(Self.standard)"))
    }
    return try open(Self.standard, creates: true)
  }

  /// The store in a table of the user's own, or with a journal in a file; nil where it is an ordinary one.
  private func openMapped(
    creates: Bool = false, owner: AppEnvironment, insertsUnknown: Bool = false, journal: StoreURL?
  ) throws -> (any TokenStore)? {
    let mapping = try mapping.tableMapping()
    var options = MappedStoreOptions(
      owner: owner, insertsUnknown: insertsUnknown, journal: journal, lockTimeout: .seconds(lockTimeout))
    guard let mapping else {
      guard !insertsUnknown else {
        throw UsageError(
          "--insert-unknown goes with a table of your own: describe it with --mapping or --table, or leave the option out"
        )
      }
      guard journal != nil else { return nil }
      options.insertsUnknown = true
      let url = try url(of: named ?? Self.standard)
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
