import TokenStores
import YAML

/// A text of a mapping, and where it stands.
struct MappingValue: Equatable {
  var text: String
  /// As messages begin: `devices.yml: line 3, column 8`, or an option.
  var place: String
}

/// What a file and options say of a mapping, before it is known whether that makes one.
package struct MappingDraft {
  private(set) var values: [MappingKey: MappingValue] = [:]
  /// Where each section stands in the file.
  var sections: [MappingSection: String] = [:]
  /// Where the file's mapping begins; nil without a file.
  var start: String?

  package var isEmpty: Bool { values.isEmpty && start == nil }

  package init() {}

  subscript(key: MappingKey) -> MappingValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// A table as text: its name, or schema and name with a dot between them.
  mutating func setTable(_ value: MappingValue) throws(YAMLMistake) {
    let names = value.text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(names.count), !names.contains(""), !value.text.contains(where: \.isWhitespace)
    else {
      throw YAMLMistake(
        "\(value.place): expected TABLE or SCHEMA.TABLE, found '\(value.text.shortened)'; names with dots or blanks "
          + "are written in a mapping file, as table: {schema: x, name: y}")
    }
    values[.schema] = names.count == 2 ? MappingValue(text: String(names[0]), place: value.place) : nil
    values[.table] = MappingValue(text: String(names[names.count - 1]), place: value.place)
  }

  /// Takes what an option says in place of what the file says, and of what went with that.
  package mutating func override(_ key: MappingKey, _ text: String) throws(YAMLMistake) {
    let value = MappingValue(text: text, place: key.option)
    switch key {
    case .table: try setTable(value)
    case .registeredColumn where text == MappingChoices.none:
      for part in MappingSection.registered.parts { values[part] = nil }
      values[.registered] = value
    case .registeredColumn:
      values[.registered] = nil
      values[key] = value
    case .registeredForm:
      values[.registeredZone] = nil
      values[key] = value
    case .invalidatedForm:
      values[.invalidatedZone] = nil
      values[key] = value
    case .action:
      for part in MappingSection.invalidated.parts + MappingSection.flag.parts
      where part.section != MappingChoices.section(ofAction: text) {
        values[part] = nil
      }
      values[key] = value
    default: values[key] = value
    }
  }
}

/// What a mapping can choose from.
package enum MappingChoices {
  /// Stands where the table has no column of registrations.
  package static let none = "none"
  package static let zoned = "timestamp"
  package static let actionNames = ["mark", "flag", "delete"]
  package static let timeFormNames = ["seconds", "milliseconds", "iso", "timestamptz", zoned]

  package static let actions = actionNames.joined(separator: ", ")
  package static let timeForms = timeFormNames.joined(separator: ", ") + " (of UTC, or with a zone)"
  package static let tokenForms = TokenForm.allCases.map(\.rawValue).joined(separator: ", ")

  /// The section that an action needs.
  static func section(ofAction name: String) -> MappingSection? {
    switch name {
    case "mark": .invalidated
    case "flag": .flag
    default: nil
    }
  }
}

/// A part of a mapping, named by the way to it in the file (docs/stores.md, "Your own table").
package enum MappingKey: String, CaseIterable {
  case schema = "table.schema"
  case table = "table.name"
  case tokenColumn = "token.column"
  case tokenForm = "token.form"
  case app
  case environmentColumn = "environment.column"
  case production = "environment.production"
  case sandbox = "environment.sandbox"
  /// Said to be `none`: the table has no such column.
  case registered
  case registeredColumn = "registered.column"
  case registeredForm = "registered.form"
  case registeredZone = "registered.zone"
  case action
  case invalidatedColumn = "invalidated.column"
  case invalidatedForm = "invalidated.form"
  case invalidatedZone = "invalidated.zone"
  case flagColumn = "flag.column"
  case dead = "flag.dead"
  case alive = "flag.alive"

  var section: MappingSection {
    // Every raw value begins with a section's name: a key of another name is no mapping's.
    MappingSection(rawValue: String(rawValue.prefix { $0 != "." })) ?? .table
  }

  /// Its name inside its section; nil where it is the section's own value.
  var part: String? {
    rawValue.firstIndex(of: ".").map { String(rawValue[rawValue.index(after: $0)...]) }
  }

  /// The option that says the same.
  var option: String {
    switch self {
    case .schema, .table: "--table"
    case .tokenColumn: "--token-column"
    case .tokenForm: "--token-form"
    case .app: "--app-column"
    case .environmentColumn: "--environment-column"
    case .production: "--production-value"
    case .sandbox: "--sandbox-value"
    case .registered, .registeredColumn: "--registered-column"
    case .registeredForm, .registeredZone: "--registered-form"
    case .action: "--action"
    case .invalidatedColumn: "--invalidated-column"
    case .invalidatedForm, .invalidatedZone: "--invalidated-form"
    case .flagColumn: "--flag-column"
    case .dead: "--dead-value"
    case .alive: "--alive-value"
    }
  }

  /// What stands there, for the messages.
  var expectation: String {
    switch self {
    case .schema: "the name of the table's schema"
    case .table: "the name of the table"
    case .tokenColumn: "the column of the tokens"
    case .tokenForm: "one of \(MappingChoices.tokenForms)"
    case .app: "the column of the app"
    case .environmentColumn: "the column of the environment"
    case .production: "what the column holds for production"
    case .sandbox: "what the column holds for sandbox"
    case .registered, .registeredColumn: "the column of the last registration, or none"
    case .registeredForm, .invalidatedForm: "one of \(MappingChoices.timeForms)"
    case .registeredZone, .invalidatedZone: "a time zone such as Europe/Berlin or UTC"
    case .action: "one of \(MappingChoices.actions)"
    case .invalidatedColumn: "the column that holds when a token died"
    case .flagColumn: "the column that says whether a token is dead"
    case .dead: "what the column holds for a dead token"
    case .alive: "what the column holds for a live token"
    }
  }

  /// Whether it names a column or a table: then it cannot be empty.
  var isName: Bool {
    switch self {
    case .schema, .table, .tokenColumn, .app, .environmentColumn, .registeredColumn, .invalidatedColumn,
      .flagColumn:
      true
    default: false
    }
  }
}

/// The keys of a mapping file's first level.
enum MappingSection: String, CaseIterable {
  case table, token, app, environment, registered, action, invalidated, flag

  /// The keys below it, where it may have some.
  var parts: [MappingKey] { MappingKey.allCases.filter { $0.section == self && $0.part != nil } }

  /// How it is written, for the messages.
  var example: String {
    switch self {
    case .table: "table: public.devices"
    case .token: "token: {column: device_token, form: hex}"
    case .app: "app: bundle_id"
    case .environment: "environment: {column: env, production: prod, sandbox: dev}"
    case .registered: "registered: {column: updated_at, form: timestamptz}"
    case .action: "action: mark"
    case .invalidated: "invalidated: {column: unregistered_at, form: timestamptz}"
    case .flag: "flag: {column: active, dead: false, alive: true}"
    }
  }
}
