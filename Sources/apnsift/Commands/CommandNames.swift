import ArgumentParser
import Platform

/// Tells a mistyped command from an input: the argument parser takes it for an input of the default one.
enum CommandNames {
  /// How many letters of a command may be wrong for it to be meant.
  private static let slips = 2

  /// Throws a usage error where a word stands in a command's place and is none. In the first one's place a file is an
  /// input, and so is what looks like a path: whether it is there is for the default command to say.
  static func check(_ arguments: [String]) throws {
    guard let first = arguments.first, !first.hasPrefix("-") else { return }
    if first == "help" { return try check(arguments.dropFirst(), behind: Apnsift.self) }
    let isCommand = names(of: Apnsift.self).contains(first)
    if !isCommand, isFile(first) || first.contains(where: { "./".contains($0) }) { return }
    guard isCommand else {
      let meant = suggestion(for: first, of: names(of: Apnsift.self) + ["help"])
      throw UsageError(
        "'\(first)' is neither a command nor a file\(meant) (`apnsift help` lists all commands)")
    }
    try check(arguments[...], behind: Apnsift.self)
  }

  /// Checks the words that name a command below `command`.
  private static func check(
    _ words: ArraySlice<String>, behind command: ParsableCommand.Type, path: String = "apnsift"
  ) throws {
    let names = names(of: command)
    guard let word = words.first, !word.hasPrefix("-"), !names.isEmpty else { return }
    guard let index = names.firstIndex(of: word) else {
      throw UsageError(
        "'\(word)' is no command of \(path)\(suggestion(for: word, of: names)) "
          + "(`\(path) --help` lists them all)")
    }
    try check(
      words.dropFirst(), behind: command.configuration.subcommands[index], path: "\(path) \(word)")
  }

  private static func names(of command: ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.map { $0.configuration.commandName ?? "" }
  }

  private static func isFile(_ argument: String) -> Bool {
    var paths = ArgumentPaths()
    return access(paths.path(of: argument), F_OK) == 0
  }

  private static func suggestion(for word: String, of names: [String]) -> String {
    let nearest = Spelling.nearest(to: word, of: names)
    return Spelling.distance(word, nearest) <= slips ? "; the nearest is '\(nearest)'" : ""
  }
}
