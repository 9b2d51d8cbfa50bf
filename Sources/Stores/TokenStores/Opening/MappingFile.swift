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

  /// - Parameter path: a path, or `-` for standard input.
  package init(at path: String) throws {
    do {
      try self.init(
        InputFile.content(of: Input(path).of(option: "--mapping"), limit: YAMLText.maxSize), name: path)
    } catch let error as InputError {
      throw CommandError("\(path): \(error.message); expected a mapping file for --mapping")
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
    try MappingValue.check(root)
    try self.init(MappingValue(node: root, path: "", example: nil).keys(MappingKey.ofFile))
  }

  private init(_ keys: MappingValue) throws(YAMLError) {
    let (app, environment) = (try keys[.app]?.app(), try keys[.environment]?.environment())
    mapping = try TableMapping(keys, app: app?.column, environment: environment?.column)
    (self.app, self.environment) = (app?.value, environment?.value)
    _ = try keys[.store]?.url()
    store = keys[.store]?.node.text
    journal = try keys[.journal]?.journal()
  }

  /// - Throws: if a list of another app or environment would reach the rows. Without a column, all are of the value.
  package func checkOwner(app: String?, environment: Environment?) throws(UsageError) {
    let owners = [
      ("--app", app, self.app, mapping.app == nil),
      ("--environment", environment?.rawValue, self.environment?.rawValue, mapping.environment == nil),
    ]
    for case (let option, let asked?, let value?, true) in owners where asked != value {
      throw UsageError(
        "\(option) \(asked.shortened): the mapping says that all rows of \(mapping.name) are of "
          + "\(value.shortened); remove the option, or name the column in the mapping")
    }
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
      schema: schema, table: name, token: TokenColumn(name: ColumnReference(tokenColumn), form: .hex),
      action: .delete)
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
  fileprivate init(
    _ keys: MappingValue, app: ColumnReference?, environment: EnvironmentColumn?
  ) throws(YAMLError) {
    let (schema, table) = try keys.required(.table).table()
    self.init(
      schema: schema, table: table, token: try keys.required(.token).token(), app: app,
      environment: environment, registered: try keys.required(.registered).registered(),
      action: try Self.action(keys))
    keepsLatest = try keys[.invalidated]?.keepsLatest() ?? false
    settings = try keys[.set]?.settings(of: action) ?? []
    try checkColumns(keys)
  }

  private static func action(_ keys: MappingValue) throws(YAMLError) -> InvalidationAction {
    let action = try keys.required(.action)
    let name = try action.text()
    let keysNeeded: [String: MappingKey?] = ["mark": .invalidated, "flag": .flag, "delete": nil]
    guard let needed = keysNeeded[name] else {
      // Suggests no nearest one: it could be `delete`.
      throw action.error(
        "expected one of mark, flag, delete for action, found '\(name.shortened)'; choose one of them")
    }
    for key in [MappingKey.invalidated, .flag] where key != needed {
      if let value = keys[key] {
        throw value.error("expected no \(key.rawValue) with action \(name); remove it or correct the action")
      }
    }
    switch needed {
    case .invalidated: return .mark(try keys.required(.invalidated).time([.column, .form, .zone, .keep]))
    case .flag: return try keys.required(.flag).flag()
    default: return .delete
    }
  }

  /// Each column has one purpose.
  private func checkColumns(_ keys: MappingValue) throws(YAMLError) {
    var purposes: [String: MappingKey] = [:]
    func check(_ key: MappingKey, _ name: String?, _ node: YAMLNode?) throws(YAMLError) {
      guard let name, let other = purposes.updateValue(key, forKey: name), let node else { return }
      throw node.error(
        "expected another column for \(key.rawValue), found '\(name.shortened)', which is also the "
          + "column of \(other.rawValue)")
    }
    let read: [(MappingKey, ColumnReference?)] = [
      (.token, token.name), (.app, app), (.environment, environment?.name), (.registered, registered?.name),
    ]
    for (key, column) in read where column?.isExpression == false {
      try check(key, column?.text, keys[key]?.columnNode)
    }
    for (name, key) in zip(written, [action.key] + settings.map { _ in MappingKey.set }) {
      try check(key, name, key == .set ? keys[key]?.node : keys[key]?.columnNode)
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
    if let parts = MappingFile.parts(of: text) { return parts }
    throw error(
      "expected TABLE or SCHEMA.TABLE, found '\(text.shortened)'; write names with dots or blanks as "
        + "\(example)")
  }

  fileprivate func token() throws(YAMLError) -> TokenColumn {
    let keys = try keys([.column, .expression, .form])
    return TokenColumn(name: try keys.read(), form: try keys.required(.form).choice(of: TokenForm.self))
  }

  /// The column of apps, the default app, or both.
  fileprivate func app() throws(YAMLError) -> (column: ColumnReference?, value: String?) {
    if node.text != nil { return (ColumnReference(try name()), nil) }
    let keys = try keys([.column, .expression, .value])
    let app = (column: try keys.readIfAny(), value: try keys[.value]?.text())
    guard app.column != nil || app.value != nil else { throw keys.missing(.column) }
    return app
  }

  /// The column of environments, the default environment, or both.
  fileprivate func environment() throws(YAMLError) -> (column: EnvironmentColumn?, value: Environment?) {
    if node.text != nil { return (EnvironmentColumn(name: ColumnReference(try name())), nil) }
    let keys = try keys([.column, .expression, .production, .sandbox, .value])
    let value = try keys[.value]?.choice(of: Environment.self)
    if value != nil, try keys.entries().count == 1 { return (nil, value) }
    var column = EnvironmentColumn(name: try keys.read())
    column.production = try keys[.production]?.text() ?? column.production
    column.sandbox = try keys[.sandbox]?.text() ?? column.sandbox
    guard column.production != column.sandbox else {
      throw try keys.required(keys[.sandbox] == nil ? .production : .sandbox).error(
        "expected one value for production and another for sandbox, found "
          + "'\(column.sandbox.shortened)' for both; correct one of them")
    }
    return (column, value)
  }

  /// The column of registrations; nil for the text `none`.
  fileprivate func registered() throws(YAMLError) -> TimeColumn? {
    guard let text = node.text else { return try time([.column, .expression, .form, .zone]) }
    guard text == MappingFile.none else {
      throw error("expected keys for registered, found '\(text.shortened)'; write \(example ?? path)")
    }
    return nil
  }

  /// - Parameter known: the keys that it may have; `keep` is read by `keepsLatest`.
  fileprivate func time(_ known: [MappingKey]) throws(YAMLError) -> TimeColumn {
    let keys = try keys(known, like: "{column: updated_at, form: timestamp, zone: Europe/Berlin}")
    return TimeColumn(name: try keys.read(), form: try keys.timeForm())
  }

  /// Whether a later invalidation replaces the time of an earlier one.
  fileprivate func keepsLatest() throws(YAMLError) -> Bool {
    let keys = try keys([.column, .form, .zone, .keep])
    guard let keep = keys[.keep] else { return false }
    let text = try keep.text()
    guard ["first", "latest"].contains(text) else { throw keep.unknown(text, of: ["first", "latest"]) }
    return text == "latest"
  }

  /// A column's values for invalid and valid tokens.
  fileprivate func flag() throws(YAMLError) -> InvalidationAction {
    let keys = try keys([.column, .dead, .alive])
    let column = try keys.required(.column).name()
    let dead = try keys.required(.dead).text()
    let alive = try keys[.alive]?.text()
    guard alive != dead else {
      throw try keys.required(.alive).error(
        "expected different values for dead and alive, found '\(dead.shortened)' for both; correct one "
          + "of them")
    }
    return .flag(column: column, dead: dead, alive: alive)
  }

  /// Further columns: a text, texts for invalid and valid tokens, or the form of a time.
  fileprivate func settings(of action: InvalidationAction) throws(YAMLError) -> [ColumnSetting] {
    if action == .delete {
      throw error("expected no set with action delete; remove it or correct the action")
    }
    return try entries().map { column, value throws(YAMLError) in
      let value = MappingValue(node: value, path: "\(path).\(column.text ?? "")", example: example)
      return ColumnSetting(column: column.text ?? "", value: try value.setting())
    }
  }

  private func setting() throws(YAMLError) -> WrittenValue<String> {
    if node.text != nil { return .text(dead: try text(), alive: nil) }
    let keys = try keys([.dead, .alive, .form, .zone])
    if keys[.form] != nil || keys[.zone] != nil {
      guard keys[.dead] == nil, keys[.alive] == nil else {
        throw error("expected a form, or dead and alive, found both; write two columns, or remove one")
      }
      return .time(try keys.timeForm())
    }
    return .text(dead: try keys.required(.dead).text(), alive: try keys[.alive]?.text())
  }

  fileprivate func url() throws(YAMLError) -> StoreURL {
    let text = try text()
    do { return try StoreURL(text) } catch { throw self.error(error.message) }
  }

  fileprivate func journal() throws(YAMLError) -> StoreURL {
    let url = try url()
    if case .sqlite = url { return url }
    throw error("expected another file than the store for journal, found '\(url.text)'; write sqlite:PATH")
  }

  // MARK: - Columns

  /// The column, or the expression, that is read.
  fileprivate func read() throws(YAMLError) -> ColumnReference {
    if let reference = try readIfAny() { return reference }
    throw missing(.column)
  }

  fileprivate func readIfAny() throws(YAMLError) -> ColumnReference? {
    guard let expression = self[.expression] else {
      return try self[.column].map { column throws(YAMLError) in ColumnReference(try column.name()) }
    }
    if self[.column] != nil {
      throw expression.error("expected a column or an expression, found both; remove one")
    }
    return ColumnReference(try expression.name(), isExpression: true)
  }

  fileprivate func timeForm() throws(YAMLError) -> TimeForm {
    let value = try required(.form)
    let text = try value.text()
    let name = String(text.prefix { $0 != ":" })
    guard TimeForm.names.contains(name) else { throw value.unknown(text, of: TimeForm.names) }
    let zone = try self[.zone]?.text()
    guard zone == nil || TimeForm.zoned.contains(text) else {
      throw (self[.zone] ?? value).error(
        "expected form: \(TimeForm.zoned.joined(separator: " or ")) with a zone, found '\(text.shortened)'; "
          + "correct the form, or remove the zone")
    }
    guard let form = TimeForm(zone.map { "\(text):\($0)" } ?? text) else {
      throw (self[.zone] ?? value).error(
        "expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, or an offset "
          + "such as -05:00, found '\((zone ?? String(text.dropFirst(name.count + 1))).shortened)'; correct it, or "
          + "install the database (package tzdata)")
    }
    return form
  }
}

extension InvalidationAction {
  /// The key of the column that says whether a row is invalid.
  fileprivate var key: MappingKey { if case .flag = self { .flag } else { .invalidated } }
}
