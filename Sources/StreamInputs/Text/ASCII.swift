import WireBytes

/// The characters that text dumps are laid out with.
enum ASCII {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  /// A space or a tab: what separates things within a line.
  @inline(__always)
  static func isBlank(_ character: UInt8) -> Bool {
    character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
  }

  @inline(__always)
  static func isWhiteSpace(_ character: UInt8) -> Bool {
    isBlank(character) || character == newline || character == carriageReturn
  }

  /// Whether no text holds this byte: control characters other than tab and line ends.
  static func isControl(_ character: UInt8) -> Bool {
    (character < 0x20 && !isWhiteSpace(character)) || character == 0x7f
  }

  static func isPrintable(_ character: UInt8) -> Bool { (0x20...0x7e).contains(character) }

  /// A character for a message: its code, and itself if that can be printed: `0x67 ("g")`.
  static func name(_ character: UInt8) -> String {
    let code = "0x" + Hex.string([character])
    return isPrintable(character) ? "\(code) (\"\(Unicode.Scalar(character))\")" : code
  }
}

extension RawSpan {
  /// The index of the first newline at or behind `start`; nil if there is none. Eight bytes a step.
  func newlineIndex(from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while byteCount &- index >= 8 {
      let word = UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let difference = word ^ (ones &* UInt64(ASCII.newline))
      // The lowest byte of the word that is zero gets its top bit set (bits above it may be wrong).
      let zeros = (difference &- ones) & ~difference & (ones &* 0x80)
      if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < byteCount {
      if byte(at: index) == ASCII.newline { return index }
      index &+= 1
    }
    return nil
  }
}
