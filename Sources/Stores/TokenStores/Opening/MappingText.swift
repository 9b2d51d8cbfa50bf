import Basics
import Reports

/// A mapping as one line of JSON, for the journal. It is also YAML, which `MappingFile` reads.
package enum MappingText {
  package static func json(_ mapping: TableMapping) -> String {
    var members: [(String, JSONValue)] = [
      ("table", object([("schema", mapping.schema), ("name", mapping.table)])),
      ("token", object([("column", mapping.token.name), ("form", mapping.token.form.rawValue)])),
    ]
    if let app = mapping.app { members.append(("app", text(app))) }
    if let environment = mapping.environment {
      members.append(
        (
          "environment",
          object([
            ("column", environment.name), ("production", environment.production),
            ("sandbox", environment.sandbox),
          ])
        ))
    }
    members.append(("registered", mapping.registered.map(time) ?? text(MappingFile.none)))
    return JSONValue.object(members + action(mapping.action)).text
  }

  private static func action(_ action: InvalidationAction) -> [(String, JSONValue)] {
    switch action {
    case .mark(let column): [("action", text("mark")), ("invalidated", time(column))]
    case .flag(let column, let dead, let alive):
      [
        ("action", text("flag")),
        ("flag", object([("column", column), ("dead", dead), ("alive", alive)])),
      ]
    case .delete: [("action", text("delete"))]
    }
  }

  private static func time(_ column: TimeColumn) -> JSONValue {
    switch column.form {
    case .timestamp(let zone):
      object([("column", column.name), ("form", MappingFile.zoned), ("zone", zone)])
    default: object([("column", column.name), ("form", column.form.name)])
    }
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
