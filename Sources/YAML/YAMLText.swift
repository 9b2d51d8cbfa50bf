import Platform
import WireBytes
import Yams

/// What is wrong with a description that people write: where, what was expected and found, what to do. One line without
/// a full stop.
package struct YAMLMistake: Error, Equatable, CustomStringConvertible {
  package var message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}

/// Small files of YAML that people write. No rules of types: a text is a text.
package enum YAMLText {
  /// The largest file, in bytes.
  package static let maxSize = 1 << 20
  /// How many aliases (`*name`) or directives (`%TAG`) a text may have. A mapping needs none; with many, a small text
  /// stands for a tree without bounds, and takes the parser as long.
  private static let maxIndirections = 10

  /// U+FEFF may begin a file, and is no part of its text.
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// The tree of a YAML text; nil where it says nothing. Time and memory are bounded by its length.
  package static func tree(of bytes: [UInt8], name: String) throws(YAMLMistake) -> Node? {
    // The parser would take the first line for one that is indented.
    let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
    try checkText(bytes, name)
    try checkIndirections(bytes, name)
    return try tree(of: String(decoding: bytes, as: UTF8.self), name)
  }

  private static func tree(of text: String, _ name: String) throws(YAMLMistake) -> Node? {
    do {
      return try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch let error as YamlError {
      throw error.mistake(in: name)
    } catch {
      throw YAMLMistake("\(name): expected YAML, found something else (\(error)); correct it")
    }
  }

  /// All of it must be UTF-8, without the characters that YAML does not take.
  private static func checkText(_ bytes: [UInt8], _ name: String) throws(YAMLMistake) {
    let span = bytes.span.bytes
    var place = TextPlace()
    var index = 0
    while index < bytes.count {
      let length = UTF8Text.characterLength(at: index, before: bytes.count, in: span)
      guard length > 0 else {
        throw YAMLMistake(
          "\(place.text(in: name)): expected UTF-8, found the byte 0x\(Hex.string([bytes[index]])); save the file as "
            + "UTF-8")
      }
      let character = bytes[index..<index + length]
      guard !isControl(character), Array(character) != byteOrderMark else {
        throw YAMLMistake(
          "\(place.text(in: name)): expected text, found a character that has no shape "
            + "(0x\(Hex.string(Array(character)))); leave it out")
      }
      place.pass(bytes[index])
      index += length
    }
  }

  /// What YAML 1.2 calls not printable (section 5.1).
  private static func isControl(_ character: ArraySlice<UInt8>) -> Bool {
    switch Array(character) {
    case [0x09], [0x0a], [0x0d], [0xc2, 0x85]: false
    case let bytes where bytes.count == 1: bytes[0] < 0x20 || bytes[0] == 0x7f
    case let bytes where bytes[0] == 0xc2: bytes[1] < 0xa0
    case let bytes: bytes == [0xef, 0xbf, 0xbe] || bytes == [0xef, 0xbf, 0xbf]
    }
  }

  /// Counts what could begin an alias or a directive, which is never less than there are.
  private static func checkIndirections(_ bytes: [UInt8], _ name: String) throws(YAMLMistake) {
    var place = TextPlace()
    var count = 0
    var isComment = false
    var previous = UInt8(ascii: "\n")
    for byte in bytes {
      // YAML has line ends beyond ASCII: behind any other character a line may begin.
      let isLineStart = previous == UInt8(ascii: "\n") || previous == UInt8(ascii: "\r") || previous >= 0x80
      if isLineStart { isComment = byte == UInt8(ascii: "#") }
      let isAlias = byte == UInt8(ascii: "*") && !isWordByte(previous)
      let isDirective = byte == UInt8(ascii: "%") && isLineStart
      if !isComment, isAlias || isDirective { count += 1 }
      guard count <= maxIndirections else {
        throw YAMLMistake(
          "\(place.text(in: name)): expected at most \(maxIndirections) aliases or directives, found more; none "
            + "is needed: write the texts themselves")
      }
      // Bytes inside a character count as its own.
      if byte & 0xc0 != 0x80 { place.pass(byte) }
      previous = byte
    }
  }

  /// Whether an alias cannot follow.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: - Messages

  package static func place(in name: String, _ mark: Mark?) -> String {
    mark.map { "\(name): line \($0.line), column \($0.column)" } ?? name
  }

  package static func duplicate(_ key: String, at place: String) -> YAMLMistake {
    YAMLMistake("\(place): expected each key once, found '\(key.shortened)' again; leave one of them out")
  }

  /// A key with nothing behind it. An empty text is written in quotes.
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

/// A place in a text: line and column (in characters), both from 1.
private struct TextPlace {
  private(set) var line = 1
  private(set) var column = 1
  private var isBehindReturn = false

  /// - Parameter first: the first byte of a character.
  mutating func pass(_ first: UInt8) {
    let isLineFeed = first == UInt8(ascii: "\n")
    let isReturn = first == UInt8(ascii: "\r")
    if isLineFeed && isBehindReturn {
      // The second half of one line end.
    } else if isLineFeed || isReturn {
      line += 1
      column = 1
    } else {
      column += 1
    }
    isBehindReturn = isReturn
  }

  func text(in name: String) -> String { "\(name): line \(line), column \(column)" }
}

extension YamlError {
  /// The parser's own words, where it stopped.
  fileprivate func mistake(in name: String) -> YAMLMistake {
    switch self {
    case .parser(_, let problem, let mark, _) where problem.contains("nesting level"):
      return Self.notYAML("it is nested too deep", at: YAMLText.place(in: name, mark))
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
      return Self.notYAML(problem, at: YAMLText.place(in: name, mark))
    case .composer(let context, _, let mark, _) where context?.text.contains("single document") ?? false:
      return YAMLMistake(
        "\(YAMLText.place(in: name, mark)): expected one document, found another behind it; make a file of each"
      )
    case .composer(_, let problem, let mark, _):
      return Self.notYAML(problem, at: YAMLText.place(in: name, mark))
    case .duplicatedKeysInMapping(let keys, let context):
      return YAMLText.duplicate(
        keys.first ?? "", at: YAMLText.place(in: name, context.mark))
    case .reader(let problem, _, _, _): return Self.notYAML(problem, at: name)
    case .memory: return Self.notYAML("it is nested too deep", at: name)
    default: return Self.notYAML("\(self)", at: name)
    }
  }

  private static func notYAML(_ problem: String, at place: String) -> YAMLMistake {
    YAMLMistake(
      "\(place): expected YAML, found that it cannot be read: \(problem.shortened); correct it (texts with special "
        + "characters go in quotes)")
  }
}
