/// A sentence for the user, usually without its full stop: what happened, where, what was expected, and what to do.
///
/// Messages are worded in this module only. Each is a function of its arguments: its name is its identifier, by which
/// tests refer to it, and MessagesTests hold the wording.
package struct Message: Equatable, Hashable, Sendable, CustomStringConvertible {
  package let text: String

  init(_ text: String) { self.text = text }

  package var description: String { text }
}

extension Message {
  /// A text that another library or program worded.
  package static func verbatim(_ text: String) -> Message { Message(text) }

  /// A problem of `subject`: an input, a file or an option.
  package static func about(_ subject: String, _ problem: Message) -> Message {
    Message("\(subject): \(problem.text)")
  }

  /// A problem at a line and column, both from 1, of a text.
  package static func located(_ problem: Message, line: Int?, column: Int?) -> Message {
    guard let line else { return problem }
    let column = column.map { ", column \($0)" } ?? ""
    return Message("line \(line)\(column): \(problem.text)")
  }
}
