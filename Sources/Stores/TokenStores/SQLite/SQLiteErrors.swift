import Basics
import CSQLite

extension DatabaseError {
  /// SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID, macros that Swift does not import.
  private static let duplicates = [6, 8, 10].map { SQLITE_CONSTRAINT | $0 << 8 }

  /// - Parameter code: an extended one.
  package init(sqlite code: Int32, _ message: Message) {
    let kind: Kind? =
      switch code & 0xff {
      case SQLITE_BUSY, SQLITE_LOCKED: .locked
      case SQLITE_NOTADB: .other(.notADatabase)
      case SQLITE_CORRUPT: .other(.damaged(message))
      case SQLITE_READONLY, SQLITE_PERM: .other(.readOnly(message))
      case SQLITE_FULL: .full
      case SQLITE_CANTOPEN, SQLITE_AUTH: .other(.cannotOpen(message))
      case SQLITE_CONSTRAINT: Self.duplicates.contains(code) ? .duplicate : .refused
      default: nil
      }
    self.init(
      kind ?? .failed, message, code: Int(code),
      coded: kind == nil ? "\(message), SQLite error \(Int(code))" : nil)
  }
}
