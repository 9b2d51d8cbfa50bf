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
        "unknown key '\(key.stringValue.shortened)'; did you mean "
          + "\(Spelling.nearest(to: key.stringValue.shortened, of: names))? Keys: \(names.joined(separator: ", "))"
      )
    }
    container = try decoder.container(keyedBy: Key.self)
  }

  /// The path of a key with dots, for messages.
  package func name(of key: Key) -> String { path(key).map(\.stringValue).joined(separator: ".") }

  package func path(_ key: Key) -> [any CodingKey] { container.codingPath + [key] }

  package func contains(_ key: Key) -> Bool { container.contains(key) }

  /// An error about the value of a key. `text` says what is wrong and what to do.
  package func mistake(_ key: Key, _ text: String) -> DecodingError { .mistake(at: path(key), text) }

  package func missing(_ key: Key) -> DecodingError {
    .mistake(at: container.codingPath, "\(name(of: key)) is missing; write \(key.example)")
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
  /// - Parameter text: what is wrong and what to do.
  package static func mistake(at path: [any CodingKey], _ text: String) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: text))
  }
}

extension YAMLText {
  /// A text that every database accepts.
  fileprivate static func text(_ text: String, at path: [any CodingKey]) throws -> String {
    guard !text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{feff}" }) else {
      throw DecodingError.mistake(
        at: path,
        "\(name(of: path)) has a zero byte or a byte order mark; remove it")
    }
    return text
  }

  /// The name of a table or a column.
  package static func columnName(
    _ name: String, at path: [any CodingKey], example: String
  ) throws -> String {
    guard !name.isEmpty else {
      throw DecodingError.mistake(
        at: path, "\(self.name(of: path)) is empty; write \(example)")
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
      throw YAMLError("\(name): is empty; write keys such as \(example)")
    }
    try checkKeys(of: tree, name)
    do {
      return try YAMLDecoder().decode(type, from: tree)
    } catch DecodingError.typeMismatch(let type, let context) {
      let (node, mark) = tree.find(context.codingPath)
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      let expected = type == Node.Mapping.self ? "keys" : "a single text"
      throw YAMLError(
        "\(location(in: name, mark)): expected \(expected)\(key.isEmpty ? "" : " for \(key)"), found \(kind(node)); "
          + "write it as in \(example)")
    } catch DecodingError.dataCorrupted(let context) {
      throw YAMLError(
        "\(location(in: name, tree.find(context.codingPath).mark)): \(context.debugDescription)")
    } catch {
      throw YAMLError(
        "\(name): cannot be read (\(error)); write keys such as \(example)")
    }
  }

  /// Every key must be a text, occur once and have a value.
  private static func checkKeys(of node: Node, _ name: String) throws(YAMLError) {
    guard case .mapping(let entries) = node else { return }
    var seen: Set<String> = []
    for (key, value) in entries {
      guard case .scalar(let scalar) = key else {
        throw YAMLError("\(location(in: name, key.mark)): a key must be a text, found \(kind(key))")
      }
      guard seen.insert(scalar.string).inserted else {
        throw duplicate(scalar.string, at: location(in: name, key.mark))
      }
      if case .scalar(let text) = value, isNothing(text) {
        throw YAMLError(
          "\(location(in: name, value.mark)): \(scalar.string.shortened) has no value; write one, or remove the key"
        )
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
