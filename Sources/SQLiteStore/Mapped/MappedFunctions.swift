import GRDB
import GRDBSQLite
import TokenStores

import struct Foundation.Data

/// SQL functions by which SQLite reads and writes tokens and times in the forms of a mapping.
enum MappedFunctions {
  static let token = "apnsift_token"
  static let tokenText = "apnsift_token_text"
  static let pack = "apnsift_pack"
  static let isOtherSpelling = "apnsift_is_other_spelling"

  /// What reads the times of a column, and what writes them.
  static func seconds(_ column: TimeColumnUse) -> String { "apnsift_\(column.rawValue)" }
  static func time(_ column: TimeColumnUse) -> String { "apnsift_\(column.rawValue)_value" }

  enum TimeColumnUse: String {
    case registered, invalidated
  }

  static func add(to database: Database, for mapping: TableMapping) {
    add(token, to: database) { value in
      (String.fromDatabaseValue(value)).flatMap(mapping.token.form.bytes).map { Data($0).databaseValue }
    }
    add(tokenText, to: database) { value in
      Data.fromDatabaseValue(value).map { mapping.token.form.text(of: Array($0).span.bytes).databaseValue }
    }
    addIsOtherSpelling(to: database, isUpper: mapping.token.form == .upperHex)
    if let registered = mapping.registered { add(registered.form, .registered, to: database) }
    if case .mark(let column) = mapping.action { add(column.form, .invalidated, to: database) }
    let pack = DatabaseFunction(Self.pack, pure: true) { values in
      let packed = stride(from: 0, to: values.count - 1, by: 2).map { place in
        PackedValue(isText: values[place] == 1.databaseValue, value: SQLValue(values[place + 1]))
      }
      return Data(PackedRow.pack(packed)).databaseValue
    }
    database.add(function: pack)
  }

  /// Whether a value may be a token in another spelling than hex of one letter case. Every row of a table is asked: so
  /// it is a function of SQLite itself, which gets the bytes where they are.
  private static func addIsOtherSpelling(to database: Database, isUpper: Bool) {
    // The function's own data is no address but the first letter.
    let firstLetter = UnsafeMutableRawPointer(
      bitPattern: UInt(isUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")))
    sqlite3_create_function_v2(
      database.sqliteConnection, isOtherSpelling, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, firstLetter,
      { context, _, values in
        let first = UInt8(truncatingIfNeeded: UInt(bitPattern: sqlite3_user_data(context)))
        let value = values?[0]
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: sqlite3_result_int(context, 0)
        case SQLITE_TEXT:
          // The text first: that may change how many bytes there are.
          let text = sqlite3_value_text(value)
          let bytes = UnsafeRawBufferPointer(
            start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(value)))
          sqlite3_result_int(context, MappedFunctions.areDigits(bytes, firstLetter: first) ? 0 : 1)
        default: sqlite3_result_int(context, 1)
        }
      }, nil, nil, nil)
  }

  /// Whether all bytes are digits of hex, with letters from `firstLetter` on.
  private static func areDigits(_ bytes: UnsafeRawBufferPointer, firstLetter: UInt8) -> Bool {
    // No early return: the compiler makes vector instructions of it.
    var others = 0
    for byte in bytes {
      others &+= (byte &- UInt8(ascii: "0") < 10 ? 0 : 1) & (byte &- firstLetter < 6 ? 0 : 1)
    }
    return others == 0
  }

  private static func add(_ form: TimeForm, _ use: TimeColumnUse, to database: Database) {
    add(seconds(use), to: database) { form.seconds(of: $0).map(\.databaseValue) }
    add(time(use), to: database) { value in
      Int64.fromDatabaseValue(value).flatMap(form.text).map(\.databaseValue)
    }
  }

  private static func add(
    _ name: String, to database: Database, _ body: @escaping @Sendable (DatabaseValue) -> DatabaseValue?
  ) {
    database.add(
      function: DatabaseFunction(name, argumentCount: 1, pure: true) { values in
        values.first.flatMap(body) ?? .null
      })
  }
}

extension TimeForm {
  /// The UNIX seconds of a value; nil where it is null, or not of this form.
  fileprivate func seconds(of value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .string(let text): return seconds(of: text)
    case .int64(let number):
      switch self {
      case .seconds: return number
      case .milliseconds: return number >= 0 ? number / 1000 : -((-(number + 1)) / 1000) - 1
      case .iso, .timestamptz, .timestamp: return nil
      }
    case .double(let number):
      let isMilliseconds = self == .milliseconds
      guard self == .seconds || isMilliseconds else { return nil }
      return Int64(exactly: (isMilliseconds ? number / 1000 : number).rounded(.down))
    case .blob, .null: return nil
    }
  }
}

extension SQLValue {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .bytes(Array(data))
    }
  }
}
