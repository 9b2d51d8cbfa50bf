import APNsWire
import Basics
import PacketCapture

/// Judges lines of text with a token as NSData prints it, `<` 8 hex digits 8 times with spaces `>` (docs/spec/text-lines.md).
struct LogTokens {
  enum LineResult {
    case found(JudgedLine)
    case inUse
    /// No time in the line counts.
    case untimed
  }

  /// Bytes of a line before and after the token that are read.
  static let reach = 512
  private static let groups = 8
  private static let groupDigits = 8
  private static let groupStride = groupDigits + 1
  /// Characters between the brackets.
  private static let length = groups * groupStride - 1
  private static let tokenLength = groups * groupDigits / 2

  let tuples: TupleSearch
  let zone: LogZone?

  /// The index of the bracket of a token whose text is at `index`; nil if there is none from `floor` on.
  static func bracket(before index: Int, from floor: Int, in window: UnsafeRawBufferPointer) -> Int? {
    var bracket = index
    while bracket >= max(floor, index &- length &- 1) {
      let byte = window[bracket]
      if byte == UInt8(ascii: "<") { return bracket }
      guard byte == UInt8(ascii: " ") || TextAlphabet.hex[Int(byte)] < 16 else { return nil }
      bracket &-= 1
    }
    return nil
  }

  /// The record of the line with the bracket at `bracket`; nil if that begins no token.
  func record(at bracket: Int, in view: View) throws(NeedsWindow) -> LineResult? {
    try view.check(Self.length &+ 2 &+ Self.reach, from: bracket)
    let window = view.bytes
    let token = bracket &+ 1
    guard tuples.rules.tokenLengths.contains(UInt16(Self.tokenLength)), Self.isToken(at: token, in: window),
      tuples.rules.looksRandom(Self.digits(at: token, in: window).span.bytes)
    else { return nil }
    let end = token &+ Self.length &+ 1
    let line = LineText(range: Self.line(around: bracket, in: window), token: bracket..<end, window: window)
    if line.isInUse { return .inUse }
    guard let judged = JudgedLine(line, tuples, zone) else { return .untimed }
    return .found(judged)
  }

  private static func isToken(at token: Int, in window: UnsafeRawBufferPointer) -> Bool {
    guard token &+ length < window.count, window[token &+ length] == UInt8(ascii: ">") else { return false }
    return (0..<length).allSatisfy { index in
      let byte = window[token &+ index]
      let isSpace = index % groupStride == groupDigits
      return isSpace ? byte == UInt8(ascii: " ") : TextAlphabet.hex[Int(byte)] < 16
    }
  }

  private static func line(around index: Int, in window: UnsafeRawBufferPointer) -> Range<Int> {
    var first = index
    while first > max(0, index &- reach), !isEnd(window[first &- 1]) { first &-= 1 }
    var end = index
    while end < min(window.count, index &+ length &+ 2 &+ reach), !isEnd(window[end]) { end &+= 1 }
    return first..<end
  }

  /// Whether a byte ends a line, or a text in memory.
  private static func isEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 || byte == 0 }

  /// The bytes of the token whose digits begin at `token`.
  private static func digits(at token: Int, in window: UnsafeRawBufferPointer) -> [UInt8] {
    (0..<tokenLength).map { byte in
      let index = token &+ byte / 4 &* groupStride &+ byte % 4 &* 2
      return TextAlphabet.hex[Int(window[index])] << 4 | TextAlphabet.hex[Int(window[index &+ 1])]
    }
  }

  /// The tuple of a record, as the server would have sent it, and the origins of its time and token.
  static func tuple(
    _ line: JudgedLine, in view: View, streamOffset: Int
  ) -> (bytes: [UInt8], origins: [SourceExtent]) {
    let first = line.token.lowerBound &+ 1
    let token = digits(at: first, in: view.bytes)
    return (
      line.time.header(tokenLength: token.count) + token,
      [
        SourceExtent(
          streamOffset: streamOffset, fileOffset: view.offset &+ min(line.timeIndex, first),
          spacing: Stride(stride: 0)),
        SourceExtent(
          streamOffset: streamOffset &+ Tuple.headerLength, fileOffset: view.offset &+ first,
          spacing: Stride(stride: 2, groupSize: 4, groupStride: groupStride)),
      ]
    )
  }
}

/// The records of lines with the same flags: a stream.
struct LineStream {
  let identity: StreamIdentity
  let slot: Int32
  /// Bytes so far.
  var length = 0
}

/// Tokens in lines that make no record.
struct LinesLeftOut {
  private(set) var inUse = 0
  private(set) var untimed = 0
  /// File offsets of the brackets of the first and of the last one.
  private(set) var first = -1
  private(set) var last = -1

  /// Counts a token: a later block of the same one is not counted again.
  mutating func add(_ offset: Int, isInUse: Bool) {
    if first < 0 { first = offset }
    last = offset
    if isInUse { inUse &+= 1 } else { untimed &+= 1 }
  }
}

extension CarveSource {
  /// The number of streams of lines: one for each combination of their two flags and of whether a key names the time.
  static let lineSlots: Int32 = 8

  mutating func add(_ line: JudgedLine) {
    let index = lineStream(of: line)
    let (bytes, origins) = LogTokens.tuple(line, in: view, streamOffset: lines[index].length)
    batch.bytes(bytes, slot: lines[index].slot, side: .first, origins: origins)
    lines[index].length &+= bytes.count
    floor = view.offset &+ line.token.upperBound
  }

  private mutating func lineStream(of line: JudgedLine) -> Int {
    let carving = Carving(.log, isNamed: line.isNamed)
    let known = lines.firstIndex {
      $0.identity.flagBits == line.flags.rawValue && $0.identity.carving == carving
    }
    if let known { return known }
    var identity = StreamIdentity(number: streams, server: .first, serverEvidence: .carved, carving: carving)
    identity.flagBits = line.flags.rawValue
    let stream = LineStream(identity: identity, slot: Self.logSlot &+ Int32(truncatingIfNeeded: lines.count))
    batch.opened(identity, slot: stream.slot)
    streams += 1
    found.insert(.log)
    lines.append(stream)
    return lines.count - 1
  }

  mutating func finishLines() {
    for stream in lines { batch.closed(StreamReport(stream.identity), slot: stream.slot) }
    if leftOut.last >= 0 {
      let reasons = [
        leftOut.inUse > 0 ? "\(leftOut.inUse) in lines about registrations or the like" : nil,
        leftOut.untimed > 0 ? "\(leftOut.untimed) in lines without a time that counts" : nil,
      ].compactMap { $0 }
      batch.finding(
        StreamFinding(
          .excludedLines, fileOffset: leftOut.first,
          message: "left out \(Count.of(leftOut.inUse + leftOut.untimed, "token")) in lines of text: "
            + "\(reasons.joined(separator: ", "))"))
    }
    (lines, leftOut) = ([], LinesLeftOut())
  }
}
