import Basics
import Foundation
import StoreTestSupport
import TokenStores

/// A row of a table of others, as a model knows it.
struct ModelRow: Hashable, Sendable {
  var id: Int
  var token: [UInt8]
  var app: String
  var environment: String
  var registered: Int64?
  /// Nil also where the table keeps no times of deaths.
  var died: Int64?
  var isDead: Bool

  /// What is compared: numbers of rows that were inserted differ between databases.
  var text: String {
    let times = [registered, died].map { $0.map(String.init) ?? "-" }.joined(separator: " ")
    return "\(token.map { String($0, radix: 16) }) \(app) \(environment) \(times) \(isDead)"
  }
}

/// A mapping to test, and the table that it is of; what it writes and reads goes by Foundation, not by our forms.
struct MappedCase: Sendable {
  var token: TokenForm
  var time: TimeForm
  var action: InvalidationAction
  var hasApp: Bool
  var hasEnvironment: Bool
  var hasRegistered: Bool

  /// A name that needs to be quoted properly.
  static let quoted = #""My ""devices""""#

  static let times: [TimeForm] = [
    .seconds, .milliseconds, .iso, .timestamptz, .timestamp(zone: "UTC"), .timestamp(zone: "Europe/Berlin"),
  ]

  func mapping(_ kind: StoreKind) -> TableMapping {
    var action = action
    if case .mark = action { action = .mark(TimeColumn(name: "Gone At", form: form(kind))) }
    var mapping = TableMapping(
      table: "My \"devices\"", token: TokenColumn(name: "token", form: token), app: hasApp ? "bundle" : nil,
      environment: hasEnvironment ? EnvironmentColumn(name: "env", production: "prod", sandbox: "dev") : nil,
      registered: hasRegistered ? TimeColumn(name: "seen", form: form(kind)) : nil, action: action)
    mapping.keepsLatest = true
    return mapping
  }

  /// SQLite has no timestamptz.
  private func form(_ kind: StoreKind) -> TimeForm { kind == .sqlite && time == .timestamptz ? .iso : time }

  func definition(_ kind: StoreKind) -> String {
    let (bytes, id) =
      switch kind {
      case .sqlite: ("BLOB", "INTEGER PRIMARY KEY AUTOINCREMENT")
      case .postgreSQL: ("bytea", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
      case .mySQL: ("varbinary(200)", "bigint AUTO_INCREMENT PRIMARY KEY")
      }
    let token = token == .bytes ? bytes : "varchar(200)"
    let time: String =
      switch form(kind) {
      case .seconds, .milliseconds: "bigint"
      case .iso: "text"
      case .timestamptz: kind == .mySQL ? "timestamp NULL" : "timestamptz"
      case .timestamp: kind == .postgreSQL ? "timestamp" : "datetime"
      case .date: "date"
      }
    return """
      CREATE TABLE \(Self.quoted) (id \(id), token \(token) NOT NULL, bundle text, env text, seen \(time),
        "Gone At" \(time), active boolean DEFAULT \(kind == .postgreSQL ? "true" : "1"), note double precision DEFAULT 0.1)
      """
  }

  // MARK: - Values

  private func literal(_ token: [UInt8], variant: Int, _ kind: StoreKind) -> String {
    let hex = token.map { String(format: "%02x", $0) }
    // Tokens of one table come in several spellings.
    let spelled = variant % 3 == 1 ? hex.map { $0.uppercased() } : hex
    return switch self.token {
    case .bytes: kind.literal(token)
    case .hex, .upperHex: "'\(spelled.joined())'"
    case .spacedHex: "'\(spelled.joined(separator: variant % 2 == 0 ? " " : ""))'"
    case .bracketedHex: "'<\(spelled.joined())>'"
    case .base64: "'\(Data(token).base64EncodedString())'"
    }
  }

  private func literal(_ time: Int64?, _ kind: StoreKind) -> String {
    guard let time else { return "NULL" }
    switch form(kind) {
    case .seconds: return "\(time)"
    case .milliseconds: return "\(time * 1000 + 7)"
    case .iso: return "'\(Self.formatter("UTC").string(from: Date(timeIntervalSince1970: Double(time))))Z'"
    case .timestamptz: return kind == .mySQL ? "from_unixtime(\(time))" : "to_timestamp(\(time))"
    case .timestamp(let zone), .date(let zone):
      return "'\(Self.formatter(zone).string(from: Date(timeIntervalSince1970: Double(time))))'"
    }
  }

  /// - Parameter note: of a column that the mapping does not name.
  func insertion(_ row: ModelRow, _ kind: StoreKind, note: String = "0.1") -> String {
    """
    INSERT INTO \(Self.quoted) (token, bundle, env, seen, "Gone At", active, note)
    VALUES (\(literal(row.token, variant: row.id, kind)), '\(row.app)', '\(row.environment)',
      \(hasRegistered ? literal(row.registered, kind) : "NULL"), \(literal(row.died, kind)),
      \(Self.literal(!row.isDead, kind)), \(note))
    """
  }

  private static func literal(_ value: Bool, _ kind: StoreKind) -> String {
    kind == .postgreSQL ? "\(value)" : value ? "1" : "0"
  }

  /// What an app sets in the row of a device that registers.
  func registering(at time: Int64, _ kind: StoreKind) -> String {
    #"seen = \#(literal(time, kind)), "Gone At" = NULL, active = \#(Self.literal(true, kind))"#
  }

  private static func formatter(_ zone: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: zone)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return formatter
  }

  /// Reads all rows, whose texts begin with those for `row`.
  static func query(_ kind: StoreKind, _ more: String = "") -> String {
    // Bytes that are no UTF-8 would be replaced.
    let bytes =
      "IF(token = CONVERT(CONVERT(token USING ascii) USING utf8mb4), CONVERT(token USING utf8mb4), HEX(token))"
    return
      "SELECT \(kind == .mySQL ? bytes : "token"), bundle, env, seen, \"Gone At\", active\(more) FROM \(quoted)"
  }

  /// What a row of texts of token (its bytes in hex where they are bytes), bundle, env, seen, Gone At, active says.
  func row(_ texts: [String?], _ kind: StoreKind) -> ModelRow {
    let died = seconds(texts[4], kind)
    let isDead =
      switch action {
      case .mark: texts[4] != nil
      case .flag: ["0", "f", "false"].contains(texts[5] ?? "")
      case .delete: false
      }
    return ModelRow(
      id: 0, token: bytes(texts[0] ?? ""), app: texts[1] ?? "", environment: texts[2] ?? "",
      registered: seconds(texts[3], kind), died: died, isDead: isDead)
  }

  private func bytes(_ text: String) -> [UInt8] {
    if token == .base64 { return Array(Data(base64Encoded: text) ?? Data()) }
    let digits = text.filter(\.isHexDigit)
    return stride(from: 0, to: digits.count, by: 2).map { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start...].prefix(2), radix: 16) ?? 0
    }
  }

  private func seconds(_ text: String?, _ kind: StoreKind) -> Int64? {
    guard let text else { return nil }
    switch form(kind) {
    case .seconds: return Int64(text)
    case .milliseconds: return Int64(text).map { $0 / 1000 }
    case .iso, .timestamptz, .timestamp, .date:
      var zone = "UTC"
      if case .timestamp(let named) = form(kind) { zone = named }
      let plain = text.prefix(19).replacing("T", with: " ")
      return Self.formatter(zone).date(from: String(plain)).map { Int64($0.timeIntervalSince1970) }
    }
  }
}
