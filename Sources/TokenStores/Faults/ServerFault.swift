/// What is wrong with a store that a server keeps, where a file could not have it.
package enum ServerFault: Equatable, Sendable {
  /// The library that talks to the server cannot be loaded.
  case noLibrary(file: String, package: String)
  /// There is no connection, or the server is none that serves; `reason` says why.
  case cannotConnect(reason: String)
  /// The connection broke before the changes were committed.
  case connectionLost(detail: String)
  /// The connection broke while the changes were committed, and nobody could be asked whether they were.
  case uncertain(detail: String)
  /// The role lacks a privilege.
  case notPermitted(detail: String)
  /// The server is a standby, or the role or database is set to read only.
  case readOnly(detail: String)
  /// Other programs changed the same rows each time that it was tried.
  case contended(detail: String)
}

extension ServerFault {
  /// What was expected and found.
  package var problem: String {
    switch self {
    case .noLibrary(let file, _): "\(file), by which the server is reached, is missing or cannot be loaded"
    case .cannotConnect(let reason): "no connection: \(reason)"
    case .connectionLost(let detail): "the connection was lost (\(detail)); nothing was changed"
    case .uncertain(let detail):
      "the connection was lost while the changes were committed (\(detail)), and whether they are done is unknown"
    case .notPermitted(let detail): "the role may not do this (\(detail)); nothing was changed"
    case .readOnly(let detail): "the server takes no changes (\(detail)); nothing was changed"
    case .contended(let detail):
      "other programs changed the same rows each time that it was tried (\(detail)); nothing was changed"
    }
  }

  /// What the user can do.
  package var remedy: String {
    switch self {
    case .noLibrary(_, let package): "install the package \(package)"
    case .cannotConnect:
      "check that the server runs, and the URI's host, database, role and password (apnsift makes no database)"
    case .connectionLost: "look into the server's log, then run the command again"
    case .uncertain: "run the command again: what is done already is then counted as unchanged"
    case .notPermitted: "grant what is missing (docs/stores.md, Permissions), or connect as another role"
    case .readOnly: "name the primary server, or a role and database that may write"
    case .contended: "run the command again when they are done"
    }
  }
}
