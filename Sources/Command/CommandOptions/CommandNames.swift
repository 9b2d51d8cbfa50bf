import ArgumentParser
import Basics

/// Detects mistyped commands, which the argument parser takes for inputs of the default command.
package enum CommandNames {
  /// The largest edit distance of a suggestion.
  private static let maxDistance = 2

  /// Throws a usage error for an unknown command. The first word may also be a file, or look like a path: then it is
  /// an input of the default command, which reports a missing file.
  static func check(_ arguments: [String], of root: ParsableCommand.Type) throws {
    guard let first = arguments.first, !first.hasPrefix("-") else { return }
    let path = root._commandName
    if first == "help" { return try check(arguments.dropFirst(), of: root, path: path) }
    if root.configuration.defaultSubcommand != nil, !names(of: root).contains(first) {
      if isFile(first) || first.contains(where: { "./".contains($0) }) { return }
      let names = names(of: root) + ["help"]
      throw UsageError(
        "'\(first)' is neither a command nor a file\(hint(first, names)) (`apnsift help` lists all commands)")
    }
    try check(arguments[...], of: root, path: path)
  }

  /// Throws a usage error if an option precedes a command: the parser took the command for an input.
  package static func check(inputs: [String], of root: ParsableCommand.Type) throws {
    let names = names(of: root)
    if let name = inputs.first(where: { names.contains($0) && !isFile($0) }) {
      throw UsageError("'\(name)' is a command and must come first: `apnsift \(name) …`")
    }
  }

  /// Checks the words that name a subcommand of `command`.
  private static func check(
    _ words: ArraySlice<String>, of command: ParsableCommand.Type, path: String
  ) throws {
    let names = names(of: command)
    guard let word = words.first, !word.hasPrefix("-"), !names.isEmpty else { return }
    guard let index = names.firstIndex(of: word) else {
      throw UsageError(
        "'\(word)' is not a command of \(path)\(hint(word, names)) (`\(path) --help` lists them all)")
    }
    try check(words.dropFirst(), of: command.configuration.subcommands[index], path: "\(path) \(word)")
  }

  private static func names(of command: ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.map { $0.configuration.commandName ?? "" }
  }

  private static func isFile(_ argument: String) -> Bool {
    var paths = ArgumentPaths()
    return access(paths.path(of: argument), F_OK) == 0
  }

  private static func hint(_ word: String, _ names: [String]) -> String {
    let nearest = Spelling.nearest(to: word, of: names)
    return Spelling.distance(word, nearest) <= maxDistance ? "; the nearest is '\(nearest)'" : ""
  }
}
