import Basics

/// Why a store on a server failed, for reasons that a file does not have.
package enum ServerFault: Equatable, Sendable {
  /// The client library cannot be loaded.
  case noLibrary(file: String, package: String, elsewhere: String)
  /// The connection failed, or the server is unsuitable.
  case cannotConnect(reason: Message)
  /// The connection broke before the changes were committed.
  case connectionLost(detail: Message)
  /// The connection broke during the commit, and its result is unknown.
  case uncertain(detail: Message)
  /// The role lacks a privilege.
  case notPermitted(detail: Message)
  /// The server is a standby, or the role or database is set to read only.
  case readOnly(detail: Message)
  /// Other programs changed the same rows at every attempt.
  case contended(detail: Message)
}

extension ServerFault {
  /// What users read about it.
  package var problem: StoreProblem {
    switch self {
    case .noLibrary(let file, let package, let elsewhere):
      .noLibrary(file, package: package, elsewhere: elsewhere)
    case .cannotConnect(let reason): .cannotConnect(reason)
    case .connectionLost(let detail): .connectionLost(detail)
    case .uncertain(let detail): .uncertain(detail)
    case .notPermitted(let detail): .notPermitted(detail)
    case .readOnly(let detail): .readOnlyServer(detail)
    case .contended(let detail): .contended(detail)
    }
  }
}
