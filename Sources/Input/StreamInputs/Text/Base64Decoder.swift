import Basics
import PacketCapture

/// Decodes a text of base64.
package struct Base64Decoder: TextDecoder {
  private var cursor = TextCursor()
  private var mark: ByteOrderMark
  private var reader = Base64Reader()

  /// - Parameter head: the beginning of the text, whose lines show whether they have whole groups.
  package init(head: RawSpan) {
    mark = ByteOrderMark(of: head)
    if let width = head.commonLineWidth { reader.linesHoldWholeGroups = width % 4 == 0 }
  }

  package mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    let start = mark.skip(text, from: start, at: &cursor)
    return reader.read(text, start..<text.byteCount, at: &cursor, into: &output)
  }

  package mutating func finish(into output: inout DecodedText) -> Bool {
    reader.end(at: cursor, isCut: false, into: &output)
    output.closeFaults()
    return true
  }

  /// Minimum length of a single line whose length is not a multiple of 4, as its end may be cut.
  private static let shortestOddLine = 40
  /// Minimum number of base64 characters per other character for it to count as damage.
  private static let charactersPerDamage = 256
  /// One in this number of lines may have another length than the rest, such as one that lost a character.
  private static let linesPerOddLine = 8

  /// Whether a file that begins with `head` is base64: at least 8 characters of one of its alphabets and hardly any
  /// other, no blanks within lines, and lines of one length that is a multiple of 4. The last line may be shorter, and
  /// so may one that ends in padding.
  ///
  /// Upper-case letters, lower-case letters, and digits or marks must all occur, so that a list of words is not
  /// detected as base64. The shortest dump, a tuple of 38 bytes with a random token, lacks one of them in less than
  /// one case of 10,000.
  package static func recognises(_ head: RawSpan) -> Bool {
    guard !head.hasControlCharacters else { return false }
    var (capitals, small, others, invalid) = (0, 0, 0, 0)
    var lines: [(width: Int, isPadded: Bool)] = []
    for line in head.lines(isWhole: true) {
      let start = head.skippingBlanks(from: line.lowerBound)
      for index in start..<line.upperBound {
        switch head.byte(at: index) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): capitals += 1
        case UInt8(ascii: "a")...UInt8(ascii: "z"): small += 1
        case UInt8(ascii: "="): others += 1
        case ASCII.carriageReturn: break
        case UInt8(ascii: " "), UInt8(ascii: "\t"): invalid += head.byteCount
        case let other where Base64Alphabet.values[Int(other)] & Base64Alphabet.isInvalid != 0: invalid += 1
        default: others += 1
        }
      }
      lines.append((line.upperBound - start, head.byte(at: line.upperBound - 1) == UInt8(ascii: "=")))
    }
    let total = capitals + small + others
    return total >= 8 && capitals > 0 && small > 0 && others > 0 && invalid * charactersPerDamage <= total
      && areEven(lines, width: head.commonLineWidth)
  }

  /// Whether the lines have one length, as tools wrap them.
  private static func areEven(_ lines: [(width: Int, isPadded: Bool)], width: Int?) -> Bool {
    guard let last = lines.last else { return false }
    if lines.count == 1 { return last.width % 4 == 0 || last.width >= shortestOddLine }
    guard let width, width % 4 == 0, last.width <= width else { return false }
    let odd = lines.dropLast().count { $0.width != width && !($0.isPadded && $0.width < width) }
    return odd * linesPerOddLine <= lines.count
  }
}
