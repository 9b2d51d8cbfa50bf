import Analysis
import Basics
import CommandOptions
import PacketCapture
import Reports

/// What the code declares about its output, for scripts: the JSON Schemas are made from it.
enum ReferenceJSON {
  static var value: JSONValue {
    .object([
      ("findings", .array(FindingCode.allCases.map(finding))),
      ("flags", .array(FlagEntry.all.map(flag))),
      ("records", .array(ExportedKind.tables.map(record))),
      ("formats", .array(FromArgument.allValueStrings.map { .string($0) })),
      ("limits", .array(Limit.all.map(limit))),
    ])
  }

  private static func finding(_ code: FindingCode) -> JSONValue {
    let own: [(String, JSONValue)] = [
      ("code", .string(code.rawValue)), ("severity", .string(code.severity.rawValue)),
      ("shapes", .array(code.shapes.map(shape))),
    ]
    return .object(own + members(code.entry))
  }

  private static func shape(_ shape: FindingShape) -> JSONValue {
    .object([("has", columns(shape.has)), ("lacks", columns(shape.lacks))])
  }

  private static func columns(_ members: FindingShape.Members) -> JSONValue {
    let columns: [(FindingShape.Members, String)] = [
      (.stream, "stream"), (.direction, "direction"), (.offset, "offset"), (.length, "length"),
      (.packet, "packet"), (.fileOffset, "file_offset"),
    ]
    return .array(columns.filter { members.contains($0.0) }.map { .string($0.1) })
  }

  private static func flag(_ flag: FlagEntry) -> JSONValue {
    let records = flag.records.map { JSONValue.string($0.rawValue) }
    return .object([("code", .string(flag.code)), ("records", .array(records))] + members(flag.entry))
  }

  private static func members(_ entry: CatalogueEntry) -> [(String, JSONValue)] {
    [
      ("title", .string(entry.title)), ("cause", .string(entry.cause)), ("meaning", .string(entry.meaning)),
      ("remedy", .string(entry.remedy)), ("example", .string(entry.example)),
    ]
  }

  private static func record(_ kind: ExportedKind) -> JSONValue {
    // JSON has no aliases.
    let columns = kind.columns.filter { !ColumnEntry.isDerived($0.name) }.map { column in
      JSONValue.object([
        ("name", .string(column.name)), ("schema", schema(column, of: kind.type)),
        ("meaning", .string(column.meaning)),
      ])
    }
    return .object([
      ("type", .string(kind.type)), ("records", .string(kind.rawValue)), ("columns", .array(columns)),
    ])
  }

  private static func limit(_ limit: Limit) -> JSONValue {
    .object([
      ("option", .string(limit.option)), ("limits", .string(limit.help)),
      ("default", .string(limit.standardText)), ("range", .string(limit.rangeText)),
      ("cost", .string(limit.cost)), ("effect", .string(limit.effect)),
    ])
  }

  private static func schema(_ entry: ColumnEntry, of kind: String) -> JSONValue {
    func type(_ name: String) -> JSONValue {
      entry.isOptional ? .array([.string(name), .string("null")]) : .string(name)
    }
    switch entry.type {
    case .named(let name):
      let reference = JSONValue.object([("$ref", .string("#/$defs/\(name)"))])
      return entry.isOptional
        ? .object([("anyOf", .array([reference, .object([("type", .string("null"))])]))]) : reference
    case .integer(let range):
      return .object([
        ("type", type("integer")), ("minimum", .int(range.lowerBound)), ("maximum", .int(range.upperBound)),
      ])
    case .text: return .object([("type", type("string"))])
    case .hex: return .object([("type", type("string")), ("pattern", .string("^([0-9a-f]{2})+$"))])
    case .words(let words):
      return .object([
        ("enum", .array(words.map { .string($0) } + (entry.isOptional ? [.null] : [])))
      ])
    case .texts:
      return .object([("type", type("array")), ("items", .object([("type", .string("string"))]))])
    case .itemIDs:
      let item = JSONValue.object([
        ("type", .string("integer")), ("minimum", .int(0)), ("maximum", .int(255)),
      ])
      return .object([("type", type("array")), ("items", item)])
    case .flags:
      let codes = FlagEntry.all.filter { $0.records.contains { $0.rawValue == kind } }.map(\.code)
      return .object([
        ("type", type("array")), ("items", .object([("enum", .array(codes.map { .string($0) }))])),
        ("uniqueItems", .bool(true)),
      ])
    }
  }
}
