/// A JSON value as it was read. Numbers and texts are kept as bytes: two are equal only if nothing was rounded and no
/// character was taken for another that looks the same.
package indirect enum JSONItem: Sendable {
  case null
  case bool(Bool)
  /// As it was written.
  case number([UInt8])
  /// Without its escapes, in UTF-8.
  case text([UInt8])
  case array([JSONItem])
  case object([JSONMember])

  /// The value of a key; nil where it is no object, or lacks it.
  package subscript(key: String) -> JSONItem? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.elementsEqual(key.utf8) }?.value
  }

  /// The text that it is; nil where it is none.
  package var string: String? {
    if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The whole number that it is; nil where it is none, or too large.
  package var int: Int? {
    if case .number(let digits) = self { Int(String(decoding: digits, as: UTF8.self)) } else { nil }
  }

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// What it is, for messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

package struct JSONMember: Sendable {
  package var key: [UInt8]
  package var value: JSONItem

  package init(key: [UInt8], value: JSONItem) {
    self.key = key
    self.value = value
  }
}

// MARK: - Writing

extension JSONItem {
  /// The value in one line. In canonical form keys are sorted by their bytes, so that equal values have equal bytes.
  package func bytes(isCanonical: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, isCanonical: isCanonical)
    return bytes
  }

  private func write(to bytes: inout [UInt8], isCanonical: Bool) {
    switch self {
    case .null: bytes += Array("null".utf8)
    case .bool(let value): bytes += Array((value ? "true" : "false").utf8)
    case .number(let digits): bytes += digits
    case .text(let text): Self.write(text, to: &bytes)
    case .array(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        item.write(to: &bytes, isCanonical: isCanonical)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      let inOrder =
        isCanonical ? members.sorted { $0.key.lexicographicallyPrecedes($1.key) } : members
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in inOrder.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes, isCanonical: isCanonical)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// In quotes, with the escapes that RFC 8259 asks for.
  private static func write(_ text: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      bytes += text
    } else {
      writeEscaped(text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func writeEscaped(_ text: [UInt8], to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0a: bytes += Array("\\n".utf8)
      case 0x0d: bytes += Array("\\r".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0x00..<0x20, 0x7f:
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
  }
}
