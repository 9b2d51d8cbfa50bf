import Messages
import Platform
import Yams

/// A key of a configuration file.
package protocol YAMLKey: CodingKey, CaseIterable {
  /// The key with an example value, for messages.
  var example: String { get }
}

/// The keys of a mapping in such a file. Unknown keys are errors. All scalars are texts, even `no`, `0` and `false`.
package struct YAMLKeys<Key: YAMLKey> {
  private let container: KeyedDecodingContainer<Key>

  package init(_ decoder: any Decoder) throws {
    let names = Key.allCases.map(\.stringValue)
    for key in try decoder.container(keyedBy: WrittenKey.self).allKeys {
      guard !names.contains(key.stringValue) else { continue }
      throw DecodingError.mistake(
        at: decoder.codingPath + [key],
        .yamlUnknownKey(
          key.stringValue.shortened, nearest: Spelling.nearest(to: key.stringValue.shortened, of: names),
          keys: names))
    }
    container = try decoder.container(keyedBy: Key.self)
  }

  /// The path of a key with dots, for messages.
  package func name(of key: Key) -> String { path(key).map(\.stringValue).joined(separator: ".") }

  package func path(_ key: Key) -> [any CodingKey] { container.codingPath + [key] }

  package func contains(_ key: Key) -> Bool { container.contains(key) }

  /// An error about the value of a key.
  package func mistake(_ key: Key, _ problem: Message) -> DecodingError { .mistake(at: path(key), problem) }

  package func missing(_ key: Key) -> DecodingError {
    .mistake(at: container.codingPath, .yamlMissingKey(name(of: key), example: key.example))
  }

  // MARK: - Values

  /// Nil if the key is missing.
  package func value<Value: Decodable>(_ key: Key) throws -> Value? {
    container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
  }

  package func required<Value: Decodable>(_ key: Key) throws -> Value {
    guard let value: Value = try value(key) else { throw missing(key) }
    return value
  }

  /// A text that every database accepts.
  package func text(_ key: Key) throws -> String? {
    try (value(key) as String?).map { try YAMLText.text($0, at: path(key)) }
  }

  /// The name of a table or a column.
  package func columnName(_ key: Key) throws -> String? {
    guard let name: String = try value(key) else { return nil }
    return try YAMLText.columnName(name, at: path(key), example: key.example)
  }

  package func requiredColumnName(_ key: Key) throws -> String {
    guard let name = try columnName(key) else { throw missing(key) }
    return name
  }
}

/// Any key of a file. An error whose path ends with one is about the key itself, not about its value.
struct WrittenKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension DecodingError {
  package static func mistake(at path: [any CodingKey], _ problem: Message) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: problem.text))
  }
}

extension YAMLText {
  /// A text that every database accepts.
  fileprivate static func text(_ text: String, at path: [any CodingKey]) throws -> String {
    guard !text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{feff}" }) else {
      throw DecodingError.mistake(at: path, .yamlForbiddenCharacter(in: name(of: path)))
    }
    return text
  }

  /// The name of a table or a column.
  package static func columnName(
    _ name: String, at path: [any CodingKey], example: String
  ) throws -> String {
    guard !name.isEmpty else {
      throw DecodingError.mistake(at: path, .yamlEmptyName(self.name(of: path), example: example))
    }
    return try text(name, at: path)
  }

  private static func name(of path: [any CodingKey]) -> String {
    path.map(\.stringValue).joined(separator: ".")
  }

  /// Decodes a value from a YAML text.
  /// - Parameters:
  ///   - name: the name of the text in messages.
  ///   - example: a key with an example value, for messages.
  /// - Throws: a message with line and column.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], name: String, example: String
  ) throws(YAMLError) -> Value {
    guard let tree = try tree(of: bytes, name: name) else {
      throw YAMLError(.about(name, .yamlEmpty(example: example)))
    }
    try checkKeys(of: tree, name)
    do {
      return try YAMLDecoder().decode(type, from: tree)
    } catch DecodingError.typeMismatch(let type, let context) {
      let (node, mark) = tree.find(context.codingPath)
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      let problem = Message.yamlExpected(
        keys: type == Node.Mapping.self, for: key, found: kind(node), example: example)
      throw YAMLError(.about(location(in: name, mark), problem))
    } catch DecodingError.dataCorrupted(let context) {
      let mark = tree.find(context.codingPath).mark
      throw YAMLError(.about(location(in: name, mark), .verbatim(context.debugDescription)))
    } catch {
      throw YAMLError(.about(name, .yamlUnreadable(error: "\(error)", example: example)))
    }
  }

  /// Every key must be a text, occur once and have a value.
  private static func checkKeys(of node: Node, _ name: String) throws(YAMLError) {
    guard case .mapping(let entries) = node else { return }
    var seen: Set<String> = []
    for (key, value) in entries {
      guard case .scalar(let scalar) = key else {
        throw YAMLError(.about(location(in: name, key.mark), .yamlKeyIsNoText(found: kind(key))))
      }
      guard seen.insert(scalar.string).inserted else {
        throw duplicate(scalar.string, at: location(in: name, key.mark))
      }
      if case .scalar(let text) = value, isNothing(text) {
        throw YAMLError(
          .about(location(in: name, value.mark), .yamlWithoutValue(scalar.string.shortened)))
      }
      try checkKeys(of: value, name)
    }
  }
}

extension Node {
  /// The node at the end of a path of keys, or the deepest one that exists, and its location.
  fileprivate func find(_ path: [any CodingKey]) -> (node: Node, mark: Mark?) {
    var node = self
    for key in path {
      guard case .mapping(let entries) = node,
        let (written, value) = entries.first(where: { $0.key.string == key.stringValue })
      else { break }
      if key is WrittenKey { return (written, written.mark) }
      node = value
    }
    return (node, node.mark)
  }
}
