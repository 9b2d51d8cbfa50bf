import Basics

/// A raw value of a line.
struct LogValue: BitwiseCopyable {
  enum ValueKind: UInt8 {
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

  /// Offset in the line and length, in bytes, without quotes.
  var start: Int32 = 0
  var count: Int32 = 0
  var kind = ValueKind.absent
  var rank: UInt8 = 0
  /// The enclosing object: 0 is the top-level object.
  var container: UInt8 = 0
  var depth: UInt8 = 0
  /// Whether it is a time whose writer is known to write UTC.
  var isUTC = false

  init() {}

  init(_ kind: ValueKind, _ start: Int, _ end: Int) {
    self.kind = kind
    self.start = Int32(truncatingIfNeeded: start)
    count = Int32(truncatingIfNeeded: end &- start)
  }

  var range: Range<Int> { Int(start)..<Int(start) &+ Int(count) }

  @inline(__always)
  func bytes(in line: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: line + Int(start), count: Int(count))
  }

  /// The value with the highest weight counts: by rank, then top-level members before nested ones.
  var weight: UInt8 { rank &<< 2 | (3 &- min(depth, 3)) }

  var isScalar: Bool { isText || kind == .number }
  var isText: Bool { kind == .text || kind == .escapedText || kind == .quotedText }
}

/// The values of a line, one for each field.
struct LogValues {
  private var values = InlineArray<26, LogValue>(repeating: LogValue())
  /// The fields that occur in the line, with or without a value.
  private var names: UInt32 = 0
  /// The objects in the line that have a reason, by their numbers; the last bit for all from 63 on.
  private var reasonContainers: UInt64 = 0
  /// For each field a second, different value of equal weight.
  private var conflicts = InlineArray<26, LogValue?>(repeating: nil)

  @inline(__always)
  subscript(field: LogField) -> LogValue { values[Int(field.rawValue)] }

  func names(_ field: LogField) -> Bool { names & 1 &<< UInt32(field.rawValue) != 0 }

  /// The highest rank of a time of invalidation that is null or empty.
  private(set) var unsetTimeRank: UInt8 = 0

  /// Notes a field whose value is null or empty.
  mutating func note(_ meaning: LogNames.Meaning) {
    names |= 1 &<< UInt32(meaning.field.rawValue)
    if meaning.field == .invalidation { unsetTimeRank = max(unsetTimeRank, meaning.rank) }
  }

  /// Keeps a value if its weight is higher than that of the current value; notes one that is empty.
  @inline(__always)
  mutating func put(_ value: consuming LogValue, for meaning: LogNames.Meaning, in line: UnsafeRawPointer) {
    guard value.count > 0, value.kind != .absent else { return note(meaning) }
    let field = value.container > 0 && meaning.field == .timestamp ? .nestedTimestamp : meaning.field
    names |= 1 &<< UInt32(meaning.field.rawValue)
    if field == .reason { reasonContainers |= Self.bit(value.container) }
    value.rank = meaning.rank
    value.isUTC = meaning.isUTC
    // `status` may be a word. A number in another member counts more.
    if field == .status, value.kind != .number, !Self.isNumeric(value, in: line) {
      value.rank = meaning.rank == LogNames.mappedRank ? meaning.rank : 0
    }
    // `error` and `device` may be objects.
    if field == .token || field == .reason, !value.isText, meaning.rank == 1 { return }
    let known = values[Int(field.rawValue)]
    // The time beside a reason is that of the answer.
    if field == .nestedTimestamp, known.kind != .absent,
      hasReason(beside: known) != hasReason(beside: value)
    {
      if hasReason(beside: value) { values[Int(field.rawValue)] = value }
      return
    }
    let excludes = known.kind != .absent && Self.exclude(value, known, field, in: line)
    if known.kind == .absent || value.weight > known.weight || known.kind == .structure && value.isText
      || field == .reason && !known.isText && value.isText
    {
      values[Int(field.rawValue)] = value
      conflicts[Int(field.rawValue)] = excludes ? known : nil
    } else if excludes
      || value.weight == known.weight && Self.decisive.contains(field)
        && (value.count != known.count || !value.bytes(in: line).elementsEqual(known.bytes(in: line)))
    {
      conflicts[Int(field.rawValue)] = value
    }
  }

  /// Whether two values by known names cannot be those of one push: other tokens, or statuses of which an inner one counts.
  @inline(never)
  private static func exclude(
    _ one: LogValue, _ other: LogValue, _ field: LogField, in line: UnsafeRawPointer
  ) -> Bool {
    let ranks = LogNames.bareRank &+ 1..<LogNames.mappedRank
    let (counted, left) = one.weight > other.weight ? (one, other) : (other, one)
    if field == .status, counted.depth < left.depth { return false }
    guard ranks ~= one.rank, ranks ~= other.rank, let first = identity(one, field, in: line),
      let second = identity(other, field, in: line)
    else { return false }
    // Hex may have letters of any case.
    return !first.elementsEqual(second) { $0 | 0x20 == $1 | 0x20 }
  }

  /// A token in hex, that of a path, or a status; nil for other values.
  private static func identity(
    _ value: LogValue, _ field: LogField, in line: UnsafeRawPointer
  ) -> Slice<UnsafeRawBufferPointer>? {
    let text = LogText(value.bytes(in: line))
    switch field {
    case .token where text.bytes.count >= MemberReader.tokenDigits:
      return text.bytes.allSatisfy { Hex.value(ofDigit: $0) != nil } ? text.bytes[...] : nil
    case .path: return text.index(of: "/3/device/").map { text.bytes[text.token(at: $0 &+ 10)] }
    case .status: return text.digits == text.bytes.count && text.status(at: 0) != nil ? text.bytes[...] : nil
    default: return nil
    }
  }

  /// Whether a push is in other objects than a value.
  func areElsewhere(_ value: LogValue) -> Bool {
    let others = [LogField.token, .path, .status].map { self[$0] }
    return value.kind != .absent && !hasReason(beside: value)
      && others.allSatisfy { $0.kind == .absent || $0.container != value.container }
  }

  /// Whether the object of a value has a reason, too.
  func hasReason(beside value: LogValue) -> Bool { reasonContainers & Self.bit(value.container) != 0 }

  private static func bit(_ container: UInt8) -> UInt64 { 1 &<< UInt64(min(container, 63)) }

  /// A second value of a field for which two make the line malformed.
  var conflict: LogValue? {
    for field in conflicts.indices { if let value = conflicts[field] { return value } }
    return nil
  }

  /// Fields for which two different values of equal weight make the line malformed.
  private static let decisive: [LogField] = [
    .token, .status, .reason, .invalidation, .timestamp, .nestedTimestamp, .apnsID,
  ]

  static func isNumeric(_ value: LogValue, in line: UnsafeRawPointer) -> Bool {
    value.isText && value.count > 0 && value.bytes(in: line)[0] &- UInt8(ascii: "0") < 10
  }
}
