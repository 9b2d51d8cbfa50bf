import ArgumentParser
import SQLiteStore
import TokenStores

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
  /// The store where none is named; it is made if missing.
  private static let standard = "sqlite:tokens.sqlite"
  private static let variable = "APNSIFT_STORE"

  @Option(help: "The store: sqlite:PATH. Else APNSIFT_STORE, else \(standard), which is made if missing.")
  var store: String?

  @Flag(help: "Make the store, or its table, if missing.")
  var create = false

  @Option(help: "Seconds to wait for another program's lock on the store.")
  var lockTimeout = 5

  mutating func validate() throws {
    guard (0...86_400).contains(lockTimeout) else {
      throw ValidationError("--lock-timeout is \(lockTimeout): 0 to 86400 seconds are possible.")
    }
  }

  /// The store that the options and the environment name.
  /// - Parameter dryRun: nothing will be made.
  func open(dryRun: Bool = false) throws -> any TokenStore {
    let named = store ?? getenv(Self.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    do {
      switch try StoreURL(named ?? Self.standard) {
      case .sqlite(let path):
        if named == nil, access(path, F_OK) != 0 {
          Messages.say(
            "no store is named: "
              + (dryRun
                ? "taking \(Self.standard), which does not exist, as empty" : "making \(Self.standard)"))
        }
        return SQLiteTokenStore(
          path: path, creates: create || named == nil, lockTimeout: .seconds(lockTimeout))
      }
    } catch {
      throw UsageError(error.message)
    }
  }

  /// The store for a command that only reads: nothing is made.
  func openForReading() throws -> any TokenStore {
    var options = self
    if store == nil, getenv(Self.variable) == nil { options.store = Self.standard }
    return try options.open()
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
