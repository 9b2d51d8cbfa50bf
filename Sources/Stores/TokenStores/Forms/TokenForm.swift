import Basics

/// The format of a token in a column or a field.
package enum TokenForm: String, CaseIterable, Sendable {
  /// The bytes themselves.
  case bytes
  case hex
  case upperHex = "upper-hex"
  /// Lowercase hex in groups of four bytes: `0a1b2c3d 4e5f6071`.
  case spacedHex = "spaced-hex"
  /// As in the description of `NSData`: `<0a1b2c3d 4e5f6071>`.
  case bracketedHex = "bracketed-hex"
  case base64

  /// Whether the hex digits that an index finds are uppercase; nil for forms without such digits.
  var isUpper: Bool? {
    switch self {
    case .hex: false
    case .upperHex: true
    case .bytes, .spacedHex, .bracketedHex, .base64: nil
    }
  }

  /// The text of `token`; for bytes, hex.
  package func text(of token: RawSpan) -> String {
    let bytes = token.withUnsafeBytes { Array($0) }
    switch self {
    case .bytes, .hex: return Hex.string(bytes)
    case .upperHex: return Hex.string(bytes, letterCase: .upper)
    case .spacedHex: return Self.grouped(bytes)
    case .bracketedHex: return "<\(Self.grouped(bytes))>"
    case .base64: return Base64.text(of: bytes)
    }
  }

  /// The token in `text`; nil if it has none, or an empty one. Every form of hex reads all others, because several
  /// programs may write to a column.
  package func bytes(of text: String) -> [UInt8]? {
    var (text, bytes) = (text, [UInt8]())
    return text.withUTF8 { read(UnsafeRawBufferPointer($0), into: &bytes) } ? bytes : nil
  }

  /// Reads the token into a buffer; false if `text` has none.
  func read(_ text: UnsafeRawBufferPointer, into bytes: inout [UInt8]) -> Bool {
    bytes.replace(with: text, by: self == .base64 ? Base64.decode : TokenText.hex)
  }

  /// Whether `text` has only hex digits of one letter case.
  package static func isHex(_ text: UnsafeRawBufferPointer, isUpper: Bool) -> Bool {
    let firstLetter = isUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")
    // No early return: the compiler makes vector instructions of it.
    var others = 0
    for byte in text {
      others &+= (byte &- UInt8(ascii: "0") < 10 ? 0 : 1) & (byte &- firstLetter < 6 ? 0 : 1)
    }
    return others == 0
  }

  private static func grouped(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 4).map { Hex.string(bytes[$0..<min($0 + 4, bytes.count)]) }
      .joined(separator: " ")
  }
}
