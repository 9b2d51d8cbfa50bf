import ArgumentParser
import Stores
import TokenStores

/// How a table of the user's own holds tokens: a file says it, or two options do for a try.
struct MappingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A YAML file that says how a table of yours holds tokens, and may name store, journal, app and environment (docs/stores.md, Your own table).",
      valueName: "file"))
  var mapping: String?

  @Option(
    help: """
      For a try without a file: the table, NAME or SCHEMA.NAME. Nothing is written to it: replay takes it with \
      --dry-run.
      """)
  var table: String?

  @Option(help: "The column of that table with the tokens, in hex.")
  var tokenColumn: String?

  mutating func validate() throws {
    guard (table == nil) == (tokenColumn == nil) else {
      throw ValidationError("--table and --token-column go together: say which column of which table.")
    }
    guard table == nil || mapping == nil else {
      throw ValidationError("--mapping says which table and column: leave out --table and --token-column.")
    }
  }

  /// Whether the command works on a table of the user's own.
  var isGiven: Bool { mapping != nil || isTrial }

  /// Whether two options are all that is said of the table.
  var isTrial: Bool { table != nil }

  /// Nil where nothing was given. Throws `YAMLMistake`, and `Failure` for a file that cannot be read.
  func mappingFile() throws -> MappingFile? {
    if let mapping { return try MappingFile(at: mapping) }
    guard let table, let tokenColumn else { return nil }
    return try MappingFile(trialOf: table, tokenColumn: tokenColumn)
  }
}
