import Basics
import StoreTestSupport
import TokenStores

/// The table and the mapping that most tests of tables of others change in one respect.
enum MappedDevices {
  static let token = [UInt8](repeating: 0xa1, count: 32)
  static let other = [UInt8](repeating: 0xb2, count: 32)
  static let hex = String(repeating: "a1", count: 32)
  static let otherHex = String(repeating: "b2", count: 32)

  static let mapping = {
    var mapping = TableMapping(
      table: "devices", token: TokenColumn(name: "token", form: .hex),
      registered: TimeColumn(name: "seen", form: .seconds),
      action: .mark(TimeColumn(name: "gone", form: .seconds)))
    mapping.keepsLatest = true
    return mapping
  }()

  static func mapping(_ change: (inout TableMapping) -> Void) -> TableMapping {
    var mapping = mapping
    change(&mapping)
    return mapping
  }

  static let deleting = mapping { $0.action = .delete }

  static func flag(_ dead: String, alive: String? = nil) -> TableMapping {
    mapping { $0.action = .flag(column: "flag", dead: dead, alive: alive) }
  }

  /// Of the devices that `rows` has.
  static let deaths = [Dated(token: token, time: 1_400_000_000), Dated(token: other, time: 1_400_000_000)]

  static let table = "CREATE TABLE devices (id bigint PRIMARY KEY, token text, seen bigint, gone bigint)"
  static let rows = """
    INSERT INTO devices (id, token, seen) VALUES (1, '\(hex)', 1300000000), (2, '\(otherHex)', 1300000000)
    """
}

/// What a call threw of a store; nil where it threw nothing.
func error(_ body: () throws -> Void) throws -> StoreError? {
  do {
    try body()
    return nil
  } catch let error as NamedStoreError {
    return error.reason
  }
}
