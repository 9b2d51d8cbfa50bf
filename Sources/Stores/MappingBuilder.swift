import Platform
import TokenStores
import YAML

/// Makes a mapping of a draft, or says why it makes none.
package struct MappingBuilder {
  private let draft: MappingDraft

  package init(draft: MappingDraft) { self.draft = draft }

  package func mapping() throws(YAMLMistake) -> TableMapping {
    try checkTexts()
    let table = try value(.table).text
    let token = TokenColumn(name: try value(.tokenColumn).text, form: try tokenForm())
    let environment = try environment()
    let registered = try registered()
    let action = try action()
    try checkColumns()
    return TableMapping(
      schema: draft[.schema]?.text, table: table, token: token, app: draft[.app]?.text,
      environment: environment,
      registered: registered, action: action)
  }

  // MARK: - Parts

  private func tokenForm() throws(YAMLMistake) -> TokenForm {
    let value = try value(.tokenForm)
    guard let form = TokenForm(rawValue: value.text) else {
      throw unknown(value, .tokenForm, of: TokenForm.allCases.map(\.rawValue))
    }
    return form
  }

  private func environment() throws(YAMLMistake) -> EnvironmentColumn? {
    guard let column = draft[.environmentColumn] else {
      let parts = MappingSection.environment.parts
      guard let first = parts.first(where: { draft[$0] != nil }), let value = draft[first] else { return nil }
      throw YAMLMistake(
        "\(value.place): \(first.rawValue) is the value of a column that is not named; expected "
          + "environment.column (\(MappingKey.environmentColumn.option)), too: name it, or leave this out")
    }
    var environment = EnvironmentColumn(name: column.text)
    if let production = draft[.production] { environment.production = production.text }
    if let sandbox = draft[.sandbox] { environment.sandbox = sandbox.text }
    if environment.production == environment.sandbox {
      throw YAMLMistake(
        "\((draft[.sandbox] ?? draft[.production] ?? column).place): expected one value for production and another "
          + "for sandbox, found '\(environment.sandbox.shortened)' for both; correct one of them")
    }
    return environment
  }

  private func registered() throws(YAMLMistake) -> TimeColumn? {
    guard let none = draft[.registered] else {
      if draft[.registeredColumn] == nil, MappingSection.registered.parts.allSatisfy({ draft[$0] == nil }) {
        throw missing(
          .registeredColumn, in: .registered,
          advice:
            "without registrations nothing keeps a device that came back, so `registered: none` must be said")
      }
      return try time(.registeredColumn, .registeredForm, .registeredZone)
    }
    for key in MappingSection.registered.parts {
      guard let value = draft[key] else { continue }
      throw YAMLMistake(
        "\(value.place): \(key.rawValue) goes with a column of registrations, and \(none.place) says none; "
          + "leave one of them out")
    }
    return nil
  }

  private func action() throws(YAMLMistake) -> DeathAction {
    let value = try value(.action)
    guard MappingChoices.actionNames.contains(value.text) else {
      throw unknown(value, .action, of: MappingChoices.actionNames)
    }
    try checkUnused(by: value)
    switch MappingChoices.section(ofAction: value.text) {
    case .invalidated: return .mark(try time(.invalidatedColumn, .invalidatedForm, .invalidatedZone))
    case .flag: return try flag()
    default: return .delete
    }
  }

  private func flag() throws(YAMLMistake) -> DeathAction {
    let column = try value(.flagColumn).text
    let dead = try value(.dead)
    let alive = draft[.alive]
    if let alive, alive.text == dead.text {
      throw YAMLMistake(
        "\(alive.place): expected another value than that of the dead, found '\(alive.text.shortened)' for both; "
          + "correct one of them")
    }
    return .flag(column: column, dead: dead.text, alive: alive?.text)
  }

  /// What says something of an action that is not taken is a mistake somewhere.
  private func checkUnused(by action: MappingValue) throws(YAMLMistake) {
    let used = MappingChoices.section(ofAction: action.text)
    for key in MappingSection.invalidated.parts + MappingSection.flag.parts where key.section != used {
      guard let value = draft[key] else { continue }
      throw YAMLMistake(
        "\(value.place): \(key.rawValue) goes with action: \(key.section == .flag ? "flag" : "mark") alone, and "
          + "\(action.place) says \(action.text); correct the action, or leave this out")
    }
  }

  // MARK: - Times

  private func time(
    _ column: MappingKey, _ form: MappingKey, _ zone: MappingKey
  ) throws(YAMLMistake) -> TimeColumn {
    TimeColumn(name: try value(column).text, form: try timeForm(form, zone))
  }

  private func timeForm(_ key: MappingKey, _ zoneKey: MappingKey) throws(YAMLMistake) -> TimeForm {
    let form = try value(key)
    let zone = draft[zoneKey]
    if form.text == MappingChoices.zoned, let zone { return try timestamp(zone.text, at: zone.place) }
    if let zone {
      throw YAMLMistake(
        "\(zone.place): \(zoneKey.rawValue) goes with form: \(MappingChoices.zoned) alone, and \(form.place) says "
          + "'\(form.text.shortened)'; correct the form, or leave the zone out")
    }
    let zoned = MappingChoices.zoned + ":"
    if form.text.hasPrefix(zoned) {
      return try timestamp(String(form.text.dropFirst(zoned.count)), at: form.place)
    }
    guard let known = TimeForm(form.text) else {
      throw unknown(form, key, of: MappingChoices.timeFormNames)
    }
    return known
  }

  private func timestamp(_ zone: String, at place: String) throws(YAMLMistake) -> TimeForm {
    guard let form = TimeForm("\(MappingChoices.zoned):\(zone)") else {
      throw YAMLMistake(
        "\(place): expected a time zone that this machine's tz database has, such as Europe/Berlin or UTC, found "
          + "'\(zone.shortened)'; correct it, or install the database (package tzdata)")
    }
    return form
  }

  // MARK: - Checks

  /// Names that are empty, a byte that no database takes in a text, and a mark that a file cannot say.
  private func checkTexts() throws(YAMLMistake) {
    for key in MappingKey.allCases {
      guard let value = draft[key] else { continue }
      if value.text.isEmpty, key.isName {
        throw YAMLMistake("\(value.place): expected \(key.expectation), found an empty text; write the name")
      }
      if value.text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{feff}" }) {
        throw YAMLMistake(
          "\(value.place): expected \(key.expectation), found a text with a zero byte or a byte order mark; leave it "
            + "out")
      }
    }
  }

  /// A column has one meaning.
  private func checkColumns() throws(YAMLMistake) {
    var known: [String: MappingKey] = [:]
    let columns: [MappingKey] = [
      .tokenColumn, .app, .environmentColumn, .registeredColumn, .invalidatedColumn, .flagColumn,
    ]
    for key in columns {
      guard let value = draft[key] else { continue }
      if let other = known.updateValue(key, forKey: value.text) {
        throw YAMLMistake(
          "\(value.place): expected another column for \(key.rawValue), found '\(value.text.shortened)', which is "
            + "that of \(other.rawValue), too; name a column for each")
      }
    }
  }

  private func value(_ key: MappingKey) throws(YAMLMistake) -> MappingValue {
    guard let value = draft[key] else { throw missing(key, in: key.section) }
    return value
  }

  private func missing(
    _ key: MappingKey, in section: MappingSection, advice: String? = nil
  ) -> YAMLMistake {
    let why = advice.map { "; \($0)" } ?? ""
    guard let place = draft.sections[section] ?? draft.start else {
      return YAMLMistake(
        "\(key.option) is missing: a table of yours is described by options or with --mapping FILE; expected "
          + "\(key.expectation)\(why)")
    }
    let isWhole = draft.sections[section] == nil
    return YAMLMistake(
      "\(place): \(isWhole ? section.rawValue : key.rawValue) is missing; expected \(key.expectation): write "
        + "\(isWhole ? section.example : "\(key.part ?? section.rawValue): in it"), or give \(key.option)\(why)"
    )
  }

  private func unknown(_ value: MappingValue, _ key: MappingKey, of names: [String]) -> YAMLMistake {
    YAMLMistake(
      "\(value.place): expected \(key.expectation) for \(key.rawValue), found '\(value.text.shortened)'; the nearest "
        + "is \(Spelling.nearest(to: value.text.shortened, of: names))")
  }
}
