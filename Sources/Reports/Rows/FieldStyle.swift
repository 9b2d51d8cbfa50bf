import JSON
import WireBytes

/// How the values of a row are spelled.
enum FieldStyle: Sendable {
  case csv, json

  func append(_ value: String?, to text: inout [UInt8]) {
    guard let value else { return appendNothing(to: &text) }
    text += (self == .json ? JSONValue.quoted(value) : CSVText.field(value)).utf8
  }

  /// A word that needs no escape in either style.
  func append(word: StaticString, to text: inout [UInt8]) {
    if self == .json { text.append(UInt8(ascii: "\"")) }
    append(literal: word, to: &text)
    if self == .json { text.append(UInt8(ascii: "\"")) }
  }

  /// A number that is not negative.
  func append(_ number: Int?, to text: inout [UInt8]) {
    guard let number else { return appendNothing(to: &text) }
    var rest = UInt64(clamping: number)
    var digits: InlineArray<20, UInt8> = .init(repeating: 0)
    var first = digits.count
    repeat {
      first &-= 1
      digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    for index in first..<digits.count { text.append(digits[index]) }
  }

  func append(_ time: CaptureTime?, to text: inout [UInt8]) {
    let start = text.count
    if self == .json { text.append(UInt8(ascii: "\"")) }
    let before = text.count
    time?.append(to: &text)
    if text.count == before {
      text.removeLast(before - start)
      appendNothing(to: &text)
    } else if self == .json {
      text.append(UInt8(ascii: "\""))
    }
  }

  func append(codes: [String], to text: inout [UInt8]) {
    switch self {
    case .json where codes.isEmpty: append(literal: "[]", to: &text)
    case .csv: text += codes.joined(separator: ";").utf8
    case .json: text += JSONValue.array(codes.map(JSONValue.string)).text.utf8
    }
  }

  /// The bytes of `range` in hex.
  func append(
    hexOf range: Range<Int>, in bytes: RawSpan, letterCase: Hex.LetterCase, to text: inout [UInt8]
  ) {
    let digits = letterCase == .upper ? Self.upperDigits : Self.lowerDigits
    if self == .json { text.append(UInt8(ascii: "\"")) }
    let hex = digits.utf8Start
    for place in range {
      let byte = bytes.byte(at: place)
      text.append(hex[Int(byte >> 4)])
      text.append(hex[Int(byte & 15)])
    }
    if self == .json { text.append(UInt8(ascii: "\"")) }
  }

  private static let lowerDigits: StaticString = "0123456789abcdef"
  private static let upperDigits: StaticString = "0123456789ABCDEF"

  /// The bytes of `range`, which are UTF-8, as a text.
  func append(textOf range: Range<Int>, in bytes: RawSpan, to text: inout [UInt8]) {
    switch self {
    case .json: JSONValue.appendQuoted(range, in: bytes, to: &text)
    case .csv: CSVText.appendField(range, in: bytes, to: &text)
    }
  }

  /// What stands for a value that does not apply.
  func appendNothing(to text: inout [UInt8]) {
    if self == .json { append(literal: "null", to: &text) }
  }

  private func append(literal: StaticString, to text: inout [UInt8]) {
    literal.withUTF8Buffer { text.append(contentsOf: $0) }
  }
}
