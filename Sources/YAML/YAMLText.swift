import Messages
import Platform
import WireBytes
import Yams

/// An error in a configuration file. The message gives the location, the problem and what to do, in one line without a
/// full stop.
package struct YAMLError: Error, Equatable, CustomStringConvertible {
  package var message: Message

  package init(_ message: Message) { self.message = message }

  package var description: String { message.text }
}

/// Small YAML files. Scalars are texts: no types are inferred.
package enum YAMLText {
  /// The maximum size of a file, in bytes.
  package static let maxSize = 1 << 20
  /// The maximum number of aliases (`*name`) and directives (`%TAG`). A mapping file needs none; with many of them,
  /// a small file expands to a huge tree.
  private static let maxIndirections = 10

  /// U+FEFF may begin a file, and is not part of its text.
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Parses a YAML text; nil if it is empty. Time and memory are bounded by its length.
  package static func tree(of bytes: [UInt8], name: String) throws(YAMLError) -> Node? {
    // The parser would treat the first line as indented.
    let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
    try checkText(bytes, name)
    try checkIndirections(bytes, name)
    return try tree(of: String(decoding: bytes, as: UTF8.self), name)
  }

  private static func tree(of text: String, _ name: String) throws(YAMLError) -> Node? {
    do {
      return try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch let error as YamlError {
      throw error.mistake(in: name)
    } catch {
      throw YAMLError(.about(name, .notYAML(error: "\(error)")))
    }
  }

  /// The text must be UTF-8, without characters that YAML does not allow.
  private static func checkText(_ bytes: [UInt8], _ name: String) throws(YAMLError) {
    let span = bytes.span.bytes
    var position = TextPosition()
    var index = 0
    while index < bytes.count {
      let length = UTF8Text.characterLength(at: index, before: bytes.count, in: span)
      guard length > 0 else {
        throw position.error(.yamlNotUTF8(byte: bytes[index]), in: name)
      }
      let character = bytes[index..<index + length]
      guard !isControl(character), Array(character) != byteOrderMark else {
        throw position.error(.yamlControlCharacter(Array(character)), in: name)
      }
      position.pass(bytes[index])
      index += length
    }
  }

  /// Whether a character is not printable in YAML 1.2 (section 5.1).
  private static func isControl(_ character: ArraySlice<UInt8>) -> Bool {
    switch Array(character) {
    case [0x09], [0x0a], [0x0d], [0xc2, 0x85]: false
    case let bytes where bytes.count == 1: bytes[0] < 0x20 || bytes[0] == 0x7f
    case let bytes where bytes[0] == 0xc2: bytes[1] < 0xa0
    case let bytes: bytes == [0xef, 0xbf, 0xbe] || bytes == [0xef, 0xbf, 0xbf]
    }
  }

  /// Counts everything that could begin an alias or a directive: never fewer than there are.
  private static func checkIndirections(_ bytes: [UInt8], _ name: String) throws(YAMLError) {
    var position = TextPosition()
    var count = 0
    var isComment = false
    var previous = UInt8(ascii: "\n")
    for byte in bytes {
      // YAML has line ends outside ASCII: a line may begin after any such character.
      let isLineStart = previous == UInt8(ascii: "\n") || previous == UInt8(ascii: "\r") || previous >= 0x80
      if isLineStart { isComment = byte == UInt8(ascii: "#") }
      let isAlias = byte == UInt8(ascii: "*") && !isWordByte(previous)
      let isDirective = byte == UInt8(ascii: "%") && isLineStart
      if !isComment, isAlias || isDirective { count += 1 }
      guard count <= maxIndirections else {
        throw position.error(.yamlTooManyAliases(limit: maxIndirections), in: name)
      }
      // Continuation bytes belong to the character before them.
      if byte & 0xc0 != 0x80 { position.pass(byte) }
      previous = byte
    }
  }

  /// Whether no alias can follow the byte.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: - Messages

  package static func location(in name: String, _ mark: Mark?) -> String {
    mark.map { "\(name): line \($0.line), column \($0.column)" } ?? name
  }

  package static func duplicate(_ key: String, at location: String) -> YAMLError {
    YAMLError(.about(location, .yamlDuplicateKey(key.shortened)))
  }

  /// Whether a value is missing. An empty text is written in quotes.
  package static func isNothing(_ scalar: Node.Scalar) -> Bool {
    scalar.string.isEmpty && scalar.style == .plain
  }

  package static func kind(_ node: Node) -> String {
    switch node {
    case .scalar(let scalar): isNothing(scalar) ? "nothing" : "'\(scalar.string.shortened)'"
    case .mapping: "keys"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}

/// A position in a text: line and column (in characters), both from 1.
private struct TextPosition {
  private(set) var line = 1
  private(set) var column = 1
  private var followsReturn = false

  /// - Parameter first: the first byte of a character.
  mutating func pass(_ first: UInt8) {
    let isLineFeed = first == UInt8(ascii: "\n")
    let isReturn = first == UInt8(ascii: "\r")
    if isLineFeed && followsReturn {
      // The second half of one line end.
    } else if isLineFeed || isReturn {
      line += 1
      column = 1
    } else {
      column += 1
    }
    followsReturn = isReturn
  }

  func error(_ problem: Message, in name: String) -> YAMLError {
    YAMLError(.about(name, .located(problem, line: line, column: column)))
  }
}

extension YamlError {
  /// The parser's message and the location of the error.
  fileprivate func mistake(in name: String) -> YAMLError {
    switch self {
    case .parser(_, let problem, let mark, _) where problem.contains("nesting level"):
      return YAMLError(.about(YAMLText.location(in: name, mark), .yamlTooDeep))
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
      return Self.notYAML(problem, at: YAMLText.location(in: name, mark))
    case .composer(let context, _, let mark, _) where context?.text.contains("single document") ?? false:
      return YAMLError(.about(YAMLText.location(in: name, mark), .yamlSecondDocument))
    case .composer(_, let problem, let mark, _):
      return Self.notYAML(problem, at: YAMLText.location(in: name, mark))
    case .duplicatedKeysInMapping(let keys, let context):
      return YAMLText.duplicate(
        keys.first ?? "", at: YAMLText.location(in: name, context.mark))
    case .reader(let problem, _, _, _): return Self.notYAML(problem, at: name)
    case .memory: return YAMLError(.about(name, .yamlTooDeep))
    default: return Self.notYAML("\(self)", at: name)
    }
  }

  private static func notYAML(_ problem: String, at location: String) -> YAMLError {
    YAMLError(.about(location, .notYAML(problem.shortened)))
  }
}
