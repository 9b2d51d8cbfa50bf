import Basics

/// The windows of tokens by which they are found: each of eight bytes, or of four for a prefix.
///
/// Whole tokens are so long that it is enough to look at every eighth window of a file, if the first eight of each form
/// are known. A prefix has as few as four bytes, or eight digits, and any byte may begin one.
struct TokenWindows {
  /// The set that a window is in. A file has mostly windows of one kind, and smaller sets stay in the cache.
  enum Kind: Int, CaseIterable {
    /// Of whole tokens: hex digits, text that base64 or groups of digits may be, and all others.
    case hex, text, bytes
    /// Of prefixes: four bytes or characters of base64, and eight hex digits.
    case shortBytes, shortHex

    /// The kind of any window, by its bytes alone.
    @inline(__always)
    init(_ window: EightBytes) {
      let others = window.marksOfHexDigits ^ EightBytes.highBits
      // Base64 has no characters below "+", and groups of hex digits have one space.
      let low = window.marks(below: UInt8(ascii: "+"))
      self =
        window.marksOfHigh != 0
        ? .bytes : others == 0 ? .hex : low == 0 || low == others && low & (low &- 1) == 0 ? .text : .bytes
    }
  }

  /// Of the windows of whole tokens that are looked at.
  static let stride = 8
  /// Bytes of a text with all its windows.
  private static let textLength = stride + 7
  private static let fold = EightBytes.ones &* 0x20

  private let tokens: SearchedTokens

  init(_ tokens: SearchedTokens) { self.tokens = tokens }

  /// The hash of a window of a whole token, or of a prefix in hex, in either case of letters.
  @inline(__always)
  static func hash(_ window: EightBytes) -> UInt64 { WindowTable.hash(window.word | fold) }

  /// The hash of the first four bytes of a window.
  @inline(__always)
  static func shortHash(_ window: EightBytes) -> UInt64 { WindowTable.hash(window.word & 0xffff_ffff) }

  func tables() -> [WindowTable] {
    var counts = Kind.allCases.map { _ in 0 }
    visit { kind, _, _ in counts[kind.rawValue] += 1 }
    let tables = counts.map { WindowTable(capacity: $0) }
    visit { kind, hash, code in tables[kind.rawValue].insert(hash, code) }
    for table in tables { table.finish() }
    return tables
  }

  /// Calls `body` with each window. The code says in which encoding, and at which index, the window is.
  private func visit(_ body: (Kind, _ hash: UInt64, WindowTable.Code) -> Void) {
    // The first bytes of a token, then a text; zeros follow both.
    var scratch = [UInt8](repeating: 0, count: 64)
    scratch.withUnsafeMutableBytes { scratch in
      let token = UnsafeMutableRawBufferPointer(rebasing: scratch[..<24])
      let text = UnsafeMutableRawBufferPointer(rebasing: scratch[32...])
      for group in tokens.groups {
        let count = min(16, group.width)
        for start in Swift.stride(from: 0, to: group.bytes.count, by: group.width) {
          token.copyBytes(from: group.bytes[start..<start + count])
          for encoding in DigitCursor.Encoding.allCases { visit(group, encoding, token, text, body) }
        }
        token.initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
  }

  private func visit(
    _ group: SearchedTokens.Group, _ encoding: DigitCursor.Encoding, _ token: UnsafeMutableRawBufferPointer,
    _ text: UnsafeMutableRawBufferPointer,
    _ body: (Kind, _ hash: UInt64, WindowTable.Code) -> Void
  ) {
    func add(_ bytes: UnsafeMutableRawBufferPointer) {
      guard let base = bytes.baseAddress else { return }
      guard group.isLong else {
        let (window, code) = (EightBytes(base), encoding.rawValue)
        return encoding == .hex
          ? body(.shortHex, Self.hash(window), code) : body(.shortBytes, Self.shortHash(window), code)
      }
      for start in 0..<Self.stride {
        let window = EightBytes(base + start)
        body(Kind(window), Self.hash(window), encoding.rawValue * Self.stride + start)
      }
    }
    switch encoding {
    case .bytes: add(token)
    case .hex:
      for digit in 0..<Self.textLength + 1 { text[digit] = Self.hexDigit(token, digit) }
      add(text)
      if !group.isLong { return }
      text[8] = UInt8(ascii: " ")
      for digit in 8..<Self.textLength { text[digit + 1] = Self.hexDigit(token, digit) }
      add(text)
    case .base64, .base64After1, .base64After2:
      // The first character that has no bit of what is before the token.
      let first = (6 - encoding.foreignBits) % 6
      var isOfBoth = true
      for character in 0..<Self.textLength {
        let (byte, bit) = (first + 6 * character).quotientAndRemainder(dividingBy: 8)
        let digit = Base64.digit((Int(token[byte]) << 8 | Int(token[byte + 1])) >> (10 - bit))
        text[character] = digit
        isOfBoth = isOfBoth && digit != UInt8(ascii: "+") && digit != UInt8(ascii: "/")
      }
      add(text)
      if isOfBoth { return }
      for index in 0..<Self.textLength {
        if text[index] == UInt8(ascii: "+") { text[index] = UInt8(ascii: "-") }
        if text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "_") }
      }
      add(text)
    }
  }

  private static func hexDigit(_ token: UnsafeMutableRawBufferPointer, _ index: Int) -> UInt8 {
    let digits = Hex.digits(of: token[index / 2])
    return UInt8(truncatingIfNeeded: index & 1 == 0 ? digits : digits &>> 8)
  }
}
