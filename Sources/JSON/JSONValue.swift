import WireBytes

/// A JSON value, to be written or as it was read. Keys keep their order. For what there is little of: rows are written
/// by a template.
package indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// As it is written: nothing is rounded.
  case number(String)
  case string(String)
  /// A value that is JSON already.
  case verbatim(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  package static func == (left: JSONValue, right: JSONValue) -> Bool { left.text == right.text }

  package static func int(_ number: Int) -> JSONValue { .number(String(number)) }

  package init(_ number: Int?) { self = number.map(JSONValue.int) ?? .null }
  package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  /// The value in one line.
  package var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let value): text += Self.quoted(value)
    case .verbatim(let json): text += json
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        text += Self.quoted(member.0) + ":"
        member.1.write(to: &text)
      }
      text += "}"
    }
  }

  /// `value` in quotes, escaped as RFC 8259 asks.
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

// MARK: - What was read

extension JSONValue {
  /// The value of a key; nil where it is no object, or lacks it.
  package subscript(key: String) -> JSONValue? {
    members.first { $0.0.utf8.elementsEqual(key.utf8) }?.1
  }

  /// Of an object; none of anything else.
  package var members: [(String, JSONValue)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The text that it is; nil where it is none.
  package var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number that it is; nil where it is none, or too large.
  package var intValue: Int? {
    if case .number(let digits) = self { Int(digits) } else { nil }
  }

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The same value with the keys of all objects sorted by their bytes: equal values have equal texts.
  package var canonical: JSONValue {
    switch self {
    case .array(let values): .array(values.map(\.canonical))
    case .object(let members):
      .object(
        members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { ($0.0, $0.1.canonical) })
    default: self
    }
  }

  /// What it is, for messages.
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
