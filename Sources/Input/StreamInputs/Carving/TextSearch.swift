import APNsWire

/// Finds chains of tuples that are encoded in text. Each character is gathered once, and judged by the rules of binary
/// chains once it is decoded.
struct TextSearch {
  struct Chain {
    var form: EncodedText.TextEncoding
    var start: EncodedText.Position
  }

  /// Characters that are gathered at once.
  private static let gathered = 16 << 10
  /// Characters before a block in which its text may begin.
  static let reach = 256

  private let tuples: TupleSearch
  var text = EncodedText()
  /// File offsets before which all text has been searched.
  private var searchedHex = 0
  private var searchedBase64 = 0

  init(_ tuples: TupleSearch) { self.tuples = tuples }

  /// Characters in which a chain is decided.
  private func needed(_ form: EncodedText.TextEncoding) -> Int {
    tuples.minChain &* tuples.longestTuple &* form.rawValue &+ Self.reach
  }

  // MARK: - Hex and base64

  /// The first chain in the text to which the block at `block` belongs.
  /// - Parameter floor: index before which bytes belong to other records.
  mutating func chain(
    _ form: EncodedText.TextEncoding, around block: Int, from floor: Int, in view: View
  ) throws(NeedsWindow) -> Chain? {
    let window = view.bytes
    let searched = view.index(of: form == .hex ? searchedHex : searchedBase64)
    guard block &+ AnchorScan.probeLength > searched else { return nil }
    let start = Self.start(of: form, before: block, from: max(0, floor, searched), in: window)
    let wanted = Self.gathered &+ 2 &* needed(form)
    let limit = min(window.count, start &+ wanted)
    text.gather(form, from: start, to: limit, in: window)
    let isCut = text.isCut
    if isCut { try view.check(wanted, from: start) }
    // Later starts are decided with more text.
    let last = isCut && limit < window.count ? limit &- needed(form) : .max
    let found = header(form, before: last)
    let end = view.offset &+ (found?.index ?? min(last, text.end))
    if form == .hex { searchedHex = end } else { searchedBase64 = end }
    return found.map { Chain(form: form, start: $0) }
  }

  /// The index at which the text of a block begins: that is in the block before, or in earlier lines.
  private static func start(
    of form: EncodedText.TextEncoding, before block: Int, from floor: Int, in window: UnsafeRawBufferPointer
  ) -> Int {
    let first = max(floor, block &- reach)
    var start = max(block, floor)
    if form == .hex {
      while start > first, TextAlphabet.hex[Int(window[start &- 1])] != TextAlphabet.foreign { start &-= 1 }
      return start
    }
    while start > first {
      var before = start &- 1
      // Over quote marks and a line break to the line before.
      while before > first, TextAlphabet.base64[Int(window[before])] == TextAlphabet.indent { before &-= 1 }
      let isBroken = TextAlphabet.base64[Int(window[before])] == TextAlphabet.lineBreak
      while before > first, TextAlphabet.base64[Int(window[before])] == TextAlphabet.lineBreak {
        before &-= 1
      }
      guard TextAlphabet.base64[Int(window[before])] < 64, isBroken || before == start &- 1 else { break }
      start = before
    }
    return start
  }

  /// The position of the first chain in the gathered digits that begins before `last`.
  private mutating func header(_ form: EncodedText.TextEncoding, before last: Int) -> EncodedText.Position? {
    let width = form.digitBits
    guard text.digitCount &* width >= 8 &* tuples.shortestChain else { return nil }
    // A zero digit is in each length below 64.
    let hasZero = tuples.onlyLength.map { $0 < 64 } ?? false
    var digit = 0
    while digit < text.digitCount {
      defer { digit &+= 1 }
      if hasZero {
        guard let zero = text.zeroDigit(from: digit) else { return nil }
        digit = zero
      }
      // Lengths in which it is the first whole digit: in base64, bytes begin at any even bit.
      for lead in form == .hex ? [0] : [4, 2, 0] {
        let bit = digit &* width &- lead &- 8 &* Tuple.lengthOffset
        guard hasHeader(form, at: bit) else { continue }
        guard text.index(ofDigit: bit / width) < last else { return nil }
        if isChain(form, at: bit) { return text.position(ofBit: bit, of: form) }
      }
    }
    return nil
  }

  /// Whether an allowed length and a plausible time are in the header that begins at `bit`.
  private func hasHeader(_ form: EncodedText.TextEncoding, at bit: Int) -> Bool {
    guard let length = text.number(at: bit &+ 8 &* Tuple.lengthOffset, bits: 16, of: form),
      tuples.rules.tokenLengths.contains(UInt16(truncatingIfNeeded: length)),
      let time = text.number(at: bit, bits: 32, of: form)
    else { return false }
    return tuples.isPlausible(time)
  }

  private mutating func isChain(_ form: EncodedText.TextEncoding, at bit: Int) -> Bool {
    text.decodeDigits(form, fromBit: bit, count: tuples.longestTuple)
    guard chainLength(upTo: 1) != nil else { return false }
    if tuples.minChain == 1 { return true }
    text.decodeDigits(form, fromBit: bit, count: tuples.minChain &* tuples.longestTuple)
    return chainLength(upTo: tuples.minChain) != nil
  }

  /// The number of tuples, up to `limit`, of the chain at the start of the bytes last decoded; nil if they are too few.
  func chainLength(upTo limit: Int) -> Int? {
    text.bytes.withUnsafeBytes { bytes in
      let chain = try? tuples.chain(at: 0, upTo: limit, in: bytes, isLast: true)
      return if case .found(let length)? = chain { length } else { nil }
    }
  }

  // MARK: - Quoted-printable

  /// The chain whose first token length is at `index`, as `=00` and a space or `=20`.
  mutating func quotedPrintable(at index: Int, from floor: Int, in view: View) throws(NeedsWindow) -> Chain? {
    let (window, wanted) = (view.bytes, needed(.quotedPrintable))
    try view.check(wanted, from: index)
    text.decode(
      .quotedPrintable, from: EncodedText.Position(index: index), to: min(window.count, index &+ 16),
      in: window)
    guard text.bytes.count >= 2,
      tuples.rules.tokenLengths.contains(UInt16(text.bytes[0]) << 8 | UInt16(text.bytes[1]))
    else { return nil }
    var start = index
    for _ in 0..<Tuple.lengthOffset {
      guard let before = EncodedText.quoted(before: start, from: max(0, floor), in: window) else {
        return nil
      }
      start = before
    }
    let position = EncodedText.Position(index: start)
    text.decode(.quotedPrintable, from: position, to: min(window.count, index &+ 16), in: window)
    let time = text.bytes.prefix(Tuple.lengthOffset).reduce(0) { $0 << 8 | UInt32($1) }
    guard tuples.isPlausible(time) else { return nil }
    text.decode(.quotedPrintable, from: position, to: min(window.count, index &+ wanted), in: window)
    return chainLength(upTo: tuples.minChain) == nil ? nil : Chain(form: .quotedPrintable, start: position)
  }
}
