import ArgumentParser
import Basics

/// Refuses an option that is given twice: the parser would take the last value, and say nothing.
enum RepeatedOption {
  /// - Parameter arguments: those of `command`, which the parser has accepted.
  static func check(_ arguments: [String], of command: any ParsableArguments.Type) throws(UsageError) {
    var words = arguments.prefix { $0 != "--" }
    guard mayRepeat(words), let description = CommandDescription.all(of: command).first else { return }
    var given: [String: String] = [:]
    while let word = words.popFirst() {
      let name = UnknownOption.name(word)
      let known = description.arguments.first { $0.names.contains(name) }
      guard let option = known, !option.isFlag else { continue }
      let value = name == word ? words.popFirst() ?? "" : String(word.dropFirst(name.count + 1))
      // A name of several letters says more.
      let long = option.names.last ?? name
      if let earlier = given.updateValue(value, forKey: long), !option.isRepeating {
        throw UsageError(message(long, VisibleText.of(earlier), VisibleText.of(value), option.valueName))
      }
    }
  }

  private static func message(
    _ name: String, _ earlier: String, _ value: String, _ valueName: String
  ) -> Message {
    switch valueName {
    case "LIST":
      "\(name) is given twice (\(earlier), then \(value)): give it once, as a list: \(name) \(earlier),\(value)"
    // It may have a password.
    case "URL": "\(name) is given twice: give it once"
    default: "\(name) is given twice (\(earlier), then \(value)): give it once"
    }
  }

  /// Whether words look like the same option: are equal, or a letter and a name that begins with it.
  private static func mayRepeat(_ words: ArraySlice<String>) -> Bool {
    let names = words.filter { $0.hasPrefix("-") && $0 != "-" }.map(UnknownOption.name)
    let letters = names.filter { !$0.hasPrefix("--") }.map { $0.dropFirst().prefix(1) }
    return Set(names).count < names.count
      || names.contains { $0.hasPrefix("--") && letters.contains($0.dropFirst(2).prefix(1)) }
  }
}
