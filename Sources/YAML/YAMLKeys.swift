import Platform
import Yams

/// A key of a file that people write.
package protocol YAMLKey: CodingKey, CaseIterable {
  /// The key with a value, for messages.
  var example: String { get }
}

/// The keys of a mapping in such a file. A key that it does not know is a mistake. Values are texts as they are written:
/// `no`, `0` and `false`, too.
package struct YAMLKeys<Key: YAMLKey> {
  private let container: KeyedDecodingContainer<Key>

  package init(_ decoder: any Decoder) throws {
    let names = Key.allCases.map(\.stringValue)
    for key in try decoder.container(keyedBy: WrittenKey.self).allKeys {
      guard !names.contains(key.stringValue) else { continue }
      throw DecodingError.mistake(
        at: decoder.codingPath + [key],
        "expected one of \(names.joined(separator: ", ")), found '\(key.stringValue.shortened)'; the nearest is "
          + Spelling.nearest(to: key.stringValue.shortened, of: names))
    }
    container = try decoder.container(keyedBy: Key.self)
  }

  /// The key with those above it, as messages name it.
  package func name(of key: Key) -> String { path(key).map(\.stringValue).joined(separator: ".") }

  package func path(_ key: Key) -> [any CodingKey] { container.codingPath + [key] }

  package func contains(_ key: Key) -> Bool { container.contains(key) }

  /// What is wrong with the value of a key: what was expected and found, and what to do.
  package func mistake(_ key: Key, _ text: String) -> DecodingError { .mistake(at: path(key), text) }

  package func missing(_ key: Key) -> DecodingError {
    .mistake(at: container.codingPath, "\(name(of: key)) is missing; write \(key.example)")
  }

  // MARK: - Values

  /// Nil where the key is not there.
  package func value<Value: Decodable>(_ key: Key) throws -> Value? {
    container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
  }

  package func required<Value: Decodable>(_ key: Key) throws -> Value {
    guard let value: Value = try value(key) else { throw missing(key) }
    return value
  }

  /// A text that a database takes.
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

/// Any key, as a file has it. A mistake whose path ends with one is about the key and not about its value.
struct WrittenKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension DecodingError {
  /// - Parameter text: what was expected and found, and what to do.
  package static func mistake(at path: [any CodingKey], _ text: String) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: text))
  }
}

extension YAMLText {
  /// A text that a database takes.
  fileprivate static func text(_ text: String, at path: [any CodingKey]) throws -> String {
    guard !text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{feff}" }) else {
      throw DecodingError.mistake(
        at: path,
        "expected a text for \(name(of: path)), found a zero byte or a byte order mark in it; leave it out")
    }
    return text
  }

  /// The name of a table or a column.
  package static func columnName(
    _ name: String, at path: [any CodingKey], example: String
  ) throws -> String {
    guard !name.isEmpty else {
      throw DecodingError.mistake(
        at: path, "expected a name for \(self.name(of: path)), found an empty text; write \(example)")
    }
    return try text(name, at: path)
  }

  private static func name(of path: [any CodingKey]) -> String {
    path.map(\.stringValue).joined(separator: ".")
  }

  /// The value that a text describes.
  /// - Parameters:
  ///   - name: how messages name the text.
  ///   - example: a key with its value.
  /// - Throws: what is wrong, with line and column.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], name: String, example: String
  ) throws(YAMLMistake) -> Value {
    guard let tree = try tree(of: bytes, name: name) else {
      throw YAMLMistake("\(name): expected keys such as \(example), found nothing")
    }
    try checkKeys(of: tree, name)
    do {
      return try YAMLDecoder().decode(type, from: tree)
    } catch DecodingError.typeMismatch(let type, let context) {
      let (node, mark) = tree.find(context.codingPath)
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      let expected = type == Node.Mapping.self ? "keys" : "a single text"
      throw YAMLMistake(
        "\(place(in: name, mark)): expected \(expected)\(key.isEmpty ? "" : " for \(key)"), found \(kind(node)); "
          + "write it as in \(example)")
    } catch DecodingError.dataCorrupted(let context) {
      throw YAMLMistake("\(place(in: name, tree.find(context.codingPath).mark)): \(context.debugDescription)")
    } catch {
      throw YAMLMistake(
        "\(name): expected keys such as \(example), found something else (\(error)); correct it")
    }
  }

  /// Keys are texts, each is there once, and has a value.
  private static func checkKeys(of node: Node, _ name: String) throws(YAMLMistake) {
    guard case .mapping(let entries) = node else { return }
    var seen: Set<String> = []
    for (key, value) in entries {
      guard case .scalar(let scalar) = key else {
        throw YAMLMistake("\(place(in: name, key.mark)): expected a key, found \(kind(key)); write a text")
      }
      guard seen.insert(scalar.string).inserted else {
        throw duplicate(scalar.string, at: place(in: name, key.mark))
      }
      if case .scalar(let text) = value, isNothing(text) {
        throw YAMLMistake(
          "\(place(in: name, value.mark)): expected a value for \(scalar.string.shortened), found nothing; write it, or "
            + "leave the key out")
      }
      try checkKeys(of: value, name)
    }
  }
}

extension Node {
  /// What is at the end of a path of keys, or as far down as there is something, and its place.
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
