import WireBytes

extension Base64Decoder {
  /// A single line that is no whole number of groups (its end may be cut) must have this many characters.
  private static let shortestOddLine = 40
  /// Characters of base64 that one other character takes to be believed as damage.
  private static let charactersPerDamage = 256
  /// One line of so many may have another length than the rest, as one that lost a character.
  private static let linesPerOddLine = 8

  /// Whether a file that begins with `head` (`isWhole`: and has no more) is base64: at least 8 characters of
  /// one of its alphabets and hardly any other, no blanks, and lines of one length that is a multiple of 4.
  /// The last line may be shorter, and so may one that ends in padding.
  ///
  /// Capitals, small letters, and digits or marks must all occur, so that a list of words is not taken for
  /// base64. The shortest dump, a tuple of 38 bytes with a random token, lacks one of them in less than one
  /// case of 10,000.
  package static func recognises(_ head: RawSpan, isWhole: Bool) -> Bool {
    guard !head.holdsControlCharacters else { return false }
    let characters = Characters(of: head)
    let total = characters.capitals + characters.small + characters.others
    guard total >= 8, !characters.hasBlanks, characters.hasAllKinds,
      characters.foreign * charactersPerDamage <= total
    else { return false }
    return hasEvenLines(head)
  }

  /// Whether the lines are of one length, as a tool wraps them.
  private static func hasEvenLines(_ head: RawSpan) -> Bool {
    let widths = lineWidths(of: head)
    guard let last = widths.last else { return false }
    if widths.count == 1 { return last.width % 4 == 0 || last.width >= shortestOddLine }
    guard let width = head.commonLineWidth, width % 4 == 0, last.width <= width else { return false }
    let odd = widths.dropLast().count { $0.width != width && !($0.isPadded && $0.width < width) }
    return odd * linesPerOddLine <= widths.count
  }

  /// The number of characters in each line that is not empty, and whether its last one is `=`.
  private static func lineWidths(of head: RawSpan) -> [(width: Int, isPadded: Bool)] {
    var widths: [(width: Int, isPadded: Bool)] = []
    var width = 0
    var isPadded = false
    for index in (head.beginsWithByteOrderMark ? 3 : 0)..<head.byteCount {
      let character = head.byte(at: index)
      if character == ASCII.newline {
        if width > 0 { widths.append((width, isPadded)) }
        width = 0
      } else if character != ASCII.carriageReturn {
        width += 1
        isPadded = character == UInt8(ascii: "=")
      }
    }
    if width > 0 { widths.append((width, isPadded)) }
    return widths
  }
}

/// What kinds of characters a text is made of.
private struct Characters {
  var capitals = 0
  var small = 0
  /// Digits, and what else base64 is written with.
  var others = 0
  /// Characters that are none of base64.
  var foreign = 0
  var hasBlanks = false

  var hasAllKinds: Bool { capitals > 0 && small > 0 && others > 0 }

  init(of text: RawSpan) {
    for index in (text.beginsWithByteOrderMark ? 3 : 0)..<text.byteCount {
      let character = text.byte(at: index)
      switch character {
      case ASCII.newline, ASCII.carriageReturn: break
      case UInt8(ascii: " "), UInt8(ascii: "\t"): hasBlanks = true
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): capitals += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): small += 1
      case UInt8(ascii: "="): others += 1
      default:
        let isForeign = Base64Alphabet.values[Int(character)] & Base64Alphabet.isForeign != 0
        if isForeign { foreign += 1 } else { others += 1 }
      }
    }
  }
}
