import Basics

/// An error in a configuration file. The message gives the location, the message and what to do, in one line without a
/// full stop.
package struct YAMLError: Error, Equatable, CustomStringConvertible {
  package var message: Message

  package init(_ message: Message) { self.message = message }

  package var description: String { message.text }
}

/// A value or key of a YAML text. Scalars are texts: no types are inferred.
package struct YAMLNode {
  package enum Content {
    case text(String)
    case keys([(key: YAMLNode, value: YAMLNode)])
    case list([YAMLNode])
  }

  package let content: Content
  /// Whether there is neither a text nor quotes.
  package let isNothing: Bool
  let position: YAMLPosition

  /// Nil for keys and lists.
  package var text: String? { if case .text(let text) = content { text } else { nil } }

  /// What it is, as messages say what was found.
  package var kind: String {
    switch content {
    case .text(let text): isNothing ? "nothing" : "'\(text.shortened)'"
    case .keys: "keys"
    case .list: "a list"
    }
  }

  package subscript(key: String) -> YAMLNode? {
    guard case .keys(let entries) = content else { return nil }
    return entries.first { $0.key.text == key }?.value
  }

  package func error(_ message: Message) -> YAMLError { position.error(message) }
}

/// A position in a text: line and column (in characters), both from 1.
struct YAMLPosition {
  /// How messages name the text.
  let name: String
  var line = 1
  var column = 1

  /// - Parameter previous: the character before, as a line may end with two.
  mutating func pass(_ character: Unicode.Scalar, after previous: Unicode.Scalar) {
    switch character {
    case "\n" where previous == "\r": break
    case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": (line, column) = (line + 1, 1)
    default: column += 1
    }
  }

  func error(_ message: Message) -> YAMLError {
    YAMLError(.about(name, .located(message, line: line, column: column)))
  }
}
