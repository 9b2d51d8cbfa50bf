import PacketCapture

/// Reads bytes that are encoded in text, in a form that the caller has recognised. The buffers are reused.
struct EncodedText {
  /// The raw value is the most characters of a byte: in hex as `0x4f, ` in short lines, with line breaks and quote marks,
  /// in quoted-printable as `=4F`.
  enum TextEncoding: Int {
    case hex = 8
    case base64 = 2
    case quotedPrintable = 4

    var carvingForm: Carving.CarvedForm {
      switch self {
      case .hex: .hex
      case .base64: .base64
      case .quotedPrintable: .quotedPrintable
      }
    }

    var digitBits: Int { self == .hex ? 4 : 6 }
  }

  /// A position in text: a character, and the bits of it that belong to earlier bytes.
  struct Position {
    var index: Int
    var bit = 0
  }

  /// The values of the digits last gathered, and the distance of each character from the first one read. The arrays may
  /// be longer.
  private var digits: [UInt8] = []
  private var distances: [Int32] = []
  private(set) var digitCount = 0
  /// The index of the first character read.
  private var start = 0
  /// The bytes last decoded, and the index of the first character of each.
  private(set) var bytes: [UInt8] = []
  private(set) var byteIndices: [Int] = []
  /// The index at which gathering or decoding stopped, and whether that is because of the limit.
  private(set) var end = 0
  private(set) var isCut = false

  // MARK: - Digits

  /// Gathers the digits of hex or base64 from `start` on, up to `limit` or the first other character.
  mutating func gather(
    _ form: TextEncoding, from start: Int, to limit: Int, in window: UnsafeRawBufferPointer
  ) {
    self.start = start
    let most = max(0, limit &- start)
    if digits.count < most {
      digits = [UInt8](repeating: 0, count: most)
      distances = [Int32](repeating: 0, count: most)
    }
    let text = UnsafeRawBufferPointer(rebasing: window[start..<start &+ most])
    let length = digits.withUnsafeMutableBufferPointer { digits in
      distances.withUnsafeMutableBufferPointer { distances in
        var output = DigitOutput(digits: digits, distances: distances)
        let length = form == .hex ? output.hex(text) : output.base64(text)
        digitCount = output.count
        return length
      }
    }
    end = start &+ length
    isCut = length == most
  }

  func index(ofDigit digit: Int) -> Int { start &+ Int(distances[digit]) }

  func zeroDigit(from start: Int) -> Int? {
    digits.withUnsafeBufferPointer { digits in
      var index = start
      while index < digitCount {
        if digits[index] == 0 { return index }
        index &+= 1
      }
      return nil
    }
  }

  /// The number at `bit` of the digits, of up to 32 bits; nil after their end.
  func number(at bit: Int, bits: Int, of form: TextEncoding) -> UInt32? {
    let width = form.digitBits
    guard bit >= 0, bit &+ bits <= digitCount &* width else { return nil }
    var digit = bit / width
    var have = width &- bit % width
    var value = UInt64(digits[digit]) & (1 &<< UInt64(have) &- 1)
    while have < bits {
      digit &+= 1
      value = value &<< UInt64(width) | UInt64(digits[digit])
      have &+= width
    }
    return UInt32(truncatingIfNeeded: value &>> UInt64(have &- bits))
      & (bits == 32 ? ~0 : 1 &<< UInt32(bits) &- 1)
  }

  func position(ofBit bit: Int, of form: TextEncoding) -> Position {
    let (digit, rest) = bit.quotientAndRemainder(dividingBy: form.digitBits)
    if digit < digitCount { return Position(index: index(ofDigit: digit), bit: rest) }
    // Signs between digits may begin what follows the last one.
    return Position(index: digitCount > 0 ? index(ofDigit: digitCount &- 1) &+ 1 : end)
  }

  // MARK: - Bytes

  /// Decodes the bytes from `start` on, up to the character before `limit` or the first other one.
  mutating func decode(
    _ form: TextEncoding, from start: Position, to limit: Int, in window: UnsafeRawBufferPointer
  ) {
    bytes.removeAll(keepingCapacity: true)
    byteIndices.removeAll(keepingCapacity: true)
    if form == .quotedPrintable { return decodeQuotedPrintable(start.index, limit, window) }
    gather(form, from: start.index, to: limit, in: window)
    decodeDigits(form, fromBit: start.bit, count: .max)
  }

  /// Decodes up to `count` bytes of the digits last gathered.
  mutating func decodeDigits(_ form: TextEncoding, fromBit bit: Int, count: Int) {
    bytes.removeAll(keepingCapacity: true)
    byteIndices.removeAll(keepingCapacity: true)
    let width = form.digitBits
    var digit = bit / width
    var value: UInt32 = 0
    var have = 0
    if bit % width > 0, digit < digitCount {
      have = width &- bit % width
      value = UInt32(digits[digit]) & (1 &<< UInt32(have) &- 1)
      byteIndices.append(index(ofDigit: digit))
      digit &+= 1
    }
    while digit < digitCount, bytes.count < count {
      // The first digit with a bit of the next byte.
      if have == 0 { byteIndices.append(index(ofDigit: digit)) }
      value = value &<< UInt32(width) | UInt32(digits[digit])
      have &+= width
      if have >= 8 {
        have &-= 8
        bytes.append(UInt8(truncatingIfNeeded: value &>> UInt32(have)))
        value &= 1 &<< UInt32(have) &- 1
        if have > 0 { byteIndices.append(index(ofDigit: digit)) }
      }
      digit &+= 1
    }
    if byteIndices.count > bytes.count { byteIndices.removeLast(byteIndices.count - bytes.count) }
  }

  /// Where the byte after the first `count` decoded ones begins.
  func position(afterBytes count: Int, from start: Position, of form: TextEncoding) -> Position {
    if form == .quotedPrintable {
      return Position(index: count < byteIndices.count ? byteIndices[count] : end)
    }
    return position(ofBit: start.bit &+ 8 &* count, of: form)
  }

  // MARK: - Quoted-printable (RFC 2045, section 6.7)

  private mutating func decodeQuotedPrintable(_ start: Int, _ limit: Int, _ window: UnsafeRawBufferPointer) {
    var index = start
    while index < limit, let (byte, next) = Self.quoted(at: index, to: limit, in: window) {
      if let byte {
        bytes.append(byte)
        byteIndices.append(index)
      }
      index = next
    }
    end = index
    // An escape has three characters.
    isCut = index >= limit || index &+ 2 >= limit && window[index] == UInt8(ascii: "=")
  }

  /// The byte at `index`, or none at a soft line break, and the index after it; nil for anything else.
  static func quoted(at index: Int, to limit: Int, in window: UnsafeRawBufferPointer) -> (
    byte: UInt8?, end: Int
  )? {
    let byte = window[index]
    guard byte == UInt8(ascii: "=") else {
      let isText = byte >= 0x20 && byte < 0x7f || byte == 9 || byte == 10 || byte == 13
      return isText ? (byte, index &+ 1) : nil
    }
    guard index &+ 2 < limit else { return nil }
    if window[index &+ 1] == 10 { return (nil, index &+ 2) }
    if window[index &+ 1] == 13, window[index &+ 2] == 10 { return (nil, index &+ 3) }
    let (high, low) = (TextAlphabet.hex[Int(window[index &+ 1])], TextAlphabet.hex[Int(window[index &+ 2])])
    return high < 16 && low < 16 ? (high << 4 | low, index &+ 3) : nil
  }

  /// The index at which the byte before `index` begins, which is not before `floor`.
  static func quoted(before index: Int, from floor: Int, in window: UnsafeRawBufferPointer) -> Int? {
    var index = index
    // A soft line break.
    while index &- 2 >= floor, window[index &- 1] == 10 {
      let equals = window[index &- 2] == 13 ? index &- 3 : index &- 2
      guard equals >= floor, window[equals] == UInt8(ascii: "=") else { break }
      index = equals
    }
    if index &- 3 >= floor, window[index &- 3] == UInt8(ascii: "=") { return index &- 3 }
    return index &- 1 >= floor ? index &- 1 : nil
  }

  // MARK: - Origins

  /// The locations of the first `count` decoded bytes.
  func origins(ofBytes count: Int, streamOffset: Int, windowOffset: Int) -> [SourceExtent] {
    var origins: [SourceExtent] = []
    var first = 0
    while first < count {
      let (spacing, length) = spacing(from: first, to: count)
      origins.append(
        SourceExtent(
          streamOffset: streamOffset &+ first, fileOffset: windowOffset &+ byteIndices[first],
          spacing: spacing))
      first &+= length
    }
    return origins
  }

  /// The distances of the bytes from `first` on, and how many have them.
  private func spacing(from first: Int, to count: Int) -> (Stride, Int) {
    func distance(_ index: Int) -> Int { byteIndices[index] &- byteIndices[first] }
    guard first &+ 1 < count else { return (Stride(stride: 1), 1) }
    // Base64: three bytes begin in four characters, at the first three.
    let groups = Stride(stride: 1, groupSize: 3, groupStride: 4)
    let isGrouped =
      first &+ 3 < count && (1...3).allSatisfy { distance(first &+ $0) == groups.distance(to: $0) }
    let spacing = isGrouped ? groups : Stride(stride: distance(first &+ 1))
    var length = 2
    while first &+ length < count, distance(first &+ length) == spacing.distance(to: length) { length &+= 1 }
    return (spacing, length)
  }
}

private struct DigitOutput {
  /// Separators in a row that end hex: padding of pages is none of it.
  private static let longestGap = 64

  let digits: UnsafeMutableBufferPointer<UInt8>
  let distances: UnsafeMutableBufferPointer<Int32>
  private(set) var count = 0

  @inline(__always)
  private mutating func append(_ digit: UInt8, at index: Int) {
    digits[count] = digit
    distances[count] = Int32(truncatingIfNeeded: index)
    count &+= 1
  }

  /// Both return the number of characters read.
  mutating func hex(_ text: UnsafeRawBufferPointer) -> Int {
    TextAlphabet.hex.withUnsafeBufferPointer { kinds in
      var gap = 0
      for index in 0..<text.count {
        let byte = text[index]
        let kind = kinds[Int(byte)]
        if kind < 16 {
          append(kind, at: index)
          gap = 0
          continue
        }
        guard kind != TextAlphabet.foreign, gap < Self.longestGap else { return index }
        // The zero of `0x` is no digit.
        if byte | 0x20 == UInt8(ascii: "x"), gap == 0, count > 0, digits[count &- 1] == 0 { count &-= 1 }
        gap &+= 1
      }
      return text.count
    }
  }

  mutating func base64(_ text: UnsafeRawBufferPointer) -> Int {
    TextAlphabet.base64.withUnsafeBufferPointer { kinds in
      var isLineStart = true
      for index in 0..<text.count {
        let kind = kinds[Int(text[index])]
        if kind < 64 {
          append(kind, at: index)
          isLineStart = false
        } else if kind == TextAlphabet.lineBreak {
          isLineStart = true
        } else if kind == TextAlphabet.foreign || !isLineStart {
          return index
        }
      }
      return text.count
    }
  }
}

enum TextAlphabet {
  static let foreign: UInt8 = 0xff
  /// Between digits.
  static let separator: UInt8 = 0x80
  static let lineBreak: UInt8 = 0x81
  /// At the start of a line only: a quoted mail.
  static let indent: UInt8 = 0x82

  static let hex: [UInt8] = (UInt8.min...UInt8.max).map { byte in
    let isSeparator = " ,:\\xX\"'<>=-\t\r\n".utf8.contains(byte)
    return isSeparator
      ? separator : Digits.hex[Int(byte)] == Digits.isInvalid ? foreign : Digits.hex[Int(byte)]
  }

  /// Both alphabets of RFC 4648.
  static let base64: [UInt8] = (UInt8.min...UInt8.max).map { byte in
    switch byte {
    case 10, 13: lineBreak
    case UInt8(ascii: ">"), UInt8(ascii: " "), 9: indent
    default: Digits.base64[Int(byte)] == Digits.isInvalid ? foreign : Digits.base64[Int(byte)] & 63
    }
  }
}
