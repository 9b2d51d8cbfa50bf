import Basics
import YAML

/// The keys of a mapping file, and of the values in it.
enum MappingKey: String {
  case table, token, app, environment, registered, action, invalidated, flag, set, store, journal
  case schema, name, column, expression, form, zone, keep, production, sandbox, value, dead, alive

  /// The keys of the file with example values, for messages.
  private static let examples: [(key: MappingKey, example: String)] = [
    (.table, "table: public.devices"), (.token, "token: {column: device_token, form: hex}"),
    (.app, "app: bundle_id, or app: {value: com.example.mail} for a table of one app"),
    (
      .environment,
      "environment: {column: env, production: prod, sandbox: dev}, or environment: {value: sandbox}"
    ),
    (
      .registered,
      "registered: {column: updated_at, form: timestamptz}, or registered: none, which invalidates devices that "
        + "came back, too"
    ),
    (.action, "action: mark, flag or delete"),
    (.invalidated, "invalidated: {column: unregistered_at, form: timestamptz}"),
    (.flag, "flag: {column: active, dead: false, alive: true}"),
    (.set, "set: {reason: APNs feedback, active: {dead: false, alive: true}, removed_at: {form: iso}}"),
    (.store, "store"), (.journal, "journal"),
  ]

  static let ofFile = examples.map(\.key)
  var example: String { Self.examples.first { $0.key == self }?.example ?? rawValue }
}

/// A mapping file, or the value of a key in it. Unknown keys are errors.
struct MappingValue {
  let node: YAMLNode
  /// The path of its key with dots, for messages; empty for the file.
  let path: String
  /// The key with an example value, for messages; nil for the file, whose keys have examples of their own.
  let example: String?

  // MARK: - Texts

  /// The column's name in it.
  var columnNode: YAMLNode { node[MappingKey.column.rawValue] ?? node }
  func error(_ message: Message) -> YAMLError { node.error(message) }

  /// A text that every database accepts.
  func text() throws(YAMLError) -> String {
    guard let text = node.text else { throw unexpected(keys: false) }
    guard !text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{feff}" }) else {
      throw error("\(path) has a zero byte or a byte order mark; remove it")
    }
    return text
  }

  /// The name of a table or a column.
  func name() throws(YAMLError) -> String {
    let name = try text()
    guard !name.isEmpty else { throw error("\(path) is empty; write \(example ?? path)") }
    return name
  }

  func choice<Value: RawRepresentable<String> & CaseIterable>(of: Value.Type) throws(YAMLError) -> Value {
    let text = try text()
    if let value = Value(rawValue: text) { return value }
    throw unknown(text, of: Value.allCases.map(\.rawValue))
  }

  func unknown(_ text: String, of names: [String]) -> YAMLError {
    error(
      "expected one of \(names.joined(separator: ", ")) for \(path), found '\(text.shortened)'; the "
        + "nearest is \(Spelling.nearest(to: text.shortened, of: names))")
  }

  // MARK: - Keys

  /// The value, if it has no other keys than these.
  /// - Parameter example: of all the keys, if it is another than its own.
  func keys(_ known: [MappingKey], like example: String? = nil) throws(YAMLError) -> MappingValue {
    for (key, _) in try entries() where !known.contains(where: { $0.rawValue == key.text }) {
      let (name, names) = ((key.text ?? "").shortened, known.map(\.rawValue))
      throw key.error(
        "unknown key '\(name)'; did you mean \(Spelling.nearest(to: name, of: names))? Keys: "
          + "\(names.joined(separator: ", "))")
    }
    return MappingValue(node: node, path: path, example: example ?? self.example)
  }

  func entries() throws(YAMLError) -> [(key: YAMLNode, value: YAMLNode)] {
    guard case .keys(let entries) = node.content else { throw unexpected(keys: true) }
    return entries
  }

  subscript(key: MappingKey) -> MappingValue? {
    node[key.rawValue].map { MappingValue(node: $0, path: path(of: key), example: example ?? key.example) }
  }

  func required(_ key: MappingKey) throws(YAMLError) -> MappingValue {
    if let value = self[key] { return value }
    throw missing(key)
  }

  func missing(_ key: MappingKey) -> YAMLError {
    error("\(path(of: key)) is missing; write \(example ?? key.example)")
  }

  private func path(of key: MappingKey) -> String { path.isEmpty ? key.rawValue : "\(path).\(key.rawValue)" }

  /// - Parameter keys: whether keys are expected, or else a text.
  private func unexpected(keys: Bool) -> YAMLError {
    error(
      "expected \(keys ? "keys" : "a single text")\(path.isEmpty ? "" : " for \(path)"), found "
        + "\(node.kind); write it as in \(MappingKey.table.example)")
  }

  /// Every key in a file must be a text and have a value.
  static func check(_ node: YAMLNode) throws(YAMLError) {
    guard case .keys(let entries) = node.content else { return }
    for (key, value) in entries {
      guard let text = key.text else { throw key.error("a key must be a text, found \(key.kind)") }
      guard !value.isNothing else {
        throw value.error("\(text.shortened) has no value; write one, or remove the key")
      }
      try check(value)
    }
  }
}
