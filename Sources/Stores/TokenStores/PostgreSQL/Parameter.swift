/// A type of the server, by its number in the catalogue, pg_type.
enum ServerType: UInt32 {
  case text = 25
  case bytea = 17
  case bigint = 20
  case timestamptz = 1184
  case timestamp = 1114
  case tid = 27

  init(_ kind: SQLKind) {
    switch kind {
    case .text, .other, .any: self = .text
    case .bytes: self = .bytea
    case .integer: self = .bigint
    case .moment: self = .timestamptz
    case .clock: self = .timestamp
    }
  }

  var name: String { "\(self)" }

  /// Microseconds from 1970 to 2000, the epoch of the server's times.
  static let epoch: Int64 = 946_684_800_000_000

  private var isTime: Bool { self == .timestamptz || self == .timestamp }

  /// Converts an integer to the server's epoch. The ends of the range mean infinity.
  func encoded(_ number: Int64) -> Int64 {
    isTime && number != .max && number != .min ? number &- Self.epoch : number
  }

  /// The server's times reach to the year 294276, ours 50 years less far: later ones count as infinity.
  func decoded(_ number: Int64) -> Int64 {
    if !isTime || number == .min { return number }
    return number > .max - Self.epoch ? .max : number + Self.epoch
  }

  /// Passes a value's bytes in the server's binary format to `body`; nil for null.
  func withEncoded<Result>(
    _ field: SQLField, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    switch field {
    case .null: return try body(nil)
    case .integer(let number) where self != .text:
      return try withUnsafeBytes(of: encoded(number).bigEndian) { try body($0) }
    case .integer, .real: return try Array(field.literal().utf8).withUnsafeBytes { try body($0) }
    case .text(let bytes), .bytes(let bytes): return try body(bytes)
    }
  }

  /// Appends a value with its length before it, which is -1 for null.
  func append(_ field: SQLField, to bytes: inout [UInt8]) {
    withEncoded(field) { value in
      bytes.append(bigEndian: value.map { Int32(clamping: $0.count) } ?? -1)
      if let value { bytes.append(contentsOf: value) }
    }
  }
}

extension [UInt8] {
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}

struct Parameter {
  let type: UInt32
  /// In the server's binary format; nil for null.
  let encoded: [UInt8]?

  init(_ value: SQLValue) {
    let type: ServerType =
      switch value {
      case .null, .text, .real: .text
      case .integer: .bigint
      case .bytes: .bytea
      }
    // 0: the server infers the type of a null.
    self.type = value == .null ? 0 : type.rawValue
    encoded = value.withField { type.withEncoded($0) { $0.map { Array($0) } } }
  }

  /// The statement casts it.
  init(_ array: ArrayParameter) { (type, encoded) = (0, array.bytes) }
}

/// An array of one dimension, numbered from 1 (`array_recv` of the server).
struct ArrayParameter {
  let type: ServerType
  private(set) var count: Int32 = 0
  private var elements: [UInt8] = []

  init(_ type: ServerType) { self.type = type }
  var length: Int { elements.count }

  mutating func append(_ field: SQLField) {
    count += 1
    type.append(field, to: &elements)
  }

  mutating func removeAll() {
    count = 0
    elements.removeAll(keepingCapacity: true)
  }

  /// The header: dimensions, whether there may be nulls, the type of the elements, their count, and the first index.
  var bytes: [UInt8] {
    var head: [UInt8] = []
    for number in [1, 1, Int32(type.rawValue), count, 1] { head.append(bigEndian: number) }
    return head + elements
  }
}
