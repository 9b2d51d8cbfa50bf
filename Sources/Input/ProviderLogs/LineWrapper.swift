/// What a container, syslog or journald writes around each line of a program: an object of JSON that has the line as its
/// text, or a time and names before it (docs/spec/provider-logs.md#wrapped-lines).
struct LineWrapper {
  private typealias Text = Slice<UnsafeRawBufferPointer>

  /// The texts before and after the first line.
  private let before, after: Slice<UnsafeRawBufferPointer>
  private let isObject: Bool

  /// - Parameter inner: the text in `first`, if that is an object of JSON; else the next line shows where the text begins.
  init?(_ first: Slice<UnsafeRawBufferPointer>, next: Slice<UnsafeRawBufferPointer>, inner: LogValue?) {
    isObject = inner != nil
    let start = inner?.range.lowerBound ?? Self.common(first, next, isObject: false).first
    (before, after) = (first[..<start], first[(inner?.range.upperBound ?? first.endIndex)...])
    if before.allSatisfy({ $0 <= 0x20 }) { return nil }
  }

  /// What it wraps in a line; nil if the line has another wrapper.
  /// - Parameter inner: the text in `line`, if that is an object of JSON.
  func unwrap(_ line: Slice<UnsafeRawBufferPointer>, inner: LogValue?) -> LogValue? {
    guard isObject else {
      let common = Self.common(before, line, isObject: false)
      return common.first == before.endIndex ? LogValue(.text, common.second, line.endIndex) : nil
    }
    guard let inner, Self.isSame(before, line[..<inner.range.lowerBound]),
      Self.isSame(after, line[inner.range.upperBound...])
    else { return nil }
    return inner
  }

  private static func isSame(_ text: Text, _ other: Text) -> Bool {
    common(text, other, isObject: true) == (text.endIndex, other.endIndex)
  }

  /// Where the equal words end, or members of an object, with which two texts begin, with the separator after each.
  private static func common(_ text: Text, _ other: Text, isObject: Bool) -> (first: Int, second: Int) {
    let separates = { (byte: UInt8) in isObject ? byte == UInt8(ascii: ",") : byte <= 0x20 }
    var (first, second) = (text.startIndex, other.startIndex)
    while first < text.endIndex {
      let end = text[first...].firstIndex(where: separates) ?? text.endIndex
      let otherEnd = other[second...].firstIndex(where: separates) ?? other.endIndex
      guard isSameWord(text[first..<end], other[second..<otherEnd]) else { break }
      (first, second) = (min(end &+ 1, text.endIndex), min(otherEnd &+ 1, other.endIndex))
    }
    return (first, second)
  }

  /// Whether words are equal, but for the digits of times, and for what journald numbers (`"__CURSOR":`).
  private static func isSameWord(_ word: Text, _ other: Text) -> Bool {
    if word.elementsEqual(other) { return true }
    let isNumbered = { (word: Text) in word.drop { " {".utf8.contains($0) }.starts(with: "\"__".utf8) }
    if isNumbered(word), isNumbered(other) { return true }
    let isNoDigit = { (byte: UInt8) in byte &- UInt8(ascii: "0") >= 10 && byte != UInt8(ascii: ".") }
    return isTime(word) && isTime(other) && word.filter(isNoDigit) == other.filter(isNoDigit)
  }

  /// Whether a word has hours and minutes, or 9 digits of seconds since 1970.
  private static func isTime(_ word: Text) -> Bool {
    let isDigit = { (byte: UInt8) in byte &- UInt8(ascii: "0") < 10 }
    return zip(word, word.dropFirst()).contains { isDigit($0) && $1 == UInt8(ascii: ":") }
      || word.split { !isDigit($0) }.contains { $0.count >= 9 }
  }
}
