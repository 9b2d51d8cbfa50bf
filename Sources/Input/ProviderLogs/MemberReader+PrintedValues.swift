import APNsWire
import Basics

/// Members as programs print them: `key=value`, objects of Ruby, Python, JavaScript, Go, Java, PHP and Rust, and words
/// without a name (docs/spec/provider-logs.md#members).
extension MemberReader {
  /// Reads members between other text, up to the bracket that closes the structure.
  mutating func readText() {
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
      case _ where takesBareTimes && byte &- UInt8(ascii: "0") < 10 && readTime(): break
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
  static let tokenDigits = 64

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
      if !isArrow, next - 1 == after, isEmptyValue() { return put(LogValue(), meaning(of: key)) }
    // Not of `a::b`, nor of `https://`.
    case UInt8(ascii: ":") where byte(1) != UInt8(ascii: ":") && byte(1) != UInt8(ascii: "/"):
      next += 1
      skipSpace()
      if key.count < Self.tokenDigits, isMember() || isHeading(key) { return }
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
  mutating func readTokenKey(_ key: LogValue) -> Bool {
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

  /// Whether the equals sign before has no value, as the first of `reason= status=200`.
  private mutating func isEmptyValue() -> Bool {
    guard byte <= 0x20 else { return false }
    let start = next
    defer { next = start }
    skipSpace()
    let key = key()
    // Longer words may be base64.
    return 1...32 ~= key.count && byte == UInt8(ascii: "=") && byte(1) != UInt8(ascii: "=")
  }

  /// Whether the word after a key and its colon counts for itself, as in `push failed: Unregistered (410)`.
  private mutating func isHeading(_ key: LogValue) -> Bool {
    guard LogText.isWord(byte) else { return false }
    guard let field = meaning(of: key)?.field else { return true }
    let start = next
    defer { next = start }
    let word = self.key().bytes(in: line)
    let isToken = word.count >= Self.tokenDigits && word.allSatisfy { Hex.value(ofDigit: $0) != nil }
    return switch field {
    case .list, .text, .success:
      isToken || PushReason.status(of: 0..<word.count, in: word.bytes) != nil
        || field == .list && LogText(word).digits == word.count
    case .reason: isToken
    default: false
    }
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
  mutating func key() -> LogValue {
    if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@") { next += 1 }
    let start = next
    while LogText.isWord(byte)
      || (byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")) && LogText.isWord(byte(1))
    { next += 1 }
    return LogValue(.text, start - line, next - line)
  }

  /// A value without quotes. One of a time may have blanks.
  mutating func word(of field: LogField?) -> LogValue {
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
}
