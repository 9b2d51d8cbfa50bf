import Basics

/// Text that shows bytes in a form which cannot be read for sure: it is refused by name.
enum UnreadableDump {
  case packets, words, carriageReturns, decimals, escapes, tokens, unknown

  var kind: Message {
    switch self {
    case .packets: "a hex dump of packets, with their headers"
    case .words:
      "a dump that does not show bytes in hex, but words in an unknown order, other digits or characters (as od, "
        + "hexdump without -C, xxd -e and xxd -b do)"
    case .carriageReturns: "text whose lines end in carriage returns alone"
    case .decimals: "a list of bytes as decimal numbers"
    case .escapes: "a text with escapes for bytes, such as \\x00 or \\000"
    case .tokens: "a text with tokens, of which nothing says that they are invalid"
    case .unknown: "hex digits in an unknown form"
    }
  }

  var remedy: Message {
    switch self {
    case .packets:
      "use the capture itself, as tcpdump -w and Wireshark save it; text2pcap may make one of the text"
    case .words: "use xxd, hexdump -C or od -A x -t x1, which print bytes"
    case .carriageReturns: #"convert it: tr '\r' '\n' < FILE"#
    case .decimals, .escapes: "print the bytes in hex, such as with Python's bytes.hex()"
    case .tokens:
      "--from feedback-list reads tokens with the times at which they became invalid (--map token=NAME,time=NAME "
        + "names columns), store import those in use"
    case .unknown: "remove what is no hex digit, or use --from hex"
    }
  }

  /// A text that could be read as plain hex although it is none.
  /// - Parameter hasRecords: whether the bytes of plain hex have known content.
  init?(of head: RawSpan, isWhole: Bool, hasRecords: () -> Bool) {
    guard !head.hasControlCharacters else { return nil }
    let lines = head.lines(isWhole: isWhole)
    let layout = OffsetLayout.learned(from: head, isWhole: isWhole)
    if lines.contains(where: { Self.isTcpdump(head, from: $0.lowerBound) })
      || layout?.isPackets(head, isWhole: isWhole) == true
    {
      self = .packets
    } else if layout?.isDump(head, isWhole: isWhole) == true
      || zip(lines, lines.dropFirst()).contains(where: { Self.areRows(head, $0, $1) })
      || !lines.isEmpty && lines.allSatisfy({ Self.isWords(head, $0) }) && !hasRecords()
    {
      self = .words
    } else if Self.isDecimal(head, othersAllowed: 0) {
      self = .decimals
    } else if Self.hasReturnsAlone(head), !Base64.recognises(head) {
      self = .carriageReturns
    } else {
      return nil
    }
  }

  /// A text of no known form.
  init?(ofUnknown head: RawSpan) {
    guard !head.hasControlCharacters else { return nil }
    var (digits, escapes, others) = (0, 0, 0)
    var (run, longest) = (0, 0)
    for index in 0..<head.byteCount {
      let character = head.byte(at: index)
      let isDigit = Digits.hex[Int(character)] != Digits.isInvalid
      run = isDigit ? run + 1 : 0
      longest = max(longest, run)
      if isDigit {
        digits += 1
      } else if character == UInt8(ascii: "\\") {
        escapes += 1
      } else if !ASCII.isWhiteSpace(character) {
        others += 1
      }
    }
    if Self.isDecimal(head, othersAllowed: 8) {
      self = .decimals
    } else if escapes >= Self.fewestEscapes, escapes * 8 > digits + others {
      self = .escapes
    } else if digits >= Self.fewestDigits, digits > others + escapes {
      self = longest == Self.fewestDigits ? .tokens : .unknown
    } else {
      return nil
    }
  }

  /// Digits of a tuple with a token of 32 bytes, at least; and escapes for them.
  private static let fewestDigits = 64
  private static let fewestEscapes = 16

  /// `0x0010:  4500 0028`: the lines of tcpdump -x and -X.
  private static func isTcpdump(_ head: RawSpan, from start: Int) -> Bool {
    let start = head.skippingBlanks(from: start)
    return head.has("0x0000:", at: start)
      && Digits.areHexPair(in: head, at: head.skippingBlanks(from: start + 7))
  }

  /// Whether a line begins with an offset of 0, as od and hexdump print it, and the next one continues it.
  private static func areRows(_ head: RawSpan, _ line: Range<Int>, _ next: Range<Int>) -> Bool {
    let end = head.wordEnd(from: line.lowerBound)
    guard (6...8).contains(end - line.lowerBound), end < line.upperBound,
      OffsetBase.hexadecimal.read(head, from: line.lowerBound).map({ $0.value == 0 && $0.end == end }) == true
    else { return false }
    return OffsetBase.allCases.contains { base in
      base.read(head, from: next.lowerBound).map { (1...64).contains($0.value) } == true
    }
  }

  /// Whether a line, indented, has groups of 4, 6, 8 or 16 digits alone, as od prints them without offsets.
  private static func isWords(_ head: RawSpan, _ line: Range<Int>) -> Bool {
    var index = head.skippingBlanks(from: line.lowerBound)
    let length = Digits.hexEnd(in: head, from: index, to: line.upperBound) - index
    guard index > line.lowerBound, [4, 6, 8, 16].contains(length) else { return false }
    while index < line.upperBound {
      let end = Digits.hexEnd(in: head, from: index, to: line.upperBound)
      guard end - index == length else { return false }
      index = head.skippingBlanks(from: end)
    }
    return true
  }

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

  private static func hasReturnsAlone(_ head: RawSpan) -> Bool {
    head.newlineIndex(from: 0) == nil
      && (0..<head.byteCount).count { head.byte(at: $0) == ASCII.carriageReturn } > 1
  }
}
