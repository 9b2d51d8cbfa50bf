import WireBytes

/// Reads lines of base64 that hold whole groups of four characters, as YAML exports are wrapped. A group with
/// a character of no such kind is a fault and a gap of 3 bytes.
enum Base64Line {
  static func read(_ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents) {
    var end = text.byteCount
    while end > start, ASCII.isBlank(text.byte(at: end &- 1)) { end &-= 1 }
    var index = start
    while end &- index >= 4 {
      index = wholeGroups(text, from: index, to: end, at: line.fileOffset, into: &events)
      guard end &- index >= 4 else { break }
      lastGroup(text, at: index, isLast: end &- index == 4, of: line, into: &events)
      index &+= 4
    }
    if index < end { cutGroup(text, index..<end, of: line, into: &events) }
  }

  private static func wholeGroups(
    _ text: RawSpan, from start: Int, to end: Int, at lineOffset: Int, into events: inout ExportEvents
  ) -> Int {
    let groups = (end &- start) / 4
    let count = events.text.append(
      upTo: 3 &* groups, at: lineOffset &+ start, spacing: Base64Alphabet.spacing
    ) { bytes in
      var index = start
      for _ in 0..<groups {
        let (bits, marks) = Base64Alphabet.group(in: text, at: index)
        guard marks == 0 else { break }
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        index &+= 4
      }
    }
    return start &+ count / 3 &* 4
  }

  /// A group that is not four characters of the alphabet: padded, or damaged.
  private static func lastGroup(
    _ text: RawSpan, at index: Int, isLast: Bool, of line: ExportLine, into events: inout ExportEvents
  ) {
    let pad = UInt8(ascii: "=")
    let padding =
      text.byte(at: index &+ 3) == pad ? (text.byte(at: index &+ 2) == pad ? 2 : 1) : 0
    if isLast, padding > 0, append(text, at: index, characters: 4 &- padding, of: line, into: &events) {
      return
    }
    var wrong = index
    while wrong < index &+ 3, Base64Alphabet.values[Int(text.byte(at: wrong))] < 64 { wrong &+= 1 }
    events.fault(
      "a character of base64 was expected, and found was \(ASCII.name(text.byte(at: wrong))); the 3 bytes of "
        + "its group are left out", at: line.place(wrong))
    events.text.appendGap(length: 3, at: line.fileOffset &+ index)
  }

  /// Adds the bytes that fewer than four characters fill, one less than there are; false if one of them is
  /// none of base64.
  private static func append(
    _ text: RawSpan, at start: Int, characters: Int, of line: ExportLine, into events: inout ExportEvents
  ) -> Bool {
    var bits: UInt32 = 0
    for index in start..<start &+ characters {
      let value = Base64Alphabet.values[Int(text.byte(at: index))]
      guard value < 64 else { return false }
      bits = bits &<< 6 | UInt32(value)
    }
    bits &<<= UInt32(6 &* (4 &- characters))
    for position in 0..<max(0, characters &- 1) {
      let byte = UInt8(truncatingIfNeeded: bits &>> UInt32(16 &- 8 &* position))
      events.text.append(byte, at: line.fileOffset &+ start &+ position, stride: 1)
    }
    return true
  }

  private static func cutGroup(
    _ text: RawSpan, _ range: Range<Int>, of line: ExportLine, into events: inout ExportEvents
  ) {
    let place = line.place(range.lowerBound)
    if line.isEnd, !line.isTerminated {
      _ = append(text, at: range.lowerBound, characters: range.count, of: line, into: &events)
      events.fault(
        "the text ends within a group of base64: \(range.count) of its 4 characters are there; what is there "
          + "is used", at: place)
    } else {
      events.fault(
        "the line ends within a group of base64: \(range.count) of its 4 characters are there; its 3 bytes are "
          + "left out", at: place)
      events.text.appendGap(length: 3, at: place.fileOffset)
    }
  }
}
