import APNsWire
import Basics

/// Reads the members of a line: those of an object in valid JSON, or of values as programs print them
/// (docs/spec/provider-logs.md#members): `key=value`, and objects of Ruby, Python, JavaScript, Go, Java, PHP and Rust.
struct MemberReader {
  private let line: UnsafeRawPointer
  private var next: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let names: LogNames
  private let cache: LogNameCache
  private let isJSON: Bool
  /// Whether times without a name count: in lists.
  private let findsTimes: Bool
  /// The number of top-level members read so far.
  private var members = 0
  /// The depth of the current object, from 0, and its number: 0 at the top, and the greatest for deeper ones.
  private var depth = 0
  private var container: UInt8 = 0
  /// The names of the enclosing objects; only for mapped paths.
  private var parents = InlineArray<4, LogName?>(repeating: nil)
  /// The number of nested objects read so far.
  private var containers: UInt8 = 0
  /// How many brackets without a name are open.
  private var unnamed = 0
  /// The last words without a name: a reason and a number, and the index after each.
  private var bareReason: (value: LogValue, end: UnsafeRawPointer)?
  private var bareNumber: (value: LogValue, end: UnsafeRawPointer)?

  private(set) var values = LogValues()
  private(set) var elements: [Element] = []
  /// Whether brackets are left open, or closed that were not opened.
  private(set) var isCut = false

  /// The greatest depth of known names, and of brackets without a name.
  private static let deepest = 2
  private static let deepestUnnamed = 16

  /// An element of an array that may be a push.
  struct Element {
    var range: Range<Int>
    /// Whether its list is one of accepted (true) or failed (false) pushes; nil for other lists.
    var isAccepted: Bool?
  }

  /// - Parameter range: range of an object or array with its brackets, if it is JSON, which must be valid; else of any text.
  init(_ line: UnsafeRawPointer, _ range: Range<Int>, of decoder: LogDecoder, isJSON: Bool) {
    self.line = line
    next = line + range.lowerBound
    end = line + range.upperBound
    (names, cache, self.isJSON) = (decoder.names, decoder.cache, isJSON)
    findsTimes = decoder.options.kind == .reports
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
  private mutating func readValue(of key: LogValue) {
    let meaning = meaning(of: key)
    switch byte {
    case UInt8(ascii: "\"") where isJSON:
      put(quoted() ?? LogValue(), meaning)
    case UInt8(ascii: "{"):
      readStructure(of: key, meaning)
    case UInt8(ascii: "["):
      if let meaning, meaning.field == .list || meaning.field == .text, depth <= Self.deepest {
        return readList(isAccepted: name(key)?.acceptance)
      }
      let start = next
      skipStructure()
      put(LogValue(.structure, start - line, next - line), meaning)
    case UInt8(ascii: "n") where isJSON:
      next += 4
      if let meaning { values.note(meaning.field) }
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
  private mutating func put(_ value: LogValue, _ meaning: LogNames.Meaning?, isBare: Bool = false) {
    guard let meaning, meaning.field != .list, meaning.field != .payload else { return }
    guard value.count > 0, value.kind != .absent else { return values.note(meaning.field) }
    var value = value
    (value.container, value.depth) = (container, isBare ? 0 : UInt8(truncatingIfNeeded: depth))
    values.put(value, for: meaning, in: line)
  }

  private func name(_ key: LogValue) -> LogName? { LogName(key.bytes(in: line)) }

  @inline(__always)
  private mutating func meaning(of key: LogValue) -> LogNames.Meaning? {
    let start = line + Int(key.start)
    if depth == 0, members < 16, key.count <= 16, end - start >= 16 {
      members &+= 1
      return cache.find(start, count: Int(key.count), ordinal: members &- 1, in: names)
    }
    return name(key).flatMap { meaning(of: $0) }
  }

  /// The field of a member: by a known name at depth 0 to 2, by a mapped path at any depth.
  private func meaning(of name: LogName) -> LogNames.Meaning? {
    if depth > 0, !names.paths.isEmpty {
      for path in names.paths where path.names.count == depth &+ 1 && path.names[depth] == name {
        if (0..<depth).allSatisfy({ parents[$0] == path.names[$0] }) { return path.meaning }
      }
    }
    guard depth <= Self.deepest, let meaning = names.meaning(of: name) else { return nil }
    // A mapped name without a path names only a top-level member.
    return depth >= 1 && meaning.rank == LogNames.mappedRank ? nil : meaning
  }

  private mutating func readList(isAccepted: Bool?) {
    next += 1
    while next < end {
      skipSpace()
      switch byte {
      case UInt8(ascii: "]"), UInt8(ascii: ")"):
        next += 1
        return
      case UInt8(ascii: "{"): readElement(isAccepted: isAccepted)
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

  private mutating func readElement(isAccepted: Bool?) {
    let start = next - line
    skipStructure()
    elements.append(Element(range: start..<next - line, isAccepted: isAccepted))
  }

  // MARK: - Printed values

  /// Reads members between other text, up to the bracket that closes the structure.
  private mutating func readText() {
    while next < end {
      switch byte {
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
        next += 1
        if depth > 0 || unnamed > 0 { return }
      case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
        readUnnamed()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let key = quoted() else {
          next += 1
          continue
        }
        readMember(key)
      case UInt8(ascii: "<"):
        let value = angled()
        if value.count >= Self.tokenDigits { putBare(.token, value) }
      case _ where findsTimes && byte &- UInt8(ascii: "0") < 10 && readTime(): break
      case _ where LogText.isWord(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@"):
        readMember(key())
      case 0x1b: skipSpace()
      default: next += 1
      }
    }
    if depth > 0 || unnamed > 0 { isCut = true }
  }

  // MARK: - Words without a name

  /// The number of hex digits of a token of 32 bytes; shorter ones may be other ids.
  private static let tokenDigits = 64

  /// Takes a word that says what it is: a token, a reason of the service, the status beside it, or, after it in a tuple, the
  /// time of the invalidation.
  private mutating func readBare(_ word: LogValue) {
    let (text, start) = (word.bytes(in: line), line + Int(word.start))
    if text.count >= Self.tokenDigits {
      if text.allSatisfy({ Hex.value(ofDigit: $0) != nil }) { putBare(.token, word) }
    } else if LogText(text).digits == text.count {
      if text.count == 3, let reason = bareReason, isBeside(reason.end, start) {
        putBare(.status, word)
      }
      if text.count == 13, unnamed > 0 || values.names(.status), let reason = bareReason,
        isBeside(reason.end, start)
      {
        putBare(.invalidation, word)
      }
      bareNumber = (word, next)
    } else if let first = text.first, first &- UInt8(ascii: "A") < 26 {
      readReason(word, text)
    }
  }

  private mutating func readReason(_ word: LogValue, _ text: UnsafeRawBufferPointer) {
    if PushReason.status(of: 0..<text.count, in: text.bytes) != nil {
      putBare(.reason, word)
      bareReason = (word, next)
      if let number = bareNumber, number.value.count == 3, isBeside(number.end, line + Int(word.start)) {
        putBare(.status, number.value)
      }
    } else if LogText(text).isWhole("Success") {
      putBare(.reason, word)
    }
  }

  /// Takes a time without a name.
  private mutating func readTime() -> Bool {
    let rest = text(next, to: end)
    let digits = LogText(rest).digits
    guard let length = digits == 10 || digits == 13 ? digits : LogTimes.end(in: rest),
      length == rest.count || !LogText.isWord(rest[length])
    else { return false }
    putBare(.invalidation, LogValue(.text, next - line, next + length - line))
    next += length
    return true
  }

  /// Whether only marks are between two words.
  private func isBeside(_ end: UnsafeRawPointer, _ start: UnsafeRawPointer) -> Bool {
    start >= end && start - end <= 4
      && !UnsafeRawBufferPointer(start: end, count: start - end).contains(where: LogText.isWord)
  }

  private mutating func putBare(_ field: LogField, _ value: LogValue) {
    put(value, LogNames.Meaning(field: field, rank: LogNames.bareRank), isBare: true)
  }

  /// Reads a bracket without a name: a list of objects, a key of PHP (`[key] =>`), or members like those around it.
  private mutating func readUnnamed() {
    let start = next
    if byte == UInt8(ascii: "[") {
      if let key = keyOfPHP() { return readMember(key) }
      next += 1
      skipSpace()
      let isList = byte == UInt8(ascii: "{")
      next = start
      if isList { return readList(isAccepted: nil) }
    }
    guard unnamed < Self.deepestUnnamed else { return skipStructure() }
    next += 1
    unnamed &+= 1
    readText()
    unnamed &-= 1
  }

  /// The key of `[key] =>`, which may have the class of the object after it; nil, and nothing is read, for another bracket.
  private mutating func keyOfPHP() -> LogValue? {
    let start = next
    next += byte(1) == UInt8(ascii: "\"") ? 2 : 1
    let key = key()
    while next < end, byte != UInt8(ascii: "]"), next - start < 120 { next += 1 }
    next = min(next + 1, end)
    let after = next
    skipSpace()
    let isKey = byte == UInt8(ascii: "=") && byte(1) == UInt8(ascii: ">")
    next = isKey ? after : start
    return isKey ? key : nil
  }

  /// Reads an element of an array of PHP, whose key is a number.
  private mutating func readElementOfPHP() {
    while next < end, LogText.isWord(byte) || byte == 0x5c || byte <= 0x20 || byte == UInt8(ascii: "#") {
      next += 1
      if byte == UInt8(ascii: "("), byte(1) &- UInt8(ascii: "0") < 10 {
        while next < end, byte != UInt8(ascii: ")") { next += 1 }
        next += 1
      }
    }
    if ByteSet.openings.contains(byte) { readElement(isAccepted: nil) }
  }

  /// Reads what follows a word: the value, if a separator comes first.
  private mutating func readMember(_ key: LogValue) {
    let after = next
    skipSpace()
    switch byte {
    case UInt8(ascii: "="):
      let isArrow = byte(1) == UInt8(ascii: ">")
      next += isArrow ? 2 : 1
      if isArrow, unnamed > 0, LogText(key.bytes(in: line)).digits == Int(key.count) {
        return readElementOfPHP()
      }
    // Not of `a::b`, nor of `https://`.
    case UInt8(ascii: ":") where byte(1) != UInt8(ascii: ":") && byte(1) != UInt8(ascii: "/"):
      next += 1
      skipSpace()
      if key.count < Self.tokenDigits,
        isMember() || meaning(of: key) == nil && LogText.isWord(byte)
      {
        return
      }
    default:
      next = max(after, line + Int(key.start) + 1)
      return readWord(key)
    }
    if key.count >= Self.tokenDigits, readTokenKey(key) { return }
    skipSpace()
    skipTypeName()
    readValue(of: key)
  }

  /// Reads a word without a separator after it: a blank is one between `status` and its number.
  private mutating func readWord(_ word: LogValue) {
    let after = next
    skipSpace()
    guard byte &- UInt8(ascii: "0") < 10, let meaning = meaning(of: word), meaning.field == .status else {
      next = after
      return readBare(word)
    }
    let value = key()
    if value.count == 3, LogText(value.bytes(in: line)).digits == 3 {
      put(value, meaning, isBare: true)
    } else {
      next = after
    }
  }

  /// Reads a token whose value is its result, as in a dictionary of PyAPNs2, as an element.
  private mutating func readTokenKey(_ key: LogValue) -> Bool {
    guard key.bytes(in: line).allSatisfy({ Hex.value(ofDigit: $0) != nil }) else { return false }
    // With the quote before it, if it has one.
    let quoted =
      Int(key.start) > 0 && ByteSet.quotes.contains((line + Int(key.start) - 1).load(as: UInt8.self))
    let start = Int(key.start) - (quoted ? 1 : 0)
    guard unnamed > 0 || isJSON, skipResult() else {
      let outer = container
      container = 0
      readBare(key)
      container = outer
      return true
    }
    elements.append(Element(range: start..<next - line, isAccepted: nil))
    return true
  }

  /// Skips the result of a token: a structure, a text in quotes, or a time. Returns false for anything else.
  private mutating func skipResult() -> Bool {
    if ByteSet.openings.contains(byte) {
      skipStructure()
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      return quoted() != nil
    } else if findsTimes, let length = LogTimes.end(in: text(next, to: end)) {
      next += length
    } else {
      return false
    }
    return true
  }

  /// A text in `<` and `>`, or the byte.
  private mutating func angled() -> LogValue {
    let start = next
    next += 1
    while next < end, Hex.value(ofDigit: byte) != nil || byte == 0x20 { next += 1 }
    guard byte == UInt8(ascii: ">") else {
      next = start + 1
      return LogValue(.text, start - line, start - line)
    }
    next += 1
    return LogValue(.text, start - line, next - line)
  }

  /// Whether another member follows, as in `error: token=…` or `Reason: ApnsID:…`; the equals signs at the end of base64 are
  /// none.
  private mutating func isMember() -> Bool {
    let start = next
    defer { next = start }
    let key = key()
    guard key.count > 0, byte(1) > 0x20, byte(1) != UInt8(ascii: "="), !ByteSet.ends.contains(byte(1)) else {
      return false
    }
    return byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") && meaning(of: key) != nil
  }

  /// Skips what is before the bracket or quote of a value: `&Response{`, `ErrorBody {`, `@"`, `b'`; and `Some(`,
  /// whose closing bracket ends the value.
  private mutating func skipTypeName() {
    let start = next
    while LogText.isWord(byte) || [0x26, 0x23, 0x40, 0x2e, 0x3a, 0x2a].contains(byte) { next += 1 }
    let isOptional = ["Some", "Optional", "int"].contains { LogText(text(start)).isWhole($0) }
    if LogText(text(start)).isWhole("string"), byte == UInt8(ascii: "(") {
      while next < end, byte != UInt8(ascii: "\"") { next += 1 }
      return
    }
    if isOptional, byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") {
      next += 1
      skipSpace()
      return skipTypeName()
    }
    let isNamed = next > start
    if isNamed, byte == 0x20, byte(1) == UInt8(ascii: "{") { next += 1 }
    let isQuote = next - start == 1 && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"))
    if byte == UInt8(ascii: "{") || isQuote || isNamed && byte == UInt8(ascii: "[") { return }
    next = start
  }

  /// A word that may be a name, with `:` before it as Ruby's symbols have it.
  private mutating func key() -> LogValue {
    if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@") { next += 1 }
    let start = next
    while LogText.isWord(byte)
      || (byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")) && LogText.isWord(byte(1))
    { next += 1 }
    return LogValue(.text, start - line, next - line)
  }

  /// A value without quotes. One of a time may have blanks.
  private mutating func word(of field: LogField?) -> LogValue {
    let start = next
    if ByteSet.quotes.contains(byte), let value = quoted() { return value }
    if byte == UInt8(ascii: "<") {
      while next < end, byte != UInt8(ascii: ">") { next += 1 }
      if next < end { next += 1 }
      let value = LogValue(.text, start - line, next - line)
      return LogText(text(start)).isNothing ? LogValue() : value
    }
    if field?.isTime == true, let end = LogTimes.end(in: text(start, to: end)) {
      next += end
    } else {
      while next < end, byte > 0x20, !ByteSet.ends.contains(byte) { next += 1 }
      while next > start, (next - 1).load(as: UInt8.self) == UInt8(ascii: ".") { next -= 1 }
    }
    let found = LogText(text(start))
    if found.isNothing { return LogValue() }
    let kind: LogValue.ValueKind =
      found.isWhole("true") || found.isWhole("True")
      ? .yes
      : found.isWhole("false") || found.isWhole("False")
        ? .no : found.number(at: 0) != nil && found.digits == found.bytes.count ? .number : .text
    return LogValue(kind, start - line, next - line)
  }

  /// A text in quotes of any kind; nil if they are not closed in its line, or are an apostrophe.
  @inline(__always)
  private mutating func quoted() -> LogValue? {
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

  private func text(_ start: UnsafeRawPointer, to end: UnsafeRawPointer? = nil) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: (end ?? next) - start)
  }

  // MARK: - Bytes

  /// 0 at the end.
  @inline(__always)
  private var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

  private func byte(_ distance: Int) -> UInt8 {
    end - next > distance ? next.load(fromByteOffset: distance, as: UInt8.self) : 0
  }

  /// Skips white space, and what colours text on a terminal.
  @inline(__always)
  private mutating func skipSpace() {
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
  private mutating func skipStructure() {
    if case .closed(let length) = StructureScan.read(text(next, to: end)) {
      next += length
    } else {
      next = end
      isCut = true
    }
  }
}
