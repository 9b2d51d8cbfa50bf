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
  func openForReading() throws -> any TokenStore {
    try open(named ?? Self.standard, creates: false)
  }

  /// The store for a command that writes. One that nobody named is made if missing, and that is said.
  /// - Parameters:
  ///   - creates: whether one that is named is made if missing, too.
  ///   - dryRun: whether nothing will be written after all.
  func openForWriting(creates: Bool, dryRun: Bool = false) throws -> any TokenStore {
    if let named { return try open(named, creates: creates) }
    if try StoreURL(Self.standard).isMissing {
      Messages.say(
        "no store is named: "
          + (dryRun ? "taking \(Self.standard), which does not exist, as empty" : "making \(Self.standard)"))
    }
    return try open(Self.standard, creates: true)
  }

  private func open(_ url: String, creates: Bool) throws -> any TokenStore {
    do {
      switch try StoreURL(url) {
      case .sqlite(let path):
        return SQLiteTokenStore(path: path, creates: creates, lockTimeout: .seconds(lockTimeout))
      case .postgreSQL(let uri):
        return try PostgreSQLTokenStore(uri: uri, creates: creates, lockTimeout: .seconds(lockTimeout))
      }
    } catch {
      throw UsageError(error.message)
    }
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
