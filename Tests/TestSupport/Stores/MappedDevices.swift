import Basics
import TokenStores

/// The table and the mapping that most tests of tables of others change in one respect.
package enum MappedDevices {
  package static let token = [UInt8](repeating: 0xa1, count: 32)
  package static let other = [UInt8](repeating: 0xb2, count: 32)
  package static let hex = String(repeating: "a1", count: 32)
  package static let otherHex = String(repeating: "b2", count: 32)

  package static let mapping = {
    var mapping = TableMapping(
      table: "devices", token: TokenColumn(name: "token", form: .hex),
      registered: TimeColumn(name: "seen", form: .seconds),
      action: .mark(TimeColumn(name: "gone", form: .seconds)))
    mapping.keepsLatest = true
    return mapping
  }()

  package static func mapping(_ change: (inout TableMapping) -> Void) -> TableMapping {
    var mapping = mapping
    change(&mapping)
    return mapping
  }

  package static let deleting = mapping { $0.action = .delete }

  package static func flag(_ dead: String, alive: String? = nil) -> TableMapping {
    mapping { $0.action = .flag(column: "flag", dead: dead, alive: alive) }
  }

  /// With both times in a form.
  package static func times(_ form: TimeForm, seen: ColumnReference = "seen") -> TableMapping {
    mapping {
      $0.registered = TimeColumn(name: seen, form: form)
      $0.action = .mark(TimeColumn(name: "gone", form: form))
    }
  }

  /// Of the devices that `rows` has.
  package static let deaths = [token, other].map { Dated(token: $0, time: 1_400_000_000) }

  package static func table(_ columns: String) -> String {
    "CREATE TABLE devices (id bigint PRIMARY KEY, \(columns))"
  }

  package static let table = table("token text, seen bigint, gone bigint")
  package static let rows = """
    INSERT INTO devices (id, token, seen) VALUES (1, '\(hex)', 1300000000), (2, '\(otherHex)', 1300000000)
    """
}

/// What a call threw of a store; nil where it threw nothing.
package func error(_ body: () throws -> Void) throws -> StoreError? {
  do {
    try body()
    return nil
  } catch let error as NamedStoreError {
    return error.reason
  }
}

/// The subject and the finding of a table that does not fit.
package func misfit(_ body: () throws -> Void) throws -> (subject: Message, found: Message)? {
  guard case .misfit(_, let subject, _, let found) = try error(body) else { return nil }
  return (subject, found)
}
