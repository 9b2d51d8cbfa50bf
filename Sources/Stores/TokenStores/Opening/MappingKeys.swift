import Basics
import YAML

/// The keys of a mapping file, and of the values in it.
enum MappingKey: String {
  case table, token, app, environment, registered, action, invalidated, flag, set, store, journal
  case schema, name, column, expression, form, zone, keep, production, sandbox, value, dead, alive

  static let ofFile: [MappingKey] = [
    .table, .token, .app, .environment, .registered, .action, .invalidated, .flag, .set, .store, .journal,
  ]

  /// A key of the file with an example value, for messages.
  var example: String {
    switch self {
    case .table: "table: public.devices"
    case .token: "token: {column: device_token, form: hex}"
    case .app: "app: bundle_id, or app: {value: com.example.mail} for a table of one app"
    case .environment:
      "environment: {column: env, production: prod, sandbox: dev}, or environment: {value: sandbox}"
    case .registered:
      "registered: {column: updated_at, form: timestamptz}, or registered: none, which invalidates devices that "
        + "came back, too"
    case .action: "action: mark, flag or delete"
    case .invalidated: "invalidated: {column: unregistered_at, form: timestamptz}"
    case .flag: "flag: {column: active, dead: false, alive: true}"
    case .set: "set: {reason: APNs feedback, active: {dead: false, alive: true}, removed_at: {form: iso}}"
    default: rawValue
    }
  }
}

/// The value of a key in a mapping file.
struct MappingValue {
  let node: YAMLNode
  /// The path of its key with dots, for messages.
  let path: String
  /// The key with an example value, for messages.
  let example: String

  /// The column's name in it.
  var columnNode: YAMLNode { node[MappingKey.column.rawValue] ?? node }

  func mistake(_ problem: Message) -> YAMLError { node.error(problem) }

  /// A text that every database accepts.
  func text() throws(YAMLError) -> String {
    guard let text = node.text else { throw MappingKeys.unexpected(node, keys: false, path) }
    guard !text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{feff}" }) else {
      throw mistake("\(path) has a zero byte or a byte order mark; remove it")
    }
    return text
  }

  /// The name of a table or a column.
  func name() throws(YAMLError) -> String {
    let name = try text()
    guard !name.isEmpty else { throw mistake("\(path) is empty; write \(example)") }
    return name
  }

  func choice<Value: RawRepresentable<String> & CaseIterable>(of: Value.Type) throws(YAMLError) -> Value {
    let text = try text()
    guard let value = Value(rawValue: text) else {
      throw unknown(text, of: Value.allCases.map(\.rawValue))
    }
    return value
  }

  func unknown(_ text: String, of names: [String]) -> YAMLError {
    mistake(
      "expected one of \(names.joined(separator: ", ")) for \(path), found '\(text.shortened)'; the "
        + "nearest is \(Spelling.nearest(to: text.shortened, of: names))")
  }

  /// - Parameter example: of all the keys, if it is another than its own.
  func keys(_ known: [MappingKey], like example: String? = nil) throws(YAMLError) -> MappingKeys {
    try MappingKeys(node, known, path: path, example: example ?? self.example)
  }
}

/// Keys of a mapping file, or of a value in it. Unknown keys are errors.
struct MappingKeys {
  let values: [MappingKey: MappingValue]
  private let node: YAMLNode
  private let path: String
  private let example: String?

  /// - Parameter example: of all the keys; nil if each has its own.
  init(_ node: YAMLNode, _ known: [MappingKey], path: String, example: String?) throws(YAMLError) {
    guard case .keys(let entries) = node.content else { throw Self.unexpected(node, keys: true, path) }
    (self.node, self.path, self.example) = (node, path, example)
    var values: [MappingKey: MappingValue] = [:]
    for (written, value) in entries {
      guard let key = known.first(where: { $0.rawValue == written.text }) else {
        throw Self.unknown(written, of: known.map(\.rawValue))
      }
      values[key] = MappingValue(
        node: value, path: Self.path(path, key), example: example ?? key.example)
    }
    self.values = values
  }

  subscript(key: MappingKey) -> MappingValue? { values[key] }

  func required(_ key: MappingKey) throws(YAMLError) -> MappingValue {
    guard let value = values[key] else { throw missing(key) }
    return value
  }

  func missing(_ key: MappingKey) -> YAMLError {
    node.error("\(Self.path(path, key)) is missing; write \(example ?? key.example)")
  }

  private static func path(_ path: String, _ key: MappingKey) -> String {
    path.isEmpty ? key.rawValue : "\(path).\(key.rawValue)"
  }

  private static func unknown(_ key: YAMLNode, of names: [String]) -> YAMLError {
    let name = (key.text ?? "").shortened
    return key.error(
      "unknown key '\(name)'; did you mean \(Spelling.nearest(to: name, of: names))? Keys: "
        + "\(names.joined(separator: ", "))")
  }

  /// - Parameter keys: whether keys are expected, or else a text.
  static func unexpected(_ node: YAMLNode, keys: Bool, _ path: String) -> YAMLError {
    node.error(
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
