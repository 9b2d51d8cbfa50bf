import ArgumentParser
import Basics

/// Reports an option that a command does not have, with a suggestion.
enum UnknownOption {
  /// The options of the command `path`, such as `apnsift store list`.
  private typealias Options = (path: String, names: [String])

  /// The error about the first unknown option in `arguments`; nil if all are known.
  static func error(in arguments: [String], of root: ParsableCommand.Type) -> UsageError? {
    guard arguments.first != "help" else { return nil }
    let commands = options(of: tree(of: root), under: "")
    func find(_ path: String) -> Options? { commands.first { $0.path == path } }
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
    let nearest = Spelling.nearest(to: option, of: owner.names)
    let others = commands.filter { $0.names.contains(option) }.map(\.path)
    let advice =
      if option.hasPrefix("--"), Spelling.distance(option, nearest) <= 2 {
        later == nil
          ? "; did you mean '\(nearest)'?" : "; options follow the command: `\(owner.path) \(nearest) …`"
      } else if later == nil, option.hasPrefix("--"), !others.isEmpty {
        "; it is an option of \(others.prefix(3).map { "`\($0)`" }.joined(separator: ", "))"
      } else {
        ""
      }
    return UsageError("unknown option '\(option)'\(advice) (`\(owner.path) --help` lists all options)")
  }

  private static func name(_ argument: String) -> String { String(argument.prefix { $0 != "=" }) }

  /// Whether `argument` looks like an option, but not like a negative number or several short options.
  private static func isOption(_ argument: String) -> Bool {
    if argument.hasPrefix("--") { return !argument.hasPrefix("--generate-completion-script") }
    return argument.count == 2 && argument.hasPrefix("-") && argument.last?.isLetter == true
  }

  /// The parser's description of all commands.
  private static func tree(of root: ParsableCommand.Type) -> JSONValue {
    let value = try? JSONReader.value(of: Array(root._dumpHelp().utf8)[...])
    return value.flatMap { member("command", of: $0) } ?? .null
  }

  private static func member(_ name: String, of value: JSONValue) -> JSONValue? {
    value.members.first { $0.0 == name }?.1
  }

  private static func elements(_ name: String, of value: JSONValue) -> [JSONValue] {
    if case .array(let values) = member(name, of: value) { values } else { [] }
  }

  private static func options(of command: JSONValue, under parent: String) -> [Options] {
    let path = parent + (member("commandName", of: command)?.stringValue ?? "")
    let names = elements("arguments", of: command).flatMap { elements("names", of: $0) }.map { name in
      (member("kind", of: name)?.stringValue == "short" ? "-" : "--")
        + (member("name", of: name)?.stringValue ?? "")
    }
    return [(path, names)]
      + elements("subcommands", of: command).flatMap { options(of: $0, under: path + " ") }
  }
}
