import APNsWire
import Basics

/// Reads the members of a line: those of an object in valid JSON, here, or of values as programs print them, in the extension
/// (docs/spec/provider-logs.md#members).
struct MemberReader {
  let line: UnsafeRawPointer
  var next: UnsafeRawPointer
  let end: UnsafeRawPointer
  let names: LogNames
  private let cache: LogNameCache
  let isJSON: Bool
  /// Whether values may be times, in lists; and whether times without a name count.
  let (findsTimes, takesBareTimes): (Bool, Bool)
  /// The number of top-level members read so far.
  var members = 0
  /// The depth of the current object, from 0, and its number: 0 at the top, and the greatest for deeper ones.
  var depth = 0
  var container: UInt8 = 0
  /// The names of the enclosing objects; only for mapped paths.
  private var parents = InlineArray<4, LogName?>(repeating: nil)
  /// The number of nested objects read so far.
  private var containers: UInt8 = 0
  /// How many brackets without a name are open.
  var unnamed = 0
  /// The last words without a name: a reason and a number, and the index after each.
  var bareReason: (value: LogValue, end: UnsafeRawPointer)?
  var bareNumber: (value: LogValue, end: UnsafeRawPointer)?

  private(set) var values = LogValues()
  var elements: [Element] = []
  /// Whether brackets are left open, or closed that were not opened.
  var isCut = false
  var mayHavePushes: Bool { values.names(.token) || !elements.isEmpty }

  /// The greatest depth of known names, and of brackets without a name.
  private static let deepest = 3
  static let deepestUnnamed = 16

  /// An element of an array, or a part of a line, that may be a push.
  struct Element {
    var range: Range<Int>
    /// Whether its list is one of accepted (true) or failed (false) pushes; nil for other lists.
    var isAccepted: Bool?
    /// Whether a form reads it.
    var hasForm = false
    /// Why it cannot be read.
    var finding: LogFinding?
  }

  /// - Parameter range: range of an object or array with its brackets, if it is JSON, which must be valid; else of any text.
  init(_ line: UnsafeRawPointer, _ range: Range<Int>, of decoder: LogDecoder, isJSON: Bool) {
    self.line = line
    next = line + range.lowerBound
    end = line + range.upperBound
    (names, cache, self.isJSON) = (decoder.names, decoder.cache, isJSON)
    findsTimes = decoder.options.kind == .reports
    takesBareTimes = findsTimes && !decoder.options.mapping.namesTime
  }

  mutating func read() {
    if !isJSON { return readText() }
    if byte == UInt8(ascii: "[") { return readList(isAccepted: nil) }
    readObject()
  }

  // MARK: - JSON

  private mutating func readObject() {
    next += 1
    guard isJSON else { return readText() }
    while next < end {
      skipSpace()
      switch byte {
      case UInt8(ascii: "}"):
        next += 1
        return
      case UInt8(ascii: ","): next += 1
      default:
        let key = quoted() ?? LogValue()
        skipSpace()
        next += 1
        skipSpace()
        if key.count >= Self.tokenDigits, depth == 0, readTokenKey(key) { continue }
        readValue(of: key)
      }
    }
  }

  @inline(__always)
  mutating func readValue(of key: LogValue) {
    let meaning = meaning(of: key)
    switch byte {
    case UInt8(ascii: "\"") where isJSON:
      put(quoted() ?? LogValue(), meaning)
    case UInt8(ascii: "{"):
      readStructure(of: key, meaning)
    case UInt8(ascii: "["):
      if meaning.map({ $0.field == .list || $0.field == .text }) ?? !findsTimes, depth <= Self.deepest {
        return readList(isAccepted: name(key)?.acceptance)
      }
      let start = next
      skipStructure()
      put(LogValue(.structure, start - line, next - line), meaning)
    case UInt8(ascii: "n") where isJSON:
      next += 4
      if let meaning { values.note(meaning) }
    default: put(isJSON ? plain() : word(of: meaning?.field), meaning)
    }
  }

  private mutating func readStructure(of key: LogValue, _ meaning: LogNames.Meaning?) {
    let start = next
    let isRead = depth < Self.deepest || depth &+ 1 < LogMapping.deepest && !names.paths.isEmpty
    if isRead, meaning?.field != .payload {
      if depth == 0, containers < .max { containers &+= 1 }
      parents[depth] = name(key)
      let outer = container
      (depth, container) = (depth &+ 1, depth == 0 ? containers : .max)
      readObject()
      (depth, container) = (depth &- 1, outer)
    } else {
      skipStructure()
    }
    put(LogValue(.structure, start - line, next - line), meaning)
  }

  @inline(__always)
  mutating func put(_ value: LogValue, _ meaning: LogNames.Meaning?, isBare: Bool = false) {
    guard let meaning, meaning.field != .list, meaning.field != .payload else { return }
    var value = value
    (value.container, value.depth) = (container, isBare ? 0 : UInt8(truncatingIfNeeded: depth))
    values.put(value, for: meaning, in: line)
  }

  func name(_ key: LogValue) -> LogName? { LogName(key.bytes(in: line)) }

  @inline(__always)
  mutating func meaning(of key: LogValue) -> LogNames.Meaning? {
    let start = line + Int(key.start)
    if depth == 0, members < 16, key.count <= 16, end - start >= 16 {
      members &+= 1
      return cache.find(start, count: Int(key.count), ordinal: members &- 1, in: names)
    }
    return name(key).flatMap { meaning(of: $0) }
  }

  /// The field of a member: by a known name at depth 0 to 3, by a mapped path at any depth.
  func meaning(of name: LogName) -> LogNames.Meaning? {
    if depth > 0, !names.paths.isEmpty {
      for path in names.paths where path.names.count == depth &+ 1 && path.names[depth] == name {
        if (0..<depth).allSatisfy({ parents[$0] == path.names[$0] }) { return path.meaning }
      }
    }
    guard depth <= Self.deepest, let meaning = names.meaning(of: name) else { return nil }
    // A mapped name without a path names only a top-level member.
    return depth >= 1 && meaning.rank == LogNames.mappedRank ? nil : meaning
  }

  mutating func readList(isAccepted: Bool?) {
    next += 1
    while next < end {
      skipSpace()
      switch byte {
      case UInt8(ascii: "]"), UInt8(ascii: ")"):
        next += 1
        return
      case UInt8(ascii: "{"): readElement(isAccepted: isAccepted)
      case UInt8(ascii: "[") where unnamed < Self.deepestUnnamed:
        unnamed &+= 1
        readList(isAccepted: isAccepted)
        unnamed &-= 1
      case UInt8(ascii: "["), UInt8(ascii: "("): skipStructure()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let value = quoted() else {
          next += 1
          continue
        }
        // Older versions of node-apn list plain tokens.
        if isAccepted == true { elements.append(Element(range: value.range, isAccepted: isAccepted)) }
      case _ where isJSON && byte != UInt8(ascii: ","): _ = plain()
      default: next += 1
      }
    }
    isCut = true
  }

  mutating func readElement(isAccepted: Bool?) {
    let start = next - line
    skipStructure()
    elements.append(Element(range: start..<next - line, isAccepted: isAccepted))
  }

  /// A text in quotes of any kind; nil if they are not closed in its line, or are an apostrophe.
  @inline(__always)
  mutating func quoted() -> LogValue? {
    let quote = byte
    if quote == UInt8(ascii: "'"), next > line, LogText.isWord((next - 1).load(as: UInt8.self)) { return nil }
    var index = next + 1
    var kind = LogValue.ValueKind.text
    while index < end {
      if end - index >= 8 {
        let block = EightBytes(index)
        let plain = EightBytes.count(
          before: block.marks(of: quote) | block.marks(of: UInt8(ascii: "\\")) | block.marks(of: 0x0a))
        index += plain
        if plain == 8 { continue }
      }
      switch index.load(as: UInt8.self) {
      case quote:
        let value = LogValue(kind, next + 1 - line, index - line)
        next = index + 1
        return value
      case UInt8(ascii: "\\"):
        kind = .escapedText
        index += 2
      case 0x0a: return nil
      default: index += 1
      }
    }
    return nil
  }

  func text(_ start: UnsafeRawPointer, to end: UnsafeRawPointer? = nil) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: (end ?? next) - start)
  }

  // MARK: - Bytes

  /// 0 at the end.
  @inline(__always)
  var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

  func byte(_ distance: Int) -> UInt8 {
    end - next > distance ? next.load(fromByteOffset: distance, as: UInt8.self) : 0
  }

  /// Skips white space, and what colours text on a terminal.
  @inline(__always)
  mutating func skipSpace() {
    while next < end, byte <= 0x20 {
      if byte == 0x1b, byte(1) == UInt8(ascii: "[") {
        while next < end, !LogText.isLetter(byte) { next += 1 }
      }
      next += 1
    }
  }

  /// Reads a number, `true`, `false` or `null`.
  private mutating func plain() -> LogValue {
    let start = next - line
    let first = byte
    while next < end, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"),
      byte != UInt8(ascii: "]")
    { next += 1 }
    let kind: LogValue.ValueKind =
      first == UInt8(ascii: "t")
      ? .yes : first == UInt8(ascii: "f") ? .no : first == UInt8(ascii: "n") ? .absent : .number
    return LogValue(kind, start, next - line)
  }

  /// Skips an object or array, up to its closing bracket.
  mutating func skipStructure() {
    if case .closed(let length) = StructureScan.read(text(next, to: end)) {
      next += length
    } else {
      next = end
      isCut = true
    }
  }
}
