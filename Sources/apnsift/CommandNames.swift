import ArgumentParser

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells a mistyped command from an input: the argument parser takes it for an input of the default one.
enum CommandNames {
  /// Throws a usage error where the first argument is neither an option, a command nor a file.
  static func check(_ arguments: [String]) throws {
    guard let first = arguments.first, !first.hasPrefix("-") else { return }
    let names = Apnsift.configuration.subcommands.map { $0.configuration.commandName ?? "" } + ["help"]
    guard !names.contains(first), access(first, F_OK) != 0 else { return }
    let nearest = names.min { distance(first, $0) < distance(first, $1) } ?? "inspect"
    throw UsageError(
      "'\(first)' is neither a command nor a file; the nearest command is '\(nearest)' "
        + "(`apnsift help` lists them all)")
  }

  /// How many letters must be put in, taken out or changed to make `right` of `left`.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (line, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in right.indices {
        let change = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[right.count]
  }
}
