import Basics

/// What of a token was found, and where.
package struct SearchHit: Equatable, Sendable {
  /// Of the first byte or character with a bit of the token.
  package var offset: Int
  /// In bytes of what was searched.
  package var length: Int
  /// The index in `SearchedTokens`.
  package var token: Int
  package var spelling: TokenSpelling
}

/// Finds tokens among bytes, in all forms at once: by their windows, and then digit by digit.
package final class TokenMatcher {
  /// What the windows of a token take in the tables.
  static let bytesPerToken = 450

  private let tokens: SearchedTokens
  private let tables: [WindowTable]
  private let hasLong, hasShort: Bool
  /// The most bytes of a token in any form.
  let reach: Int

  package init(_ tokens: SearchedTokens) {
    self.tokens = tokens
    let longest = tokens.groups.last?.digits ?? 0
    // With spaces between the groups; base64 is shorter.
    reach = longest + longest / 8 + 8
    hasLong = tokens.groups.contains(where: \.isLong)
    hasShort = tokens.groups.contains { !$0.isLong }
    tables = TokenWindows(tokens).tables()
  }

  /// Adds the tokens whose windows are at `positions` of `bytes`, of which `reach` more may be read to both sides as
  /// far as there are any, and eight after the last one.
  /// - Parameter offset: of the first byte.
  func search(
    _ bytes: UnsafeRawBufferPointer, _ positions: Range<Int>, at offset: Int, into hits: inout [SearchHit]
  ) {
    guard let base = bytes.baseAddress else { return }
    if hasLong {
      let stride = TokenWindows.stride
      let first = positions.lowerBound &+ -(offset &+ positions.lowerBound) & (stride &- 1)
      searchLong(base, first..<max(first, positions.upperBound)) { position, code in
        verify(code / stride, bytes, from: position - code % stride, areLong: true, at: offset, into: &hits)
      }
    }
    if hasShort {
      searchShort(base, positions) { position, code in
        verify(code, bytes, from: position, areLong: false, at: offset, into: &hits)
      }
    }
  }

  private func searchLong(
    _ base: UnsafeRawPointer, _ positions: Range<Int>, _ found: (_ position: Int, WindowTable.Code) -> Void
  ) {
    let filters = tables.map(\.filter)
    var position = positions.lowerBound
    while position < positions.upperBound {
      let window = EightBytes(base + position)
      let (kind, hash) = (TokenWindows.Kind(window).rawValue, TokenWindows.hash(window))
      if filters[kind].mayHave(hash) { tables[kind].lookUp(hash) { found(position, $0) } }
      position &+= TokenWindows.stride
    }
  }

  private func searchShort(
    _ base: UnsafeRawPointer, _ positions: Range<Int>, _ found: (_ position: Int, WindowTable.Code) -> Void
  ) {
    let bytes = tables[TokenWindows.Kind.shortBytes.rawValue]
    let hex = tables[TokenWindows.Kind.shortHex.rawValue]
    let filters = (bytes: bytes.filter, hex: hex.filter)
    for position in positions {
      let window = EightBytes(base + position)
      let short = TokenWindows.shortHash(window)
      if filters.bytes.mayHave(short) { bytes.lookUp(short) { found(position, $0) } }
      if window.marksOfHigh != 0 { continue }
      let hash = TokenWindows.hash(window)
      if filters.hex.mayHave(hash) { hex.lookUp(hash) { found(position, $0) } }
    }
  }

  /// Adds each token whose digits begin at `start`.
  /// - Parameter encoding: its number; in base64 the window may begin after the first character of the token.
  private func verify(
    _ encoding: Int, _ bytes: UnsafeRawBufferPointer, from start: Int, areLong: Bool, at offset: Int,
    into hits: inout [SearchHit]
  ) {
    guard let encoding = DigitCursor.Encoding(rawValue: encoding) else { return }
    let start = encoding.foreignBits > 0 ? start - 1 : start
    guard start >= 0 else { return }
    var cursor = DigitCursor(encoding, bytes, from: start)
    var read: [UInt8] = []
    var count = 0
    for group in tokens.groups where group.isLong == areLong {
      while count < group.digits {
        guard let digit = cursor.next() else { return }
        if count & 1 == 0 { read.append(digit << 4) } else { read[count / 2] |= digit }
        count += 1
      }
      guard let token = read.withUnsafeBytes({ $0.baseAddress.flatMap(group.index) }) else { continue }
      hits.append(
        SearchHit(
          offset: offset + start, length: cursor.end - start, token: token, spelling: cursor.spelling))
    }
  }
}
