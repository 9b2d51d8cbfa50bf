/// Writes the JSON of the truth: one object per line, in one buffer, without a string for each value.
struct TruthText {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  mutating func begin(_ type: String) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    member("type", type)
  }

  mutating func end() {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes the name of a member. Its value must follow.
  mutating func name(_ name: StaticString) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes += "\":".utf8
  }

  mutating func null(_ names: StaticString...) {
    for name in names { member(name, json: "null".utf8) }
  }

  mutating func member(_ name: StaticString, _ value: Int?) {
    guard let value else { return null(name) }
    member(name, json: String(value).utf8)
  }

  mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return null(name) }
    self.name(name)
    quote(value)
  }

  mutating func member(_ name: StaticString, _ value: Moment?, digits: Int) {
    guard let value else { return null(name) }
    self.name(name)
    time(value, digits: digits)
  }

  mutating func member(_ name: StaticString, json: some Sequence<UInt8>) {
    self.name(name)
    bytes.append(contentsOf: json)
  }

  mutating func token(_ token: some Collection<UInt8>) {
    member("token_length", token.count)
    name("token")
    hex(token)
  }

  mutating func hex(_ value: some Sequence<UInt8>) {
    let digits: StaticString = "0123456789abcdef"
    bytes.append(UInt8(ascii: "\""))
    for byte in value {
      bytes.append(digits.utf8Start[Int(byte >> 4)])
      bytes.append(digits.utf8Start[Int(byte & 15)])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a time in RFC 3339 format and UTC.
  /// - Parameter digits: digits after the decimal point: 0, 3, 6 or 9.
  mutating func time(_ moment: Moment, digits: Int) {
    let seconds = Int(moment.seconds)
    let date = Self.date(seconds / 86_400)
    bytes.append(UInt8(ascii: "\""))
    number(date.year, 4, then: "-")
    number(date.month, 2, then: "-")
    number(date.day, 2, then: "T")
    number(seconds / 3600 % 24, 2, then: ":")
    number(seconds / 60 % 60, 2, then: ":")
    number(seconds % 60, 2, then: digits > 0 ? "." : "Z")
    if digits > 0 { number(Int(moment.nanoseconds) / Self.unit(digits), digits, then: "Z") }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The unit of the last of `digits` decimals, in nanoseconds.
  private static func unit(_ digits: Int) -> Int { digits == 3 ? 1_000_000 : digits == 6 ? 1000 : 1 }

  private mutating func number(_ value: Int, _ width: Int, then mark: Unicode.Scalar) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: width))
    var rest = value
    for index in stride(from: start + width - 1, through: start, by: -1) {
      bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    bytes.append(UInt8(ascii: mark))
  }

  /// The date `days` days after 1970-01-01, in the Gregorian calendar, up to the year 2099.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    var (year, rest) = (1970 + days / 1461 * 4, days % 1461)
    // 2000 is a leap year, so up to 2099 every fourth year is one.
    while rest >= (year % 4 == 0 ? 366 : 365) {
      rest -= year % 4 == 0 ? 366 : 365
      year += 1
    }
    let lengths = [31, year % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var month = 0
    while month < 11, rest >= lengths[month] {
      rest -= lengths[month]
      month += 1
    }
    return (year, month + 1, rest + 1)
  }

  /// `text` as a JSON string (RFC 8259).
  static func quoted(_ text: String) -> [UInt8] {
    var quoted = TruthText()
    quoted.quote(text)
    return quoted.bytes
  }

  mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\r"): bytes += "\\r".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0..<0x20, 0x7f: bytes += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

/// A time since 1970.
struct Moment: Equatable, Sendable {
  var seconds: UInt32
  var nanoseconds: UInt32
}

extension Moment {
  init(milliseconds: Int) {
    self.init(seconds: UInt32(milliseconds / 1000), nanoseconds: UInt32(milliseconds % 1000) * 1_000_000)
  }
}
