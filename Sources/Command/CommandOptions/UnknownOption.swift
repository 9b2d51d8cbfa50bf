import ArgumentParser
import Basics

/// Reports an option that a command does not have, with a suggestion.
enum UnknownOption {
  /// Options of other programs, and the words for them here.
  private static let known = [
    "--format": "--to", "--output-format": "--to", "--csv": "--to csv", "--json": "--to json",
    "--ndjson": "--to ndjson", "--jsonl": "--to ndjson", "--arrow": "--to arrow",
  ]

  /// The error about the first unknown option in `arguments`; nil if all are known.
  static func error(in arguments: [String], of root: ParsableCommand.Type) -> UsageError? {
    guard arguments.first != "help" else { return nil }
    let commands = CommandDescription.all(of: root)
    func find(_ path: String) -> CommandDescription? { commands.first { $0.path == path } }
    var path = root._commandName
    for word in arguments {
      guard find("\(path) \(word)") != nil else { break }
      path += " \(word)"
    }
    let usual = root.configuration.defaultSubcommand.map { "\(path) \($0._commandName)" } ?? path
    guard let own = find(path == root._commandName ? usual : path) else { return nil }
    let words = arguments.prefix { $0 != "--" }
    guard let index = words.firstIndex(where: { isOption($0) && !own.names.contains(name($0)) }) else {
      return nil
    }
    let option = name(words[index])
    let later = words[index...].lazy.compactMap { find("\(path) \($0)") }.first
    let owner = later ?? own
    let other = owner.names.contains("--to") ? known[option] : nil
    let nearest = other ?? Spelling.nearest(to: option, of: owner.names)
    // In a short name, two other letters make another word.
    let isLike = Spelling.distance(option, nearest) <= min(2, (option.count - 3) / 2)
    let others = commands.filter { $0.names.contains(option) }.map(\.path)
    let advice =
      if option.hasPrefix("--"), other != nil || isLike {
        later == nil
          ? "; did you mean '\(nearest)'?" : "; options follow the command: `\(owner.path) \(nearest) …`"
      } else if later == nil, option.hasPrefix("--"), !others.isEmpty {
        "; it is an option of \(others.prefix(3).map { "`\($0)`" }.joined(separator: ", "))"
      } else {
        ""
      }
    return UsageError("unknown option '\(option)'\(advice) (`\(owner.path) --help` lists all options)")
  }

  static func name(_ argument: String) -> String { String(argument.prefix { $0 != "=" }) }

  /// Whether `argument` looks like an option, but not like a negative number or several short options.
  private static func isOption(_ argument: String) -> Bool {
    if argument.hasPrefix("--") { return !argument.hasPrefix("--generate-completion-script") }
    return argument.count == 2 && argument.hasPrefix("-") && argument.last?.isLetter == true
  }
}
