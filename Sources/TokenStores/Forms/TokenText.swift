import WireBytes

extension TokenForm {
  /// What a column of this form holds for `token`; of bytes, what a text column would show.
  package func text(of token: RawSpan) -> String {
    let bytes = token.withUnsafeBytes { Array($0) }
    switch self {
    case .bytes, .hex: return Hex.string(bytes)
    case .upperHex: return Hex.string(bytes, letterCase: .upper)
    case .spacedHex: return Self.grouped(bytes)
    case .bracketedHex: return "<\(Self.grouped(bytes))>"
    case .base64: return Base64Text.text(of: bytes)
    }
  }

  /// The token that `text` holds; nil where it holds none, or an empty one. Every form of hex reads all others, because
  /// columns that were filled by several programs hold several.
  package func bytes(of text: String) -> [UInt8]? {
    let bytes = self == .base64 ? Base64Text.bytes(of: text) : Self.hexBytes(text)
    return bytes.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func grouped(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 4).map { Hex.string(bytes[$0..<min($0 + 4, bytes.count)]) }
      .joined(separator: " ")
  }

  private static func hexBytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "<"), UInt8(ascii: ">"): continue
      default: break
      }
      guard let value = Hex.value(ofDigit: byte) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }
}
