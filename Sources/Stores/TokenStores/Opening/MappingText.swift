import Basics

/// A mapping as one line of JSON, for the journal. It is also YAML, which `MappingFile` reads.
package enum MappingText {
  package static func json(_ mapping: TableMapping) -> String {
    var members: [(String, JSONValue)] = [
      ("table", object([("schema", mapping.schema), ("name", mapping.table)])),
      ("token", object([name(mapping.token.name), ("form", mapping.token.form.rawValue)])),
    ]
    if let app = mapping.app {
      members.append(("app", app.isExpression ? object([name(app)]) : text(app.text)))
    }
    if let environment = mapping.environment {
      let values = [("production", environment.production), ("sandbox", environment.sandbox)]
      members.append(("environment", object([name(environment.name)] + values)))
    }
    members.append(("registered", mapping.registered.map { object(time($0)) } ?? text(MappingFile.none)))
    return JSONValue.object(members + action(mapping)).text
  }

  private static func action(_ mapping: TableMapping) -> [(String, JSONValue)] {
    let settings = mapping.settings.map { "\(text($0.column).text): \(setting($0.value).text)" }
    let set = settings.isEmpty ? [] : [("set", JSONValue.verbatim("{\(settings.joined(separator: ", "))}"))]
    switch mapping.action {
    case .mark(let column):
      let keep: [(String, String?)] = [("keep", mapping.keepsLatest ? "latest" : nil)]
      return [("action", text("mark")), ("invalidated", object(time(column) + keep))] + set
    case .flag(let column, let dead, let alive):
      let flag = object([("column", column), ("dead", dead), ("alive", alive)])
      return [("action", text("flag")), ("flag", flag)] + set
    case .delete: return [("action", text("delete"))]
    }
  }

  private static func setting(_ value: WrittenValue<String>) -> JSONValue {
    switch value {
    case .text(let dead, let alive): object([("dead", dead), ("alive", alive)])
    case .time(let form): object(self.form(form))
    }
  }

  private static func name(_ column: ColumnReference) -> (String, String?) {
    (column.isExpression ? "expression" : "column", column.text)
  }

  private static func time(_ column: TimeColumn) -> [(String, String?)] {
    [name(column.name)] + form(column.form)
  }

  private static func form(_ form: TimeForm) -> [(String, String?)] {
    [("form", form.plainName), ("zone", form.zone)]
  }

  /// Members without a value are omitted.
  private static func object(_ members: [(String, String?)]) -> JSONValue {
    .object(members.compactMap { name, value in value.map { (name, text($0)) } })
  }

  /// Escapes characters that JSON allows, but that are line ends or invalid in YAML: controls of Latin-1, separators,
  /// non-characters. Both read `\u` with four digits.
  private static func text(_ value: String) -> JSONValue {
    .verbatim(
      JSONValue.quoted(value).unicodeScalars.map { scalar in
        switch scalar.value {
        case 0x80...0xa0, 0x2028, 0x2029, 0xfffe, 0xffff:
          let digits = String(scalar.value, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
      }.joined())
  }
}
