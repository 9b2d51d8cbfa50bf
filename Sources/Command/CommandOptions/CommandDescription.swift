import ArgumentParser
import Basics

/// What the parser of arguments says of a command.
struct CommandDescription {
  struct Argument {
    /// With hyphens; none of an input.
    var names: [String]
    var valueName: String
    var isFlag: Bool
    var isRepeating: Bool
  }

  /// Such as `apnsift store list`.
  var path: String
  var arguments: [Argument]

  var names: [String] { arguments.flatMap(\.names) }

  /// The command, then its subcommands with theirs. Making it takes longer than parsing.
  static func all(of command: any ParsableArguments.Type) -> [CommandDescription] {
    let value = try? JSONReader.value(of: Array(command._dumpHelp().utf8)[...])
    return all(of: value?["command"] ?? .null, under: "")
  }

  private static func all(of command: JSONValue, under parent: String) -> [CommandDescription] {
    let path = parent + (command["commandName"]?.stringValue ?? "")
    let own = CommandDescription(path: path, arguments: elements("arguments", of: command).map(argument))
    return [own] + elements("subcommands", of: command).flatMap { all(of: $0, under: path + " ") }
  }

  private static func argument(_ value: JSONValue) -> Argument {
    let names = elements("names", of: value).map { name in
      (name["kind"]?.stringValue == "short" ? "-" : "--") + (name["name"]?.stringValue ?? "")
    }
    return Argument(
      names: names, valueName: value["valueName"]?.stringValue ?? "",
      isFlag: value["kind"]?.stringValue == "flag", isRepeating: value["isRepeating"] == .bool(true))
  }

  private static func elements(_ name: String, of value: JSONValue) -> [JSONValue] {
    if case .array(let values) = value[name] { values } else { [] }
  }
}
