/// Why a store on a server failed, for reasons that a file does not have.
package enum ServerFault: Equatable, Sendable {
  /// The client library cannot be loaded.
  case noLibrary(file: String, package: String)
  /// The connection failed, or the server is unsuitable.
  case cannotConnect(reason: String)
  /// The connection broke before the changes were committed.
  case connectionLost(detail: String)
  /// The connection broke during the commit, and its result is unknown.
  case uncertain(detail: String)
  /// The role lacks a privilege.
  case notPermitted(detail: String)
  /// The server is a standby, or the role or database is set to read only.
  case readOnly(detail: String)
  /// Other programs changed the same rows at every attempt.
  case contended(detail: String)
}

extension ServerFault {
  /// The problem.
  package var problem: String {
    switch self {
    case .noLibrary(let file, _): "the client library \(file) is missing or cannot be loaded"
    case .cannotConnect(let reason): "no connection: \(reason)"
    case .connectionLost(let detail): "the connection was lost (\(detail)); nothing was changed"
    case .uncertain(let detail):
      "the connection was lost during the commit (\(detail)); whether the changes are done is unknown"
    case .notPermitted(let detail): "permission denied (\(detail)); nothing was changed"
    case .readOnly(let detail): "the server is read-only (\(detail)); nothing was changed"
    case .contended(let detail):
      "other programs changed the same rows at every attempt (\(detail)); nothing was changed"
    }
  }

  /// What the user can do.
  package var remedy: String {
    switch self {
    case .noLibrary(_, let package): "install the package \(package)"
    case .cannotConnect:
      "check that the server runs, and the URI's host, database, role and password (apnsift does not create databases)"
    case .connectionLost: "check the server's log, then run the command again"
    case .uncertain: "run the command again: changes that are already done count as unchanged"
    case .notPermitted: "grant the privilege (docs/stores.md, Permissions), or connect as another role"
    case .readOnly: "name the primary server, or a role and database that may write"
    case .contended: "run the command again when they are done"
    }
  }
}
