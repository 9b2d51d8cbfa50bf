import Basics

/// The fields of a push that members and columns have: their names are in names.txt.
enum LogField: UInt8, CaseIterable {
  case token, status, reason
  /// When the token became invalid, by an unambiguous name.
  case invalidation
  /// Named `timestamp`: the same, or the log time of the line (docs/spec/provider-logs.md#times).
  case timestamp
  /// Likewise in a nested object.
  case nestedTimestamp
  /// When the line was written.
  case lineTime
  case apnsID, uniqueID, topic, pushType, priority, expiration, collapseID, payloadLength
  /// Whether the push was accepted.
  case success
  /// The kind of a line; gorush writes `succeeded-push` and `failed-push`.
  case kind
  /// A request path or URL.
  case path
  /// A log level or logger name: the line comes from a general logger.
  case logMark
  /// An array of pushes.
  case list
  /// What was sent: its members are not those of the answer.
  case payload
  /// A line of another program.
  case text
  /// What apnsift writes beside the token and time of a feedback tuple.
  case flags, tokenLength, origin
  /// When a token was used.
  case use

  var isTime: Bool { [.invalidation, .timestamp, .nestedTimestamp, .lineTime].contains(self) }

  /// What a column with its name says of a header line.
  enum HeaderRole { case token, answer, invalidation, line, detail }

  var inHeader: HeaderRole {
    switch self {
    case .token, .path: .token
    case .status, .reason, .success: .answer
    case .invalidation: .invalidation
    case .text: .line
    case .timestamp, .nestedTimestamp, .lineTime, .apnsID, .uniqueID, .topic, .pushType, .origin, .kind, .use,
      .priority, .expiration, .collapseID, .payloadLength, .logMark, .list, .payload, .flags, .tokenLength:
      .detail
    }
  }
}

/// A normalized name of up to 32 bytes: `deviceToken`, `device_token` and `Device-Token` are equal.
struct LogName: Hashable {
  var words = SIMD4<UInt64>()

  /// Nil for longer names: no known name is that long.
  init?(_ text: UnsafeRawBufferPointer) {
    var index = 0
    for byte in text {
      var letter = byte
      if letter &- UInt8(ascii: "A") < 26 { letter |= 0x20 }
      if letter == UInt8(ascii: "_") || letter == UInt8(ascii: "-") || letter == UInt8(ascii: " ") {
        continue
      }
      guard index < 32 else { return nil }
      words[index &>> 3] |= UInt64(letter) &<< UInt64(8 &* (index & 7))
      index &+= 1
    }
  }

  init?(_ text: String) {
    var text = text
    guard let name = text.withUTF8({ LogName(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = name
  }

  private static let (sent, failed) = (LogName("sent"), LogName("failed"))

  /// Whether it names a list of accepted (true) or of failed (false) pushes.
  var acceptance: Bool? { self == Self.sent ? true : self == Self.failed ? false : nil }

  /// A slot in a table of 256.
  var slot: Int {
    let mixed = (words.x ^ words.y &* 0x9e37_79b9_7f4a_7c15 ^ words.z ^ words.w) &* 0xff51_afd7_ed55_8ccd
    return Int(truncatingIfNeeded: mixed &>> 56)
  }
}

/// User-defined names of fields: `--map token=dev,status=result.code`.
package struct LogMapping: Sendable {
  package static let fields = ["token", "status", "reason", "timestamp", "time", "apns_id", "topic"]
  /// The maximum number of names in a member's path.
  package static let deepest = 4

  /// A field of `fields`, and the path of its member or column.
  package private(set) var paths: [(field: String, path: [String])] = []

  package init() {}

  /// Whether the user says which time of a list is that of the invalidation.
  package var namesTime: Bool { paths.contains { $0.field == "time" || $0.field == "timestamp" } }

  /// Reads `NAME=COLUMN[,NAME=COLUMN...]`, as --map gives it.
  package init(_ text: String) throws(CommandError) {
    var pairs: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      // A column name may contain commas.
      if part.contains("=") || pairs.isEmpty {
        pairs.append(String(part))
      } else {
        pairs[pairs.count - 1] += "," + part
      }
    }
    for pair in pairs {
      guard let equals = pair.firstIndex(of: "=") else {
        throw CommandError("--map has '\(pair)': write NAME=COLUMN, such as token=device")
      }
      let field = String(pair[..<equals])
      let column = String(pair[pair.index(after: equals)...])
      guard Self.fields.contains(field) else {
        throw CommandError(
          "--map has the unknown field '\(field)': known fields are \(Self.fields.joined(separator: ", "))")
      }
      guard !paths.contains(where: { $0.field == field }) else {
        throw CommandError("--map has '\(field)' twice")
      }
      let path = column.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard path.count <= Self.deepest, path.allSatisfy({ !$0.isEmpty && LogName($0) != nil }) else {
        throw CommandError(
          "--map has '\(column)': write a name, or up to \(Self.deepest) names with dots, such as response.status"
        )
      }
      paths.append((field, path))
    }
  }
}

/// The member names of the previous line, in order. Lines of a log usually have the same names.
final class LogNameCache {
  private struct CachedName: BitwiseCopyable {
    var low: UInt64 = 0
    var high: UInt64 = 0
    /// Length of the name as written, in bytes; -1 if the entry is empty.
    var count = -1
    var meaning: LogNames.Meaning?
  }

  @exclusivity(unchecked) private var entries = InlineArray<16, CachedName>(repeating: CachedName())

  /// The meaning of a top-level name of up to 16 bytes at `key`, where 16 bytes must be readable.
  @inline(__always)
  func find(_ key: UnsafeRawPointer, count: Int, ordinal: Int, in names: LogNames) -> LogNames.Meaning? {
    let low = EightBytes(key).word & Self.mask(count)
    let high = EightBytes(key + 8).word & Self.mask(count &- 8)
    let entry = entries[ordinal]
    if entry.count == count, entry.low == low, entry.high == high { return entry.meaning }
    return learn(key, CachedName(low: low, high: high, count: count), ordinal: ordinal, in: names)
  }

  @inline(never)
  private func learn(
    _ key: UnsafeRawPointer, _ name: CachedName, ordinal: Int, in names: LogNames
  ) -> LogNames.Meaning? {
    let text = UnsafeRawBufferPointer(start: key, count: name.count)
    entries[ordinal] = name
    entries[ordinal].meaning = LogName(text).flatMap { names.meaning(of: $0) }
    return entries[ordinal].meaning
  }

  /// A mask of the lowest `count` bytes of a word.
  @inline(__always)
  private static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? .max : count <= 0 ? 0 : (1 &<< UInt64(8 &* count)) &- 1
  }
}

/// The fields of known and of mapped names.
struct LogNames {
  /// A field, and the rank of its name: the member with the highest rank counts.
  struct Meaning: BitwiseCopyable {
    var field: LogField
    var rank: UInt8
    /// Whether times without an offset are of UTC: rpush keeps them so.
    var isUTC = false
  }

  static let mappedRank: UInt8 = 9
  /// The rank of words without a name.
  static let bareRank: UInt8 = 0
  /// The rank of `timestamp_ms`.
  static let exactTimeRank: UInt8 = 3
  /// The rank of `logged_at`.
  static let loggedTimeRank: UInt8 = 2

  private struct KnownName {
    var name: LogName
    var meaning: Meaning
  }

  /// A hash table with open addressing.
  private var table = [KnownName?](repeating: nil, count: 256)
  /// Mapped members of nested objects.
  private(set) var paths: [(names: [LogName], meaning: Meaning)] = []

  init(_ mapping: LogMapping = LogMapping(), of kind: LogOptions.LogContent = .pushes) {
    let fields = Self.mapped(kind)
    var mapped = mapping.paths.compactMap { fields[$0.field] }
    if mapped.contains(.invalidation) { mapped.append(.timestamp) }
    for (name, meaning) in Self.known(of: kind) where !mapped.contains(meaning.field) { add(name, meaning) }
    // A mapping overrides a known name of another field.
    for (name, path) in mapping.paths {
      guard let field = fields[name] else { continue }
      let isUTC = path.last.flatMap { LogName($0) } == LogName(Self.rpushTime)
      let meaning = Meaning(field: field, rank: Self.mappedRank, isUTC: isUTC)
      if path.count == 1 {
        add(path[0], meaning)
      } else {
        paths.append((path.compactMap { LogName($0) }, meaning))
        // The path may also be a single name, such as a column's.
        add(path.joined(separator: "."), meaning)
      }
    }
  }

  private mutating func add(_ text: String, _ meaning: Meaning) {
    guard let name = LogName(text) else { return }
    var slot = name.slot
    while let entry = table[slot], entry.name != name { slot = (slot &+ 1) & 255 }
    table[slot] = KnownName(name: name, meaning: meaning)
  }

  /// Without mapped names.
  static let standard = LogNames()

  func meaning(named text: String) -> Meaning? { LogName(text).flatMap { meaning(of: $0) } }

  @inline(__always)
  func meaning(of name: LogName) -> Meaning? {
    var slot = name.slot
    while let entry = table[slot] {
      if entry.name == name { return entry.meaning }
      slot = (slot &+ 1) & 255
    }
    return nil
  }

  /// Reads the table of names, names.txt.
  private static func known(of kind: LogOptions.LogContent) -> [(name: String, meaning: Meaning)] {
    var (known, isMeant) = ([(name: String, meaning: Meaning)](), false)
    for line in String(decoding: PackageResources.names_txt, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("[") { isMeant = line == "[both]" || line == "[\(kind.rawValue)]" }
      let words = line.split(separator: " ")
      guard isMeant, words.count > 2, let rank = UInt8(words[1]),
        let field = LogField.allCases.first(where: { "\($0)" == words[0] })
      else { continue }
      for name in words.dropFirst(2).map(String.init) {
        known.append((name, Meaning(field: field, rank: rank, isUTC: name == rpushTime)))
      }
    }
    return known
  }

  private static func mapped(_ kind: LogOptions.LogContent) -> [String: LogField] {
    [
      "token": .token, "status": .status, "reason": .reason, "timestamp": .invalidation, "apns_id": .apnsID,
      "topic": .topic, "time": kind == .pushes ? .lineTime : .invalidation,
    ]
  }

  /// When a push failed, or a token was reported by the feedback service, in tables of rpush.
  private static let rpushTime = "failedat"
}
