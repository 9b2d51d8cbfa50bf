import Basics

/// Text that shows bytes in a form which cannot be read for sure: it is refused by name.
enum UnreadableDump {
  private static let packets = Recognition.foreign(
    kind: "a hex dump of packets, with their headers",
    remedy: "use the capture itself, as tcpdump -w and Wireshark save it; text2pcap may make one of the text")
  private static let words = Recognition.foreign(
    kind: "a dump that does not show bytes in hex, but words in an unknown order, other digits or "
      + "characters (as od, hexdump without -C, xxd -e and xxd -b do)",
    remedy: "use xxd, hexdump -C or od -A x -t x1, which print bytes")
  private static let carriageReturns = Recognition.foreign(
    kind: "text whose lines end in carriage returns alone", remedy: #"convert it: tr '\r' '\n' < FILE"#)
  private static let decimals = Recognition.foreign(
    kind: "a list of bytes as decimal numbers", remedy: printHex)
  private static let escapes = Recognition.foreign(
    kind: "a text with escapes for bytes, such as \\x00 or \\000", remedy: printHex)
  private static let printHex: Message = "print the bytes in hex, such as with Python's bytes.hex()"
  static let tokens = Recognition.foreign(
    kind: "a text with tokens, of which nothing says that they are invalid",
    remedy: "--from feedback-list reads tokens with the times at which they became invalid (--map "
      + "token=NAME,time=NAME names columns), store import those in use")
  private static let unknown = Recognition.foreign(
    kind: "hex digits in an unknown form", remedy: "remove what is no hex digit, or use --from hex")

  /// What a text is that could be read as plain hex although it is none; nil if it is not such a text.
  /// - Parameters:
  ///   - proof: what its offsets prove.
  ///   - hasRecords: whether the bytes of plain hex have known content.
  static func kind(of head: TextHead, _ proof: OffsetProof.ProvedLayout?, hasRecords: () -> Bool)
    -> Recognition?
  {
    let lines = head.wholeLines
    if proof == .packets || lines.contains(where: isTcpdump) { return packets }
    if proof == .words || zip(lines, lines.dropFirst()).contains(where: areRows) { return words }
    if !lines.isEmpty, lines.allSatisfy(isWords), !hasRecords() { return words }
    if isDecimal(head.bytes.span.bytes, othersAllowed: 0) { return decimals }
    return head.hasReturnsAlone && !head.isBase64 ? carriageReturns : nil
  }

  /// What a text is that has no known form; nil if it does not show bytes.
  static func kind(ofUnknown head: TextHead) -> Recognition? {
    guard head.isText else { return nil }
    let digits = head.count(isDigit)
    let backslashes = head.count { $0 == UInt8(ascii: "\\") }
    let others = head.count { !ASCII.isWhiteSpace($0) } - digits - backslashes
    if isDecimal(head.bytes.span.bytes, othersAllowed: 8) { return decimals }
    if backslashes >= fewestEscapes, backslashes * 8 > digits + others { return escapes }
    guard digits >= fewestDigits, digits > others + backslashes else { return nil }
    let longest = head.bytes.split { !isDigit($0) }.map(\.count).max()
    return longest == fewestDigits ? tokens : unknown
  }

  /// Digits of a tuple with a token of 32 bytes, at least; and escapes for them.
  private static let fewestDigits = 64
  private static let fewestEscapes = 16

  /// `0x0010:  4500 0028`: the lines of tcpdump -x and -X.
  private static func isTcpdump(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.span.bytes
    let start = text.skippingBlanks(from: 0)
    return text.has("0x0000:", at: start)
      && Digits.areHexPair(in: text, at: text.skippingBlanks(from: start + 7))
  }

  /// Whether a line begins with an offset of 0, as od and hexdump print it, and the next one continues it.
  private static func areRows(_ line: ArraySlice<UInt8>, _ next: ArraySlice<UInt8>) -> Bool {
    let zeros = line.prefix { $0 == UInt8(ascii: "0") }.count
    guard (6...8).contains(zeros), let mark = line.dropFirst(zeros).first, !ASCII.isWordCharacter(mark) else {
      return false
    }
    return OffsetBase.allCases.contains { base in
      base.read(next.span.bytes, from: 0).map { (1...64).contains($0.value) } == true
    }
  }

  /// Whether a line, indented, has groups of 4, 6, 8 or 16 digits alone, as od prints them without offsets.
  private static func isWords(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(whereSeparator: ASCII.isBlank)
    guard let length = words.first?.count, line.first.map(ASCII.isBlank) == true else { return false }
    return [4, 6, 8, 16].contains(length) && words.allSatisfy { $0.count == length && $0.allSatisfy(isDigit) }
  }

  private static func isDigit(_ character: UInt8) -> Bool { Digits.hex[Int(character)] != Digits.isInvalid }

  /// Whether it has decimal numbers of bytes, some of one or three digits, and hardly other words.
  private static func isDecimal(_ head: RawSpan, othersAllowed: Int) -> Bool {
    var (numbers, odd, others) = (0, 0, 0)
    var start = head.skippingMarks(from: 0)
    while start < head.byteCount, others <= othersAllowed {
      let end = head.wordEnd(from: start)
      let isNumber = head.number(at: start).map { $0.end == end && $0.value < 256 } == true
      if isNumber { numbers += 1 } else { others += 1 }
      if isNumber, (end - start) % 2 == 1 { odd += 1 }
      start = head.skippingMarks(from: end)
    }
    return others <= othersAllowed && numbers >= 32 && odd * 4 > numbers
  }
}
