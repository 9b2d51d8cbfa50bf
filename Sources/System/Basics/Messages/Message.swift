/// A sentence for the user, usually without its full stop: what happened, where, what was expected, and what to do.
///
/// The code that reports a message words it. Messages that several files report are functions of their arguments in
/// this folder, and MessagesTests hold their wording.
package struct Message: Equatable, Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringInterpolation
{
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral text: String) { self.text = text }

  /// Joins the parts of a long sentence.
  package static func + (left: Message, right: Message) -> Message { Message(left.text + right.text) }

  package var description: String { text }
}

extension Message {
  /// A text that another library or program worded.
  package static func verbatim(_ text: String) -> Message { Message(text) }

  /// A message of `subject`: an input, a file or an option.
  package static func about(_ subject: String, _ message: Message) -> Message {
    Message("\(subject): \(message.text)")
  }

  /// A message at a line and column, both from 1, of a text.
  package static func located(_ message: Message, line: Int?, column: Int?) -> Message {
    guard let line else { return message }
    let column = column.map { ", column \($0)" } ?? ""
    return Message("line \(line)\(column): \(message.text)")
  }

  package static func skipped(_ reason: Message) -> Message { Message("skipped: \(reason)") }
  package static func warning(_ message: Message) -> Message { Message("warning: \(message)") }
}
