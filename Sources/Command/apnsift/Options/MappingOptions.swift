import ArgumentParser
import TokenStores

/// The layout of an existing table: from a mapping file, or from two options for a dry run.
struct MappingOptions: ParsableArguments {
  @Option(help: .init("Mapping of an existing table (docs/stores.md).", valueName: "FILE"))
  var mapping: String?
  @Option(help: .init("Existing table to try without a mapping file; read only.", valueName: "NAME"))
  var table: String?
  @Option(help: .init("Column of --table with the tokens, in hex.", valueName: "NAME"))
  var tokenColumn: String?

  mutating func validate() throws {
    guard (table == nil) == (tokenColumn == nil) else {
      throw ValidationError("--table and --token-column go together: give both, or neither")
    }
    guard table == nil || mapping == nil else {
      throw ValidationError("--mapping names the table and the column: leave out --table and --token-column")
    }
  }

  /// Whether the command works on an existing table.
  var isGiven: Bool { mapping != nil || isTrial }

  /// Whether --table and --token-column describe the table.
  var isTrial: Bool { table != nil }

  /// Nil without options. Throws `YAMLError`, and `CommandError` for a file that cannot be read.
  func mappingFile() throws -> MappingFile? {
    if let mapping { return try MappingFile(at: mapping) }
    guard let table, let tokenColumn else { return nil }
    return try MappingFile(trialOf: table, tokenColumn: tokenColumn)
  }
}
