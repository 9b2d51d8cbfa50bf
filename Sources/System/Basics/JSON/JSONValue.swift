/// A JSON value that was parsed or is to be written. Keys keep their order. For small documents; templates write rows
/// of records.
package indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// The digits as text, so that nothing is rounded.
  case number(String)
  case string(String)
  /// Text that is already JSON.
  case verbatim(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  package static func == (left: JSONValue, right: JSONValue) -> Bool { left.text == right.text }
  package static func int(_ number: Int) -> JSONValue { .number(String(number)) }
  package init(_ number: Int?) { self = number.map(JSONValue.int) ?? .null }
  package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  /// The value in one line.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .string(let value): Self.quoted(value)
    case .verbatim(let json): json
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.0)):\($0.1.text)" }.joined(separator: ","))}"
    }
  }

  /// `value` as a JSON string (RFC 8259).
  package static func quoted(_ value: String) -> String {
    var value = value
    return value.withUTF8 { text in
      String(unsafeUninitializedCapacity: JSONEscapes.bound(text.count)) { buffer in
        guard let target = buffer.baseAddress else { return 0 }
        return JSONEscapes.write(UnsafeRawBufferPointer(text), to: UnsafeMutableRawPointer(target))
      }
    }
  }
}

extension JSONValue {
  /// The value of a key; nil if it is missing, and if this is not an object.
  package subscript(key: String) -> JSONValue? { members.first { $0.0.utf8.elementsEqual(key.utf8) }?.1 }

  /// The members of an object; empty for other values.
  package var members: [(String, JSONValue)] { if case .object(let members) = self { members } else { [] } }

  package var stringValue: String? { if case .string(let text) = self { text } else { nil } }

  /// The value of an integer; nil for other values, and outside 64 bits.
  package var intValue: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

  package var isNull: Bool { if case .null = self { true } else { false } }

  /// The value with the keys of all objects sorted by their bytes, so that equal values have equal texts.
  package var canonical: JSONValue {
    switch self {
    case .array(let values): .array(values.map(\.canonical))
    case .object(let members):
      .object(
        members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { ($0.0, $0.1.canonical) })
    default: self
    }
  }

  /// The kind of value, for messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number, .verbatim: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
