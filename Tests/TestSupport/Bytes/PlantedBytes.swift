import Foundation

/// Bytes with records planted in them, and what a search must find. Shares no code with the search.
package struct PlantedBytes {
  package enum Form: String, CaseIterable, Sendable {
    case binary, hex, base64
    case quotedPrintable = "quoted-printable"
    case log
  }

  /// A tuple of the truth.
  package struct Row: Sendable {
    package var form: Form
    /// Offset of the first byte, or character, that encodes it.
    package var fileOffset: Int
    package var time: UInt32
    package var token: [UInt8]
    /// The number of tuples planted together, and whether this is the last of them.
    package var chainLength: Int
    package var isLast: Bool

    package var tokenText: String { TestHex.text(token) }
  }

  package private(set) var bytes: [UInt8] = []
  package private(set) var rows: [Row] = []

  package init() {}

  package mutating func append(_ more: some Collection<UInt8>) { bytes += more }

  /// Noise in which nothing is a tuple: no byte is a token length, a digit or a letter.
  package mutating func fill(_ count: Int, _ generator: inout SeededGenerator) {
    append(generator.bytes(count).map { 0x80 | $0 })
  }

  /// `count` random tuples.
  package static func tuples(_ count: Int, _ generator: inout SeededGenerator) -> [(
    time: UInt32, token: [UInt8]
  )] {
    (0..<count).map { _ in
      (UInt32(generator.pick(1_300_000_000...1_600_000_000)), generator.bytes(32))
    }
  }

  package mutating func plant(
    _ tuples: [(time: UInt32, token: [UInt8])], as form: Form, _ generator: inout SeededGenerator
  ) {
    let content = tuples.flatMap { Tuples.of($0.token, time: $0.time) }
    let (text, starts): ([UInt8], [Int]) =
      switch form {
      case .binary: (content, Array(content.indices))
      case .hex: Self.hexText(content, &generator)
      case .base64: Self.base64Text(content, &generator)
      case .quotedPrintable: Self.quotedPrintable(content)
      case .log: ([], [])
      }
    for (number, tuple) in tuples.enumerated() where form != .log {
      rows.append(
        Row(
          form: form, fileOffset: bytes.count + starts[38 * number], time: tuple.time, token: tuple.token,
          chainLength: tuples.count, isLast: number == tuples.count - 1))
    }
    append(text)
  }

  /// A line with a time, whose text the caller gives, and the token as NSData prints it.
  package mutating func plantLine(_ text: String, time: UInt32, token: [UInt8]) {
    rows.append(
      Row(form: .log, fileOffset: bytes.count, time: time, token: token, chainLength: 1, isLast: false))
    let digits = Self.hex(token)
    let groups = (0..<8).map { digits[4 * $0..<4 * $0 + 4].joined() }
    append(Array("\(text) App[1:2] token <\(groups.joined(separator: " "))> removed\n".utf8))
  }

  // MARK: - Encodings: the text, and the index of the first character of each byte

  private static func hex(_ bytes: [UInt8]) -> [String] { bytes.map { TestHex.text([$0]) } }

  /// As different tools write it.
  private static func hexText(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> ([UInt8], [Int]) {
    let (lead, separator, perLine, lineEnd) = generator.pick([
      ("", "", 0, ""), ("", " ", 0, ""), ("", ":", 16, "\n"), ("0x", ", ", 12, "\n  "), ("\\x", "", 0, ""),
      ("", "", 30, "\n"), ("", "", 32, "\r\n> "), ("", "", 36, "\n\"> "),
    ])
    let isUpper = generator.chance(2)
    var text = ""
    var starts: [Int] = []
    for (index, digits) in hex(bytes).enumerated() {
      if index > 0 { text += separator }
      if index > 0, perLine > 0, index % perLine == 0 { text += lineEnd }
      text += lead
      starts.append(text.utf8.count)
      text += isUpper ? digits.uppercased() : digits
    }
    return (Array(text.utf8), starts)
  }

  private static func base64Text(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> ([UInt8], [Int]) {
    let isURLSafe = generator.chance(2)
    let (width, lineEnd) = generator.pick([(0, ""), (76, "\r\n"), (64, "\n"), (76, "\n> ")])
    // Other bytes before the tuples give them any of three phases.
    let lead = generator.bytes(generator.pick(0...2))
    let standard = Data(lead + bytes).base64EncodedString().filter { $0 != "=" }
    let digits = isURLSafe ? standard.replacing("+", with: "-").replacing("/", with: "_") : standard
    var text: [UInt8] = []
    var digitStarts: [Int] = []
    for (index, digit) in digits.utf8.enumerated() {
      if width > 0, index > 0, index % width == 0 { text += lineEnd.utf8 }
      digitStarts.append(text.count)
      text.append(digit)
    }
    return (text, bytes.indices.map { digitStarts[($0 + lead.count) * 8 / 6] })
  }

  private static func quotedPrintable(_ bytes: [UInt8]) -> ([UInt8], [Int]) {
    var text = ""
    var starts: [Int] = []
    var column = 0
    for (byte, digits) in zip(bytes, hex(bytes)) {
      let isLiteral = (33...126).contains(byte) && byte != 61 || byte == 32
      let characters = isLiteral ? String(Unicode.Scalar(byte)) : "=" + digits.uppercased()
      if column + characters.count > 75 {
        text += "=\r\n"
        column = 0
      }
      starts.append(text.utf8.count)
      text += characters
      column += characters.count
    }
    return (Array(text.utf8), starts)
  }
}
