import Platform
import TokenStores

/// The end of a transaction, which is not over when its connection breaks: the server may have committed it and not
/// have come to say so.
extension PostgreSQLDatabase {
  /// How often a server that does not answer is asked what became of a transaction, and the pause between, in
  /// microseconds: together long enough for a server that starts again.
  private static let questions = 40
  private static let pause: UInt32 = 250_000

  /// Commits. Returns only where the changes are done, throws only where they are not, but for
  /// `StoreFault.server(.uncertain)`.
  func commit(_ connection: Connection) throws {
    let transaction = try connection.run("SELECT txid_current_if_assigned()").integer(0, 0)
    do throws(ServerError) {
      let command = try connection.run("COMMIT").command
      guard command == "COMMIT" else {
        throw ServerError(state: "", message: "the transaction ended with \(command)", isLost: false)
      }
    } catch {
      guard error.isLost || connection.isLost else { throw error }
      guard let transaction else { throw error }
      try resolve(transaction, error)
    }
  }

  /// Asks the server over a new connection.
  private func resolve(_ transaction: Int64, _ error: ServerError) throws {
    for question in 0..<Self.questions {
      if question > 0 { usleep(Self.pause) }
      switch status(of: transaction) {
      case "committed": return
      case "aborted":
        throw StoreFault.server(.connectionLost(detail: error.message))
      // In progress: the server has not noticed yet, or is still at it. None: it does not answer.
      default: continue
      }
    }
    throw StoreFault.server(.uncertain(detail: error.message))
  }

  private func status(of transaction: Int64) -> String? {
    guard let connection = try? Connection(uri: uri) else { return nil }
    return try? connection.run("SELECT txid_status($1::text::bigint)", .text(String(transaction))).text(0, 0)
  }
}
