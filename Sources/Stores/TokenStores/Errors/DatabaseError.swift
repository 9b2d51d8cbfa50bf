import Basics

/// An error of a database, or of the library that talks to it.
package struct DatabaseError: Error, Equatable {
  package enum Kind: Equatable, Sendable {
    /// The connection is lost with it.
    case lost
    /// The same transaction may succeed if it is run again: a deadlock, or a row that another program changed since it
    /// was read.
    case contended
    /// A key that another program inserted in the meantime, or a unique index of the user's.
    case duplicate
    case locked, notPermitted, readOnly, full, refused, failed
    /// An error of one kind of database.
    case other(StoreError)
  }

  package var kind: Kind
  /// One line.
  package var message: Message
  /// Its number in MariaDB's or SQLite's documentation; 0 without one.
  package var code: Int
  fileprivate var coded: Message

  init(_ kind: Kind, _ message: Message, code: Int = 0, coded: Message? = nil) {
    (self.kind, self.message, self.code, self.coded) = (kind, message, code, coded ?? message)
  }

  package var isLost: Bool { kind == .lost }

  /// Runs a transaction, up to four times where it collides with other programs.
  static func retrying<Result>(_ transaction: () throws -> Result) throws -> Result {
    for _ in 1..<4 {
      do {
        return try transaction()
      } catch let error as DatabaseError where [.contended, .duplicate].contains(error.kind) {}
    }
    return try transaction()
  }

  /// Finds out whether a transaction was committed whose connection broke during COMMIT. Asks for 10 seconds, which is
  /// enough for a server that restarts.
  ///
  /// - Parameter isCommitted: asks the server over a new connection; nil if it does not know yet, or does not answer.
  /// - Throws: `StoreError.connectionLost` if it was not committed, or `.uncertain`.
  func resolve(_ isCommitted: () -> Bool?) throws(StoreError) {
    for question in 0..<40 {
      if question > 0 { usleep(250_000) }
      guard let isCommitted = isCommitted() else { continue }
      if isCommitted { return }
      throw .connectionLost(message)
    }
    throw .uncertain(message)
  }

  /// A message of C with its lines, which libpq indents, joined: libraries write one for each address that they tried.
  static func line(_ text: UnsafePointer<CChar>?) -> Message {
    let lines = text.map { String(cString: $0) }?.split { $0.isNewline || $0 == "\t" } ?? []
    return lines.isEmpty ? "no message" : .verbatim(lines.joined(separator: "; "))
  }
}

extension StoreError {
  /// - Parameter waited: the lock timeout.
  package init(_ error: DatabaseError, waited: Duration) {
    self =
      switch error.kind {
      case .lost: .connectionLost(error.message)
      case .contended: .contended(error.message)
      case .locked: .locked(waited: waited)
      case .notPermitted: .notPermitted(error.message)
      case .readOnly: .readOnlyServer(error.message)
      case .full: .full(error.message)
      case .duplicate, .refused: .refused(error.coded)
      case .failed: .failed(error.coded)
      case .other(let error): error
      }
  }
}
