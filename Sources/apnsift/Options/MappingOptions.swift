import ArgumentParser
import Stores
import TokenStores

/// How a table of the user's own holds tokens: a file, options, or both, of which options win.
package struct MappingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A YAML file that says how a table of yours holds tokens (docs/stores.md, Your own table).",
      valueName: "file"))
  var mapping: String?

  @Option(
    help: "The table: NAME or SCHEMA.NAME. This option and those below it stand for, or win over, the file.")
  var table: String?

  @Option(help: "The column of the tokens.")
  var tokenColumn: String?

  @Option(help: "How it holds them: \(MappingChoices.tokenForms).")
  var tokenForm: String?

  @Option(help: "The column of the app. (default: all rows are of --app)")
  var appColumn: String?

  @Option(help: "The column of the environment. (default: all rows are of --environment)")
  var environmentColumn: String?

  @Option(help: "What that column holds for production. (default: production)")
  var productionValue: String?

  @Option(help: "What that column holds for sandbox. (default: sandbox)")
  var sandboxValue: String?

  @Option(help: "The column that says when a device was last registered, or none.")
  var registeredColumn: String?

  @Option(
    help: "How it holds times: seconds, milliseconds, iso, timestamptz, timestamp (UTC) or timestamp:ZONE.")
  var registeredForm: String?

  @Option(
    help: """
      What a death does to a row: mark writes its time into --invalidated-column, flag a value into --flag-column, \
      delete removes the row.
      """)
  var action: String?

  @Option(help: "The column of the time of death; null while a token is alive.")
  var invalidatedColumn: String?

  @Option(help: "How it holds times, as --registered-form.")
  var invalidatedForm: String?

  @Option(help: "The column that says whether a token is dead.")
  var flagColumn: String?

  @Option(help: "What that column holds for a dead token.")
  var deadValue: String?

  @Option(help: "What that column holds for a live token; none is brought back to life without it.")
  var aliveValue: String?

  package init() {}

  /// What the options say, in the order in which they take effect.
  private var given: [(key: MappingKey, text: String?)] {
    [
      (.table, table), (.tokenColumn, tokenColumn), (.tokenForm, tokenForm), (.app, appColumn),
      (.environmentColumn, environmentColumn), (.production, productionValue), (.sandbox, sandboxValue),
      (.registeredColumn, registeredColumn), (.registeredForm, registeredForm), (.action, action),
      (.invalidatedColumn, invalidatedColumn), (.invalidatedForm, invalidatedForm), (.flagColumn, flagColumn),
      (.dead, deadValue), (.alive, aliveValue),
    ]
  }

  /// Whether the command works on a table of the user's own.
  var isGiven: Bool { mapping != nil || given.contains { $0.text != nil } }

  /// The mapping; nil where nothing was given. Throws `YAMLMistake`, and `Failure` for a file that cannot be read.
  package func tableMapping() throws -> TableMapping? {
    var draft = try mapping.map(MappingFile.draft) ?? MappingDraft()
    for (key, text) in given {
      if let text { try draft.override(key, text) }
    }
    return draft.isEmpty ? nil : try MappingBuilder(draft: draft).mapping()
  }
}
