import WireBytes

/// How the bytes of a stream are stored in a dump.
package enum DumpFormat: String, CaseIterable, Sendable {
  /// The bytes themselves.
  case raw
  /// Hex digits: plain, as `xxd` or as `hexdump -C` print them.
  case hex
  case base64
}

/// How the lines of a hex text are laid out.
enum HexLayout {
  case plain, xxd, hexdump

  /// The layout of the text that begins with `head`, which is all of it if `isWhole`; nil where it is no hex
  /// text.
  init?(of head: [UInt8], isWhole: Bool) {
    let head = head.span.bytes
    if XxdDecoder.recognises(head, isWhole: isWhole) {
      self = .xxd
    } else if HexdumpDecoder.recognises(head, isWhole: isWhole) {
      self = .hexdump
    } else if PlainHexDecoder.recognises(head, isWhole: isWhole) {
      self = .plain
    } else {
      return nil
    }
  }
}

extension DumpFormat {
  /// What turns text of this format into bytes; nil for raw bytes.
  /// - Parameters:
  ///   - head: the beginning of the text, which is all of it if `isWhole`.
  ///   - maxExpansion: how many bytes the `*` lines may stand for.
  func textDecoder(head: [UInt8], isWhole: Bool, maxExpansion: Int) -> (any TextDecoder)? {
    switch self {
    case .raw: nil
    case .base64: Base64Decoder()
    case .hex:
      switch HexLayout(of: head, isWhole: isWhole) {
      case .xxd: XxdDecoder(maxExpansion: maxExpansion)
      case .hexdump: HexdumpDecoder(maxExpansion: maxExpansion)
      case .plain, nil: PlainHexDecoder()
      }
    }
  }
}
