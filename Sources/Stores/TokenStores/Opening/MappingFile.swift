import Basics
import PacketCapture
import StreamInputs
import YAML

/// A mapping file: small, in YAML (docs/stores.md, "Your own table"). It may also have the values of some options.
package struct MappingFile: Sendable {
  package var mapping: TableMapping
  /// The values of `--store`, `--journal`, `--app` and `--environment`, if the file has them.
  package var store: String?
  package var journal: StoreURL?
  package var app: String?
  package var environment: Environment?

  /// The value of `registered` for a table without such a column.
  static let none = "none"
  /// A date and a time of day without an offset.
  static let zoned = "timestamp"

  /// - Parameter path: a path, or `-` for standard input.
  package init(at path: String) throws {
    do {
      try self.init(
        InputFile.content(of: Input(path).of(option: "--mapping"), limit: YAMLText.maxSize), name: path)
    } catch let fault as InputFault {
      throw Failure("\(path): \(fault.message); expected a mapping file for --mapping")
    }
  }

  /// - Parameter name: the text's name in messages.
  package init(_ bytes: [UInt8], name: String) throws(YAMLError) {
    guard bytes.count <= YAMLText.maxSize else {
      throw YAMLError(
        "\(name): expected a mapping of at most \(ByteSize.text(YAMLText.maxSize)), found more; name "
          + "the file that maps a table")
    }
    guard let root = try YAMLText.tree(of: bytes, name: name) else {
      throw YAMLError(.about(name, "is empty; write keys such as \(MappingKey.table.example)"))
    }
    try MappingKeys.check(root)
    try self.init(MappingKeys(root, MappingKey.ofFile, path: "", example: nil))
  }

  private init(_ keys: MappingKeys) throws(YAMLError) {
    let app = try keys[.app]?.app()
    let environment = try keys[.environment]?.environment()
    mapping = try TableMapping(keys, app: app?.column, environment: environment?.column)
    self.app = app?.value
    self.environment = environment?.value
    _ = try keys[.store]?.url()
    store = keys[.store]?.node.text
    journal = try keys[.journal]?.journal()
  }

  /// The mapping of two options, which is enough to read a table. Its tokens are hex.
  /// - Parameter table: `NAME` or `SCHEMA.NAME`.
  package init(trialOf table: String, tokenColumn: String) throws {
    guard let (schema, name) = Self.parts(of: table), !tokenColumn.isEmpty else {
      throw UsageError(
        "--table \(table.shortened) --token-column \(tokenColumn.shortened): expected TABLE or "
          + "SCHEMA.TABLE and the name of a column; describe names with dots or blanks in a file for "
          + "--mapping")
    }
    mapping = TableMapping(
      schema: schema, table: name, token: TokenColumn(name: tokenColumn, form: .hex), action: .delete)
  }

  /// Nil if a text is neither NAME nor SCHEMA.NAME.
  fileprivate static func parts(of table: String) -> (schema: String?, name: String)? {
    let names = table.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(names.count), !names.contains(""), !table.contains(where: \.isWhitespace) else {
      return nil
    }
    return (names.count == 2 ? names[0] : nil, names[names.count - 1])
  }
}

extension TableMapping {
  fileprivate init(_ keys: MappingKeys, app: String?, environment: EnvironmentColumn?) throws(YAMLError) {
    let (schema, table) = try keys.required(.table).table()
    self.init(
      schema: schema, table: table, token: try keys.required(.token).token(), app: app,
      environment: environment, registered: try keys.required(.registered).registered(),
      action: try Self.action(keys))
    try checkColumns(keys)
  }

  private static func action(_ keys: MappingKeys) throws(YAMLError) -> InvalidationAction {
    let action = try keys.required(.action)
    let name = try action.text()
    let needed: MappingKey?
    switch name {
    case "mark": needed = .invalidated
    case "flag": needed = .flag
    case "delete": needed = nil
    default:
      // Suggests no nearest one: it could be `delete`.
      throw action.mistake(
        "expected one of mark, flag, delete for action, found '\(name.shortened)'; choose one of them")
    }
    for key in [MappingKey.invalidated, .flag] where key != needed {
      if let value = keys[key] {
        throw value.mistake(
          "expected no \(key.rawValue) with action \(name); remove it or correct the action")
      }
    }
    switch needed {
    case .invalidated: return .mark(try keys.required(.invalidated).time())
    case .flag: return try keys.required(.flag).flag()
    default: return .delete
    }
  }

  /// Each column has one purpose.
  private func checkColumns(_ keys: MappingKeys) throws(YAMLError) {
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
      let value = try keys.required(key).node
      throw (value[MappingKey.column.rawValue] ?? value).error(

        "expected another column for \(key.rawValue), found '\(name.shortened)', which is also the "
          + "column of \(other.rawValue)")
    }
  }
}

// MARK: - Values

extension MappingValue {
  /// A table: its name, SCHEMA.NAME, or both as keys.
  fileprivate func table() throws(YAMLError) -> (schema: String?, name: String) {
    let example = "table: {schema: x, name: y}"
    guard node.text != nil else {
      let keys = try keys([.schema, .name], like: example)
      return (try keys[.schema]?.name(), try keys.required(.name).name())
    }
    let text = try text()
    guard let parts = MappingFile.parts(of: text) else {
      throw mistake(
        "expected TABLE or SCHEMA.TABLE, found '\(text.shortened)'; write names with dots or blanks as "
          + "\(example)")
    }
    return parts
  }

  fileprivate func token() throws(YAMLError) -> TokenColumn {
    let keys = try keys([.column, .form])
    return TokenColumn(
      name: try keys.required(.column).name(), form: try keys.required(.form).choice(of: TokenForm.self))
  }

  /// The column of apps, the default app, or both.
  fileprivate func app() throws(YAMLError) -> (column: String?, value: String?) {
    if node.text != nil { return (try name(), nil) }
    let keys = try keys([.column, .value])
    let app = (column: try keys[.column]?.name(), value: try keys[.value]?.text())
    guard app.column != nil || app.value != nil else { throw keys.missing(.column) }
    return app
  }

  /// The column of environments, the default environment, or both.
  fileprivate func environment() throws(YAMLError) -> (column: EnvironmentColumn?, value: Environment?) {
    if node.text != nil { return (EnvironmentColumn(name: try name()), nil) }
    let keys = try keys([.column, .production, .sandbox, .value])
    let value = try keys[.value]?.choice(of: Environment.self)
    if value != nil, keys.values.count == 1 { return (nil, value) }
    return (try Self.environmentColumn(keys), value)
  }

  private static func environmentColumn(_ keys: MappingKeys) throws(YAMLError) -> EnvironmentColumn {
    var column = EnvironmentColumn(name: try keys.required(.column).name())
    column.production = try keys[.production]?.text() ?? column.production
    column.sandbox = try keys[.sandbox]?.text() ?? column.sandbox
    guard column.production != column.sandbox else {
      throw try keys.required(keys[.sandbox] == nil ? .production : .sandbox)
        .mistake(
          "expected one value for production and another for sandbox, found "
            + "'\(column.sandbox.shortened)' for both; correct one of them")
    }
    return column
  }

  /// The column of registrations; nil for the text `none`.
  fileprivate func registered() throws(YAMLError) -> TimeColumn? {
    guard let text = node.text else { return try time() }
    guard text == MappingFile.none else {
      throw mistake("expected keys for registered, found '\(text.shortened)'; write \(example)")
    }
    return nil
  }

  fileprivate func time() throws(YAMLError) -> TimeColumn {
    let keys = try keys(
      [.column, .form, .zone], like: "{column: updated_at, form: timestamp, zone: Europe/Berlin}")
    return TimeColumn(
      name: try keys.required(.column).name(), form: try keys.required(.form).timeForm(keys[.zone]))
  }

  private func timeForm(_ zone: MappingValue?) throws(YAMLError) -> TimeForm {
    let text = try text()
    if let zone {
      let name = try zone.text()
      guard text == MappingFile.zoned else {
        throw zone.mistake(
          "expected form: \(MappingFile.zoned) with a zone, found '\(text.shortened)'; correct the "
            + "form, or remove the zone")
      }
      return try zone.timestamp(in: name)
    }
    let prefix = MappingFile.zoned + ":"
    if text.hasPrefix(prefix) { return try timestamp(in: String(text.dropFirst(prefix.count))) }
    guard let form = TimeForm(text) else {
      throw unknown(text, of: ["seconds", "milliseconds", "iso", "timestamptz", MappingFile.zoned])
    }
    return form
  }

  private func timestamp(in zone: String) throws(YAMLError) -> TimeForm {
    guard let form = TimeForm("\(MappingFile.zoned):\(zone)") else {
      throw mistake(
        "expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, found "
          + "'\(zone.shortened)'; correct it, or install the database (package tzdata)")
    }
    return form
  }

  /// A column's values for invalid and valid tokens.
  fileprivate func flag() throws(YAMLError) -> InvalidationAction {
    let keys = try keys([.column, .dead, .alive])
    let column = try keys.required(.column).name()
    let dead = try keys.required(.dead).text()
    let alive = try keys[.alive]?.text()
    guard alive != dead else {
      throw try keys.required(.alive).mistake(
        "expected different values for dead and alive, found '\(dead.shortened)' for both; correct one "
          + "of them")
    }
    return .flag(column: column, dead: dead, alive: alive)
  }

  fileprivate func url() throws(YAMLError) -> StoreURL {
    let text = try text()
    do { return try StoreURL(text) } catch { throw mistake(error.message) }
  }

  fileprivate func journal() throws(YAMLError) -> StoreURL {
    let url = try url()
    guard case .sqlite = url else {
      throw mistake(
        "expected another file than the store for journal, found '\(url.text)'; write sqlite:PATH")
    }
    return url
  }
}
