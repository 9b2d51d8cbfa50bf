#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    bytes += "}\n".utf8
  }

  /// Writes the name of a member. Its value must follow.
  mutating func name(_ name: StaticString) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes += "\":".utf8
  }

  mutating func null(_ names: StaticString...) { for name in names { member(name, json: "null".utf8) } }

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
    var (seconds, date) = (time_t(moment.seconds), tm())
    gmtime_r(&seconds, &date)
    bytes.append(UInt8(ascii: "\""))
    number(1900 + Int(date.tm_year), 4, then: "-")
    number(1 + Int(date.tm_mon), 2, then: "-")
    number(Int(date.tm_mday), 2, then: "T")
    number(Int(date.tm_hour), 2, then: ":")
    number(Int(date.tm_min), 2, then: ":")
    number(Int(date.tm_sec), 2, then: digits > 0 ? "." : "Z")
    let unit = digits == 3 ? 1_000_000 : digits == 6 ? 1000 : 1
    if digits > 0 { number(Int(moment.nanoseconds) / unit, digits, then: "Z") }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func number(_ value: Int, _ width: Int, then mark: Unicode.Scalar) {
    let digits = String(value).utf8
    bytes += repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.count))
    bytes += digits
    bytes.append(UInt8(ascii: mark))
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
