import Basics

/// The texts of the argument parser, rearranged.
enum HelpText {
  /// The help text with OPTIONS as the first group of options, and ADVANCED as the last.
  static func arranged(_ text: String) -> String {
    guard text.hasPrefix("OVERVIEW:") else { return text }
    var blocks = text.trimming(\.isNewline).split(separator: "\n\n")
    func index(of title: String) -> Int? { blocks.firstIndex { $0.hasPrefix("\(title):\n") } }
    if let options = index(of: "OPTIONS"), let usage = blocks.firstIndex(where: { $0.hasPrefix("USAGE: ") }) {
      let block = blocks.remove(at: options)
      blocks.insert(block, at: (index(of: "ARGUMENTS") ?? usage) + 1)
    }
    if let advanced = index(of: "ADVANCED") { blocks.append(blocks.remove(at: advanced)) }
    return blocks.joined(separator: "\n\n")
  }

  /// The parser's text with the arguments in it escaped: a line end in one would begin a message of its own.
  static func onOneLine(_ text: String) -> String {
    CommandLine.arguments.dropFirst().reduce(text) { text, argument in
      // The parser repeats an argument, or the value after its equals sign.
      [argument[...], argument.drop { $0 != "=" }.dropFirst()].map(String.init).reduce(text) { text, part in
        let visible = VisibleText.of(part)
        return visible == part ? text : text.replacing(part, with: visible)
      }
    }
  }

  /// The lines of an error about arguments: the message, and from `fullText` the usage.
  static func usageError(_ message: String, _ fullText: String) -> [String] {
    var message = message.replacing(" the following:\n  - ", with: ": ").replacing("\n  - ", with: ", ")[...]
    if message.last == "." { message.removeLast() }
    let start = message.prefix(1)
    let isAcronym = message.dropFirst().first?.isUppercase == true
    message = (isAcronym ? start : start.lowercased()[...]) + message.dropFirst()
    let usage = fullText.split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
    return (message.split(separator: "\n") + usage).map {
      String($0.hasPrefix("  See ") ? $0.dropFirst(2) : $0)
    }
  }
}
