import TokenStores

/// What is wrong with a mapping: where, what was expected and found, what to do. One line without a full stop.
package struct MappingError: Error, Equatable, CustomStringConvertible {
  package var message: String

  init(_ message: String) { self.message = message }

  package var description: String { message }
}

/// A text of a mapping, and where it stands.
struct MappingValue: Equatable {
  var text: String
  /// As messages begin: `devices.yml: line 3, column 8`, or an option.
  var place: String
}

/// What a file and options say of a mapping, before it is known whether that makes one.
struct MappingDraft {
  private(set) var values: [MappingKey: MappingValue] = [:]
  /// Where each section stands in the file.
  var sections: [MappingSection: String] = [:]
  /// Where the file's mapping begins; nil without a file.
  var start: String?

  var isEmpty: Bool { values.isEmpty && start == nil }

  subscript(key: MappingKey) -> MappingValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// A table as text: its name, or schema and name with a dot between them.
  mutating func setTable(_ value: MappingValue) throws(MappingError) {
    let names = value.text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(names.count), !names.contains(""), !value.text.contains(where: \.isWhitespace)
    else {
      throw MappingError(
        "\(value.place): expected TABLE or SCHEMA.TABLE, found '\(value.text.shortened)'; names with dots or blanks "
          + "are written in a mapping file, as table: {schema: x, name: y}")
    }
    values[.schema] = names.count == 2 ? MappingValue(text: String(names[0]), place: value.place) : nil
    values[.table] = MappingValue(text: String(names[names.count - 1]), place: value.place)
  }

  /// Takes what an option says in place of what the file says, and of what went with that.
  mutating func override(_ key: MappingKey, _ text: String) throws(MappingError) {
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
enum MappingChoices {
  /// Stands where the table has no column of registrations.
  static let none = "none"
  static let zoned = "timestamp"
  static let actionNames = ["mark", "flag", "delete"]
  static let timeFormNames = ["seconds", "milliseconds", "iso", "timestamptz", zoned]

  static let actions = actionNames.joined(separator: ", ")
  static let timeForms = timeFormNames.joined(separator: ", ") + " (of UTC, or with a zone)"
  static let tokenForms = TokenForm.allCases.map(\.rawValue).joined(separator: ", ")

  /// The section that an action needs.
  static func section(ofAction name: String) -> MappingSection? {
    switch name {
    case "mark": .invalidated
    case "flag": .flag
    default: nil
    }
  }
}

extension String {
  /// As messages show it: a file may hold texts of any length.
  var shortened: String { count > 80 ? prefix(80) + "…" : self }
}
