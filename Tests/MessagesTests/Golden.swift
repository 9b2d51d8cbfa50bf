import Basics
import Testing

/// A message with its wording. Other tests name messages; only these tables hold what they say.
struct Golden: CustomTestStringConvertible, Sendable {
  let message: Message
  let text: String

  init(_ message: Message, _ text: String) {
    (self.message, self.text) = (message, text)
  }

  var testDescription: String { text }
}

@Test("General messages", arguments: Golden.general)
func generalMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let general: [Golden] = [
    Golden(.verbatim("no such option"), "no such option"),
    Golden(.about("a.bin", .verbatim("is empty")), "a.bin: is empty"),
    Golden(.located(.verbatim("is wrong"), line: nil, column: 2), "is wrong"),
    Golden(.located(.verbatim("is wrong"), line: 3, column: nil), "line 3: is wrong"),
    Golden(.located(.verbatim("is wrong"), line: 3, column: 2), "line 3, column 2: is wrong"),
    Golden(.skipped(.unknownFormat), "skipped: no known format"),
    Golden(.warning(.unknownFormat), "warning: no known format"),
  ]
}
