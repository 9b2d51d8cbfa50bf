import WireBytes

/// A value of a line, as the line has it.
struct LogValue: BitwiseCopyable {
  enum Kind: UInt8 {
    case absent
    case text
    /// With escapes of JSON.
    case escapedText
    /// With doubled quotes, as in CSV.
    case quotedText
    case number
    case yes, no
    /// An object or an array.
    case structure
  }

  /// Offset in the line, and number of bytes; without quotes.
  var start: Int32 = 0
  var count: Int32 = 0
  var kind = Kind.absent
  var rank: UInt8 = 0
  /// The object that it is a member of: 0 for the line's own.
  var container: UInt8 = 0

  init() {}

  init(_ kind: Kind, _ start: Int, _ end: Int) {
    self.kind = kind
    self.start = Int32(truncatingIfNeeded: start)
    count = Int32(truncatingIfNeeded: end &- start)
  }

  var range: Range<Int> { Int(start)..<Int(start) &+ Int(count) }

  /// Of two values, the one with the higher weight counts: by its name, then that of the line's own object.
  var weight: UInt8 { rank &<< 1 | (container == 0 ? 1 : 0) }

  var isText: Bool { kind == .text || kind == .escapedText || kind == .quotedText }
}

/// The values of a push's fields in a line, the best one of each.
struct LogValues {
  private var values = InlineArray<20, LogValue>(repeating: LogValue())
  /// The fields that have a name in the line, with or without a value.
  private var names: UInt32 = 0
  /// A second value that is as good as the first one, and different.
  private(set) var conflict: (field: LogField, value: LogValue)?

  @inline(__always)
  subscript(field: LogField) -> LogValue { values[Int(field.rawValue)] }

  func names(_ field: LogField) -> Bool { names & 1 &<< UInt32(field.rawValue) != 0 }

  /// Takes a member whose value is null or empty.
  mutating func note(_ field: LogField) { names |= 1 &<< UInt32(field.rawValue) }

  /// Takes a value, if it is better than the one before it.
  @inline(__always)
  mutating func put(_ value: consuming LogValue, for meaning: LogNames.Meaning, in line: UnsafeRawPointer) {
    var field = meaning.field
    note(field)
    value.rank = meaning.rank
    switch field {
    case .status where value.kind != .number && !Self.isNumeric(value, in: line):
      // `status` may be a word; a number says more.
      value.rank = meaning.rank == LogNames.mappedRank ? meaning.rank : 0
    case .token, .reason:
      // `error` and `device` may be objects.
      if !value.isText, meaning.rank == 1 { return }
    case .timestamp where value.container > 0: field = .nestedTimestamp
    default: break
    }
    let known = values[Int(field.rawValue)]
    if known.kind == .absent || value.weight > known.weight || known.kind == .structure && value.isText
      || field == .reason && !known.isText && value.isText
    {
      values[Int(field.rawValue)] = value
      if field == conflict?.field { conflict = nil }
    } else if value.weight == known.weight, conflict == nil, Self.decisive.contains(field),
      !Self.areEqual(value, known, in: line)
    {
      conflict = (field, value)
    }
  }

  /// Fields of which two different values are worse than none.
  private static let decisive: [LogField] = [.token, .status, .reason, .invalidation, .timestamp]

  private static func areEqual(_ value: LogValue, _ other: LogValue, in line: UnsafeRawPointer) -> Bool {
    guard value.count == other.count else { return false }
    return UnsafeRawBufferPointer(start: line + Int(value.start), count: Int(value.count))
      .elementsEqual(UnsafeRawBufferPointer(start: line + Int(other.start), count: Int(other.count)))
  }

  private static func isNumeric(_ value: LogValue, in line: UnsafeRawPointer) -> Bool {
    value.isText && value.count > 0
      && line.load(fromByteOffset: Int(value.start), as: UInt8.self) &- UInt8(ascii: "0") < 10
  }
}
