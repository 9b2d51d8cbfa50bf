import ArgumentParser
import Basics

/// Finds the command that is named, and mistyped ones, which the argument parser takes for inputs of the default command.
package enum CommandNames {
  /// The largest edit distance of a suggestion.
  private static let maxDistance = 2

  /// The command that is named, and the words after its name; nil for help, and where only the parser can find it.
  /// Throws a usage error for an unknown command. The first word may also be a file, or look like a path: then it is an
  /// input of the default command, which reports a missing file.
  static func named(
    _ arguments: [String], of root: ParsableCommand.Type
  ) throws -> (ParsableCommand.Type, [String])? {
    guard let first = arguments.first, !first.hasPrefix("-") else { return nil }
    let path = root._commandName
    if first == "help" {
      _ = try named(arguments.dropFirst(), of: root, path: path)
      return nil
    }
    if let usual = root.configuration.defaultSubcommand, !names(of: root).contains(first) {
      if isFile(first) || first.contains(where: { "./".contains($0) }) { return (usual, arguments) }
      let names = names(of: root) + ["help"]
      throw UsageError(
        "'\(first)' is neither a command nor a file\(hint(first, names)) (`apnsift help` lists all commands)")
    }
    return try named(arguments[...], of: root, path: path)
  }

  /// Throws a usage error if an option precedes a command: the parser took the command for an input.
  package static func check(inputs: [String], of root: ParsableCommand.Type) throws {
    let names = names(of: root)
    if let name = inputs.first(where: { names.contains($0) && !isFile($0) }) {
      throw UsageError("'\(name)' is a command and must come first: `apnsift \(name) …`")
    }
  }

  private static func named(
    _ words: ArraySlice<String>, of command: ParsableCommand.Type, path: String
  ) throws -> (ParsableCommand.Type, [String])? {
    let names = names(of: command)
    if names.isEmpty { return (command, Array(words)) }
    guard let word = words.first, !word.hasPrefix("-") else { return nil }
    guard let index = names.firstIndex(of: word) else {
      throw UsageError(
        "'\(word)' is not a command of \(path)\(hint(word, names)) (`\(path) --help` lists them all)")
    }
    return try named(words.dropFirst(), of: command.configuration.subcommands[index], path: "\(path) \(word)")
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
