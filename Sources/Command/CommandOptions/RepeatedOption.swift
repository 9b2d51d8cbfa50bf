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
      let value = VisibleText.of(
        name == word ? words.popFirst() ?? "" : String(word.dropFirst(name.count + 1)))
      // A name of several letters says more.
      let long = option.names.last ?? name
      if let earlier = given.updateValue(value, forKey: long), !option.isRepeating {
        // A URL may have a password.
        let values = option.valueName == "URL" ? "" : " (\(earlier), then \(value))"
        let list =
          option.valueName == "LIST" && value != earlier ? ", as a list: \(long) \(earlier),\(value)" : ""
        throw UsageError("\(long) is given twice\(values): give it once\(list)")
      }
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
