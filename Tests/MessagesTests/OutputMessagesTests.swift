import Basics
import Testing

@Test("Messages about outputs", arguments: Golden.output)
func outputMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let output: [Golden] = [
    Golden(
      .outputExists("a.csv"), "a.csv exists already: name another file, or give --force to replace it"),
    Golden(
      .outputNotCreated("b/a", "No such file or directory"),
      "b/a cannot be created: No such file or directory"),
    Golden(.outputNotWritten("a.csv", "File too large"), "a.csv cannot be written: File too large"),
  ]
}
