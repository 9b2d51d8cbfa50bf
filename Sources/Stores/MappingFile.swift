import Messages
import PacketCapture
import Platform
import StreamInputs
import TokenStores
import YAML

/// A mapping file: small, in YAML (docs/stores.md, "Your own table"). It may also have the values of some options.
package struct MappingFile: Sendable {
  package var mapping: TableMapping
  /// The values of `--store`, `--journal`, `--app` and `--environment`, if the file has them.
  package var store: String?
  package var journal: StoreURL?
  package var app: String?
  package var environment: Environment?

  /// - Parameter path: a path, or `-` for standard input.
  package init(at path: String) throws {
    do {
      try self.init(InputFile.content(of: Input(path), limit: YAMLText.maxSize), name: path)
    } catch let fault as InputFault {
      throw Failure(.notAMappingFile(path, fault.message))
    }
  }

  /// - Parameter name: the text's name in messages.
  package init(_ bytes: [UInt8], name: String) throws(YAMLError) {
    guard bytes.count <= YAMLText.maxSize else {
      throw YAMLError(.mappingTooLong(name, limit: YAMLText.maxSize))
    }
    self = try YAMLText.decode(MappingFile.self, from: bytes, name: name, example: MappingKey.table.example)
  }

  /// The mapping of two options, which is enough to read a table. Its tokens are hex.
  /// - Parameter table: `NAME` or `SCHEMA.NAME`.
  package init(trialOf table: String, tokenColumn: String) throws {
    guard let table = TableName(table), !tokenColumn.isEmpty else {
      throw UsageError(.notATrialTable(table.shortened, tokenColumn: tokenColumn.shortened))
    }
    mapping = TableMapping(
      schema: table.schema, table: table.name, token: TokenColumn(name: tokenColumn, form: .hex),
      action: .delete)
  }
}

private enum MappingKey: String, YAMLKey {
  case table, token, app, environment, registered, action, invalidated, flag, store, journal

  var example: String {
    switch self {
    case .table: "table: public.devices"
    case .token: "token: {column: device_token, form: hex}"
    case .app: "app: bundle_id"
    case .environment: "environment: {column: env, production: prod, sandbox: dev}"
    case .registered:
      "registered: {column: updated_at, form: timestamptz}, or registered: none, which invalidates devices that "
        + "came back, too"
    case .action: "action: mark, flag or delete"
    case .invalidated: "invalidated: {column: unregistered_at, form: timestamptz}"
    case .flag: "flag: {column: active, dead: false, alive: true}"
    case .store: "store: postgresql:///app"
    case .journal: "journal: sqlite:/var/lib/apnsift/replays.sqlite"
    }
  }
}

extension MappingFile: Decodable {
  package init(from decoder: any Decoder) throws {
    let keys = try YAMLKeys<MappingKey>(decoder)
    let app: AppKeys? = try keys.value(.app)
    let environment: EnvironmentKeys? = try keys.value(.environment)
    mapping = try TableMapping(keys, app: app?.column, environment: environment?.column)
    self.app = app?.value
    self.environment = environment?.value
    if let store = try keys.text(.store) {
      _ = try Self.url(store, .store, keys)
      self.store = store
    }
    if let journal = try keys.text(.journal) {
      let url = try Self.url(journal, .journal, keys)
      guard case .sqlite = url else {
        throw keys.mistake(.journal, .journalIsTheStore(url.text))
      }
      self.journal = url
    }
  }

  private static func url(_ text: String, _ key: MappingKey, _ keys: YAMLKeys<MappingKey>) throws -> StoreURL
  {
    do { return try StoreURL(text) } catch { throw keys.mistake(key, error.message) }
  }
}

/// The column of apps, the default app, or both.
private struct AppKeys: Decodable {
  enum Key: String, YAMLKey {
    case column, value

    var example: String { "app: bundle_id, or app: {value: com.example.mail} for a table of one app" }
  }

  var column: String?
  var value: String?

  init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      column = try YAMLText.columnName(name, at: decoder.codingPath, example: Key.column.example)
      return
    }
    let keys = try YAMLKeys<Key>(decoder)
    column = try keys.columnName(.column)
    value = try keys.text(.value)
    guard column != nil || value != nil else { throw keys.missing(.column) }
  }
}

extension TableMapping {
  fileprivate init(_ keys: YAMLKeys<MappingKey>, app: String?, environment: EnvironmentColumn?) throws {
    let table: TableName = try keys.required(.table)
    let token: TokenColumn = try keys.required(.token)
    let registered: Registrations = try keys.required(.registered)
    self.init(
      schema: table.schema, table: table.name, token: token, app: app, environment: environment,
      registered: registered.column, action: try Self.action(keys))
    try checkColumns(keys)
  }

  private static func action(_ keys: YAMLKeys<MappingKey>) throws -> InvalidationAction {
    let name: String = try keys.required(.action)
    let needed: MappingKey?
    switch name {
    case "mark": needed = .invalidated
    case "flag": needed = .flag
    case "delete": needed = nil
    default:
      // Suggests no nearest one: it could be `delete`.
      throw keys.mistake(.action, .unknownAction(name.shortened))
    }
    for key in [MappingKey.invalidated, .flag] where key != needed && keys.contains(key) {
      throw keys.mistake(key, .superfluousKey(key.rawValue, action: name))
    }
    switch needed {
    case .invalidated: return .mark(try keys.required(.invalidated))
    case .flag:
      let flag: Flag = try keys.required(.flag)
      return .flag(column: flag.column, dead: flag.dead, alive: flag.alive)
    default: return .delete
    }
  }

  /// Each column has one purpose.
  private func checkColumns(_ keys: YAMLKeys<MappingKey>) throws {
    var columns: [(MappingKey, String?)] = [
      (.token, token.name), (.app, app), (.environment, environment?.name), (.registered, registered?.name),
    ]
    switch action {
    case .mark(let column): columns.append((.invalidated, column.name))
    case .flag(let column, _, _): columns.append((.flag, column))
    case .delete: break
    }
    var known: [String: MappingKey] = [:]
    for (key, name) in columns {
      guard let name, let other = known.updateValue(key, forKey: name) else { continue }
      throw DecodingError.mistake(
        at: keys.path(key) + [ColumnKey.column],
        .columnOfTwoKeys(name.shortened, key.rawValue, other.rawValue))
    }
  }
}

private enum ColumnKey: String, CodingKey { case column }

/// A table: its name, SCHEMA.NAME, or both as keys.
private struct TableName: Decodable {
  enum Key: String, YAMLKey {
    case schema, name

    var example: String { "table: {schema: x, name: y}" }
  }

  var schema: String?
  var name: String

  init(from decoder: any Decoder) throws {
    guard let text = try? decoder.singleValueContainer().decode(String.self) else {
      let keys = try YAMLKeys<Key>(decoder)
      schema = try keys.columnName(.schema)
      name = try keys.requiredColumnName(.name)
      return
    }
    guard let found = TableName(text) else {
      throw DecodingError.mistake(
        at: decoder.codingPath, .notATable(text.shortened, example: Key.name.example))
    }
    self = found
  }

  /// Nil if `text` is neither NAME nor SCHEMA.NAME.
  init?(_ text: String) {
    let names = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(names.count), !names.contains(""), !text.contains(where: \.isWhitespace) else {
      return nil
    }
    schema = names.count == 2 ? String(names[0]) : nil
    name = String(names[names.count - 1])
  }
}

extension TokenColumn: Decodable {
  private enum Key: String, YAMLKey {
    case column, form

    var example: String { "token: {column: device_token, form: hex}" }
  }

  package init(from decoder: any Decoder) throws {
    let keys = try YAMLKeys<Key>(decoder)
    let name = try keys.requiredColumnName(.column)
    let text: String = try keys.required(.form)
    guard let form = TokenForm(rawValue: text) else {
      throw keys.unknown(text, .form, of: TokenForm.allCases.map(\.rawValue))
    }
    self.init(name: name, form: form)
  }
}

/// The column of environments, the default environment, or both.
private struct EnvironmentKeys: Decodable {
  enum Key: String, YAMLKey {
    case column, production, sandbox, value

    var example: String {
      "environment: {column: env, production: prod, sandbox: dev}, or environment: {value: sandbox}"
    }
  }

  var column: EnvironmentColumn?
  var value: Environment?

  init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      column = EnvironmentColumn(
        name: try YAMLText.columnName(name, at: decoder.codingPath, example: Key.column.example))
      return
    }
    let keys = try YAMLKeys<Key>(decoder)
    if let text = try keys.text(.value) {
      guard let value = Environment(rawValue: text) else {
        throw keys.unknown(text, .value, of: Environment.allCases.map(\.rawValue))
      }
      self.value = value
      if !keys.contains(.column), !keys.contains(.production), !keys.contains(.sandbox) { return }
    }
    column = try Self.column(keys)
  }

  private static func column(_ keys: YAMLKeys<Key>) throws -> EnvironmentColumn {
    var column = EnvironmentColumn(name: try keys.requiredColumnName(.column))
    column.production = try keys.text(.production) ?? column.production
    column.sandbox = try keys.text(.sandbox) ?? column.sandbox
    guard column.production != column.sandbox else {
      throw keys.mistake(
        keys.contains(.sandbox) ? .sandbox : .production,
        .sameEnvironments(column.sandbox.shortened))
    }
    return column
  }
}

/// The column of registrations, or the text `none`.
private struct Registrations: Decodable {
  var column: TimeColumn?

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      guard text == MappingFile.none else {
        throw DecodingError.mistake(
          at: decoder.codingPath,
          .notRegistrations(text.shortened, example: MappingKey.registered.example))
      }
      return
    }
    column = try TimeColumn(from: decoder)
  }
}

extension TimeColumn: Decodable {
  private enum Key: String, YAMLKey {
    case column, form, zone

    var example: String { "{column: updated_at, form: timestamp, zone: Europe/Berlin}" }
  }

  package init(from decoder: any Decoder) throws {
    let keys = try YAMLKeys<Key>(decoder)
    self.init(name: try keys.requiredColumnName(.column), form: try Self.form(keys))
  }

  private static func form(_ keys: YAMLKeys<Key>) throws -> TimeForm {
    let text: String = try keys.required(.form)
    if let zone = try keys.text(.zone) {
      guard text == MappingFile.zoned else {
        throw keys.mistake(.zone, .zoneOfAnotherForm(text.shortened, zoned: MappingFile.zoned))
      }
      return try timestamp(zone, at: .zone, keys)
    }
    let prefix = MappingFile.zoned + ":"
    if text.hasPrefix(prefix) { return try timestamp(String(text.dropFirst(prefix.count)), at: .form, keys) }
    guard let form = TimeForm(text) else {
      throw keys.unknown(
        text, .form, of: ["seconds", "milliseconds", "iso", "timestamptz", MappingFile.zoned])
    }
    return form
  }

  private static func timestamp(_ zone: String, at key: Key, _ keys: YAMLKeys<Key>) throws -> TimeForm {
    guard let form = TimeForm("\(MappingFile.zoned):\(zone)") else {
      throw keys.mistake(key, .unknownZone(zone.shortened))
    }
    return form
  }
}

/// A column's values for invalid and valid tokens.
private struct Flag: Decodable {
  enum Key: String, YAMLKey {
    case column, dead, alive

    var example: String { MappingKey.flag.example }
  }

  var column: String
  var dead: String
  var alive: String?

  init(from decoder: any Decoder) throws {
    let keys = try YAMLKeys<Key>(decoder)
    column = try keys.requiredColumnName(.column)
    guard let dead = try keys.text(.dead) else { throw keys.missing(.dead) }
    self.dead = dead
    alive = try keys.text(.alive)
    guard alive != dead else {
      throw keys.mistake(.alive, .sameFlags(dead.shortened))
    }
  }
}

extension YAMLKeys {
  fileprivate func unknown(_ text: String, _ key: Key, of names: [String]) -> DecodingError {
    mistake(
      key,
      .unknownValue(
        text.shortened, of: name(of: key), known: names,
        nearest: Spelling.nearest(to: text.shortened, of: names)))
  }
}

extension MappingFile {
  /// The value of `registered` for a table without such a column.
  static let none = "none"
  /// A date and a time of day without an offset.
  static let zoned = "timestamp"
}
