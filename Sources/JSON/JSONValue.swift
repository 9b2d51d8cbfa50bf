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

  /// Appends the bytes of `range`, which are UTF-8, in quotes and escaped.
  package static func appendQuoted(_ range: Range<Int>, in bytes: RawSpan, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for place in range {
      let byte = bytes.byte(at: place)
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(UInt8(ascii: "\\"))
        text.append(byte)
      case 0x00..<0x20, 0x7f:
        text += quoted(String(Unicode.Scalar(byte))).utf8.dropFirst().dropLast()
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// `value` in quotes, escaped as RFC 8259 asks.
  package static func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7f}":
        text += "\\u00" + Hex.string([UInt8(scalar.value)])
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
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
