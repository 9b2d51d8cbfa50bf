import WireBytes

/// The text that tshark writes into stream data where bytes are missing from a capture:
/// `[76 bytes missing in capture file]`, with a NUL behind it in some of its versions (decoding-rules.md,
/// "Marks of other tools").
struct GapMark: Equatable {
  /// Index of the `[`, and behind the `]`.
  var range: Range<Int>
  /// The number of bytes missing.
  var length: Int

  /// tshark counts in 32 bits, so more digits than this are no mark of its.
  private static let maxDigits = 10
  private static let open = UInt8(ascii: "[")
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  private static let words = Array(" bytes missing in capture file]".utf8)

  /// No mark is longer, in bytes.
  static let maxLength = 1 + maxDigits + words.count

  /// What stands at a `[`.
  enum Match: Equatable {
    case mark(GapMark)
    /// The bytes end where a mark could go on.
    case cut
    case none
  }

  static func match(at start: Int, in bytes: RawSpan) -> Match {
    var index = start
    guard index < bytes.byteCount, bytes.byte(at: index) == open else { return .none }
    index += 1
    var length = 0
    while index < bytes.byteCount, index - start <= maxDigits, digits.contains(bytes.byte(at: index)) {
      length = length * 10 + Int(bytes.byte(at: index) - digits.lowerBound)
      index += 1
    }
    if index == bytes.byteCount { return .cut }
    guard index > start + 1 else { return .none }
    for word in words {
      if index == bytes.byteCount { return .cut }
      guard bytes.byte(at: index) == word else { return .none }
      index += 1
    }
    return .mark(GapMark(range: start..<index, length: length))
  }

  /// The first whole mark from `start` on.
  ///
  /// Of the 31 bytes of a mark's words, eight lie at one of the places that are 24 apart, and they are
  /// printable ASCII: one load in 24 bytes rules out nearly all of a binary dump.
  static func first(in bytes: RawSpan, from start: Int) -> GapMark? {
    let step = words.count - MemoryLayout<UInt64>.size + 1
    var place = start
    while place &+ MemoryLayout<UInt64>.size <= bytes.byteCount {
      let sample = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
      if isPrintable(sample),
        let mark = mark(withWordsAt: max(start, place - step + 1)...place, in: bytes, from: start)
      {
        return mark
      }
      place &+= step
    }
    return nil
  }

  /// Whether no byte is 0x80 or above, and then none below 0x20.
  @inline(__always)
  private static func isPrintable(_ sample: UInt64) -> Bool {
    let highBits: UInt64 = 0x8080_8080_8080_8080
    return sample & highBits == 0 && (sample &- 0x2020_2020_2020_2020) & highBits == 0
  }

  /// A mark whose words begin in `places` and which begins at `start` or behind it.
  private static func mark(
    withWordsAt places: ClosedRange<Int>, in bytes: RawSpan, from start: Int
  ) -> GapMark? {
    var place = places.lowerBound
    while place <= places.upperBound, place &+ 1 < bytes.byteCount {
      if bytes.byte(at: place) == words[0], bytes.byte(at: place &+ 1) == words[1] {
        var open = place - 1
        while open > start, place - open <= maxDigits, digits.contains(bytes.byte(at: open)) { open -= 1 }
        if open >= start, case .mark(let mark) = match(at: open, in: bytes) { return mark }
      }
      place &+= 1
    }
    return nil
  }

  /// Where a mark may have begun that the bytes' end cuts; the bytes' end where none has.
  static func cutMark(in bytes: RawSpan, from start: Int) -> Int {
    var place = bytes.byteCount - 1
    // A `[` can only be a mark's first byte, so the last one decides.
    while place >= max(start, bytes.byteCount - maxLength) {
      if bytes.byte(at: place) == open {
        return match(at: place, in: bytes) == .cut ? place : bytes.byteCount
      }
      place -= 1
    }
    return bytes.byteCount
  }
}
