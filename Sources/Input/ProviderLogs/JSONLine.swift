import Basics

/// Reads the members of an object. The text must be valid JSON.
struct JSONLine {
  private let line: UnsafeRawPointer
  private var next: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let names: LogNames
  private let cache: LogNameCache
  /// The number of top-level members read so far.
  private var members = 0
  /// The names of the enclosing objects; only for mapped paths.
  private var parents = InlineArray<4, LogName?>(repeating: nil)
  /// The number of nested objects read so far.
  private var containers: UInt8 = 0

  private static let sent = LogName("sent")
  private static let failed = LogName("failed")

  /// An element of an array that may be a push.
  struct Element {
    var range: Range<Int>
    /// Whether its list is one of accepted (true) or failed (false) pushes; nil for other lists.
    var isAccepted: Bool?
  }

  /// - Parameter range: range of an object or array, brackets included.
  init(_ line: UnsafeRawPointer, _ range: Range<Int>, names: LogNames, cache: LogNameCache) {
    self.line = line
    next = line + range.lowerBound
    end = line + range.upperBound
    self.names = names
    self.cache = cache
  }

  /// Reads the object.
  /// - Parameter elements: receives the elements of its lists.
  mutating func read(into values: inout LogValues, elements: inout [Element]) {
    if byte == UInt8(ascii: "[") { return readList(isAccepted: nil, into: &elements) }
    readObject(depth: 0, container: 0, into: &values, elements: &elements)
  }

  private mutating func readObject(
    depth: Int, container: UInt8, into values: inout LogValues, elements: inout [Element]
  ) {
    next += 1
    while next < end {
      skipSpace()
      switch byte {
      case UInt8(ascii: "}"):
        next += 1
        return
      case UInt8(ascii: ","):
        next += 1
      default:
        readMember(depth: depth, container: container, into: &values, elements: &elements)
      }
    }
  }

  private mutating func readMember(
    depth: Int, container: UInt8, into values: inout LogValues, elements: inout [Element]
  ) {
    let key = string()
    skipSpace()
    next += 1
    skipSpace()
    let meaning = meaning(of: key, depth: depth)
    switch byte {
    case UInt8(ascii: "\""):
      let value = string()
      guard let meaning, meaning.field != .list else { return }
      if value.count == 0 { values.note(meaning.field) } else { put(value, meaning, container, &values) }
    case UInt8(ascii: "{"):
      let start = next
      if depth == 0 || depth &+ 1 < LogMapping.deepest && !names.paths.isEmpty {
        if depth == 0, containers < .max { containers &+= 1 }
        parents[depth] = name(key)
        readObject(
          depth: depth &+ 1, container: depth == 0 ? containers : .max, into: &values, elements: &elements)
      } else {
        skipStructure()
      }
      if let meaning, meaning.field != .list {
        put(LogValue(.structure, start - line, next - line), meaning, container, &values)
      }
    case UInt8(ascii: "["):
      if depth == 0, let meaning, meaning.field == .list {
        return readList(
          isAccepted: name(key) == Self.sent ? true : name(key) == Self.failed ? false : nil, into: &elements)
      }
      let start = next
      skipStructure()
      if let meaning { put(LogValue(.structure, start - line, next - line), meaning, container, &values) }
    case UInt8(ascii: "n"):
      next += 4
      if let meaning { values.note(meaning.field) }
    default:
      let value = plain()
      if let meaning, meaning.field != .list { put(value, meaning, container, &values) }
    }
  }

  @inline(__always)
  private func put(
    _ value: LogValue, _ meaning: LogNames.Meaning, _ container: UInt8, _ values: inout LogValues
  ) {
    var value = value
    value.container = container
    values.put(value, for: meaning, in: line)
  }

  private func name(_ key: LogValue) -> LogName? {
    LogName(UnsafeRawBufferPointer(start: line + Int(key.start), count: Int(key.count)))
  }

  @inline(__always)
  private mutating func meaning(of key: LogValue, depth: Int) -> LogNames.Meaning? {
    let start = line + Int(key.start)
    if depth == 0, members < 16, key.count <= 16, end - start >= 16 {
      members &+= 1
      return cache.find(start, count: Int(key.count), ordinal: members &- 1, in: names)
    }
    return name(key).flatMap { meaning(of: $0, depth: depth) }
  }

  /// The field of a member: by a known name at depth 0 or 1, by a mapped path at any depth.
  private func meaning(of name: LogName, depth: Int) -> LogNames.Meaning? {
    if depth > 0, !names.paths.isEmpty {
      for path in names.paths where path.names.count == depth &+ 1 && path.names[depth] == name {
        if (0..<depth).allSatisfy({ parents[$0] == path.names[$0] }) { return path.meaning }
      }
    }
    guard depth <= 1, let meaning = names.meaning(of: name) else { return nil }
    // A mapped name without a path names only a top-level member.
    return depth == 1 && meaning.rank == LogNames.mappedRank ? nil : meaning
  }

  private mutating func readList(isAccepted: Bool?, into elements: inout [Element]) {
    next += 1
    while next < end {
      skipSpace()
      switch byte {
      case UInt8(ascii: "]"):
        next += 1
        return
      case UInt8(ascii: ","):
        next += 1
      case UInt8(ascii: "{"):
        let start = next - line
        skipStructure()
        elements.append(Element(range: start..<next - line, isAccepted: isAccepted))
      case UInt8(ascii: "["): skipStructure()
      case UInt8(ascii: "\""):
        // Older versions of node-apn list plain tokens.
        let value = string()
        if isAccepted == true {
          elements.append(Element(range: value.range, isAccepted: isAccepted))
        }
      default: _ = plain()
      }
    }
  }

  // MARK: - Tokens

  /// 0 at the end.
  @inline(__always)
  private var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

  @inline(__always)
  private mutating func skipSpace() {
    while next < end, byte <= 0x20 { next += 1 }
  }

  /// Reads a string, from its opening quote on.
  @inline(__always)
  private mutating func string() -> LogValue {
    next += 1
    let start = next - line
    var kind = LogValue.Kind.text
    while next < end {
      if end - next >= 8 {
        let block = EightBytes(next)
        let plain = EightBytes.count(
          before: block.marks(of: UInt8(ascii: "\"")) | block.marks(of: UInt8(ascii: "\\")))
        next += plain
        if plain == 8 { continue }
      }
      switch byte {
      case UInt8(ascii: "\""):
        next += 1
        return LogValue(kind, start, next - 1 - line)
      case UInt8(ascii: "\\"):
        kind = .escapedText
        next += 2
      default: next += 1
      }
    }
    return LogValue(kind, start, end - line)
  }

  /// Reads a number, `true` or `false`.
  private mutating func plain() -> LogValue {
    let start = next - line
    let first = byte
    while next < end, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"),
      byte != UInt8(ascii: "]")
    {
      next += 1
    }
    let kind: LogValue.Kind =
      first == UInt8(ascii: "t")
      ? .yes : first == UInt8(ascii: "f") ? .no : first == UInt8(ascii: "n") ? .absent : .number
    return LogValue(kind, start, next - line)
  }

  /// Skips an object or array.
  private mutating func skipStructure() {
    var depth = 0
    while next < end {
      switch byte {
      case UInt8(ascii: "\""):
        _ = string()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      default: break
      }
      next += 1
      if depth == 0 { return }
    }
  }
}
