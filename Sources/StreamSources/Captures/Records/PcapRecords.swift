import WireBytes

/// The packets of a pcap file: a header with the lengths, then the captured bytes, then the next header.
/// Nothing marks where a record begins, so the header behind it must bear it out (`PcapHeaderRules`).
struct PcapRecords: RecordFormat {
  static let unit = "record"
  /// Behind damage only packets up to this length are believed, in bytes: libpcap's own limit for nearly all
  /// link types.
  private static let maxBelieved: UInt32 = 262_144

  /// In seconds.
  private static let year: UInt32 = 365 * 86_400

  private(set) var packets = 0
  private var order: FileByteOrder = .little
  private var lengths: PcapHeader.LengthOrder = .capturedFirst
  private(set) var headerLength = 16
  private var digits: UInt8 = 6
  private var linkType = LinkType(rawValue: 0)
  private(set) var rules: PcapHeaderRules
  /// Seconds of the last packet whose time is believed.
  private(set) var reference: UInt32?

  init(maxPacket: Int) {
    rules = PcapHeaderRules(maxPacket: UInt32(clamping: maxPacket), unitsPerSecond: 1_000_000)
  }

  mutating func readHead(
    at place: Int, in window: RawSpan, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step? {
    let available = window.byteCount - place
    guard available >= PcapHeader.length else {
      return isLast ? Self.cutHeader(available, windowOffset + place) : .needsBytes(PcapHeader.length)
    }
    guard let header = PcapHeader(at: place, in: window) else {
      return Self.unreadable("no pcap file: its magic number is none of the six known", windowOffset + place)
    }
    if header.hasReservedBits {
      return Self.unreadable(
        "the link type of this pcap file has reserved bits set (\(Self.hex(header.linkField))), so what its "
          + "packets are cannot be known; expected a number below 65536", windowOffset + place + 20)
    }
    adopt(header)
    let end = place + PcapHeader.length
    return header.isKnownVersion
      ? .passedOver(end: end)
      : .damaged(Self.unknownVersion(header, at: windowOffset + place), end: end)
  }

  private mutating func adopt(_ header: PcapHeader) {
    order = header.variant.order
    lengths = header.lengthOrder
    headerLength = header.variant.recordHeader
    digits = header.variant.digits
    rules.unitsPerSecond = digits == 9 ? 1_000_000_000 : 1_000_000
    linkType = header.linkType
  }

  @inline(__always)
  func header(at place: Int, in window: RawSpan) -> PcapRecordHeader {
    PcapRecordHeader(at: place, in: window, order: order, lengths: lengths)
  }

  @inline(__always)
  func judge(at place: Int, in window: RawSpan, isLast: Bool) -> RecordVerdict {
    guard window.byteCount &- place >= headerLength else {
      return judgeShort(at: place, in: window, isLast: isLast)
    }
    let header = header(at: place, in: window)
    let grade = rules.grade(header, near: reference)
    guard grade > .implausible else { return .broken }
    let end = place &+ headerLength &+ Int(header.captured)
    guard end &+ headerLength <= window.byteCount else {
      return judgeLast(grade, from: place, to: end, in: window, isLast: isLast)
    }
    let next = self.header(at: end, in: window)
    let behind = rules.grade(next, near: header.seconds)
    if grade == .near, behind == .near { return .sound(end: end) }
    // The time of this one may be what is wrong.
    let isBorneOut = max(behind, rules.grade(next, near: reference)) > .implausible
    return .doubtful(end: end, isReadable: grade == .near || isBorneOut, flaw: nil)
  }

  private func judgeShort(at place: Int, in window: RawSpan, isLast: Bool) -> RecordVerdict {
    guard isLast else { return .needs(headerLength) }
    let end = window.byteCount
    return place == end ? .ended : .doubtful(end: end, isReadable: false, flaw: nil)
  }

  /// A record behind which the window does not hold another header.
  private func judgeLast(
    _ grade: PcapHeaderGrade, from place: Int, to end: Int, in window: RawSpan, isLast: Bool
  ) -> RecordVerdict {
    guard isLast else { return .needs(end &+ headerLength &- place) }
    if end > window.byteCount {
      return .doubtful(end: window.byteCount, isReadable: true, flaw: place..<window.byteCount)
    }
    if end == window.byteCount, grade == .near { return .sound(end: end) }
    return .doubtful(end: end, isReadable: true, flaw: nil)
  }

  @inline(__always)
  mutating func read(
    at place: Int, to end: Int, isCut: Bool, in window: RawSpan, windowOffset: Int
  ) -> CaptureRecords.Step {
    let header = header(at: place, in: window)
    let start = place &+ headerLength
    believeTime(of: header, before: end, in: window)
    packets &+= 1
    return .packet(
      PacketRecord(
        number: packets, time: time(of: header), linkType: linkType, start: start,
        capturedLength: end &- start, originalLength: Int(header.original),
        fileOffset: windowOffset &+ start), end: end)
  }

  /// One time far from all others is not taken for the new present unless the next packet's is near it.
  @inline(__always)
  private mutating func believeTime(of header: PcapRecordHeader, before end: Int, in window: RawSpan) {
    if let reference, !PcapHeaderRules.isNear(header.seconds, reference) {
      guard end &+ headerLength <= window.byteCount,
        PcapHeaderRules.isNear(self.header(at: end, in: window).seconds, header.seconds)
      else { return }
    }
    reference = header.seconds
  }

  /// Fractions of a second or more, which libpcap hands out as they are, are carried.
  @inline(__always)
  private func time(of header: PcapRecordHeader) -> CaptureTime {
    guard header.fraction >= rules.unitsPerSecond else {
      return CaptureTime(
        seconds: Int64(header.seconds), fraction: UInt64(header.fraction), digits: digits)
    }
    let (whole, rest) = header.fraction.quotientAndRemainder(dividingBy: rules.unitsPerSecond)
    return CaptureTime(
      seconds: Int64(header.seconds) &+ Int64(whole), fraction: UInt64(rest), digits: digits)
  }

  /// A header is believed if all of it is as it should be and
  /// - its time is near the last one, and the header behind it is near as well or the file ends there, or
  /// - the clock jumped, and of the two headers behind it each is near the one before. Small numbers in a
  ///   packet's bytes can look like that, so times in 1970 do not count, nor a jump within a doubtful record.
  ///
  /// Before the first packet, the time of the doubtful one is the last. Without even that, the end of the file
  /// exactly behind a packet is enough.
  func believes(at place: Int, doubted: Int?, in window: RawSpan, isLast: Bool) -> RecordBelief {
    guard window.byteCount &- place >= headerLength else { return isLast ? .no : .needs(headerLength) }
    let first = header(at: place, in: window)
    guard isBelievable(first, near: first.seconds) else { return .no }
    let last = reference ?? doubted.map { header(at: $0, in: window).seconds }
    let isNear = last.map { PcapHeaderRules.isNear(first.seconds, $0) } ?? false
    guard isNear || (doubted == nil && first.seconds >= Self.year) else { return .no }
    let end = place &+ headerLength &+ Int(first.captured)
    guard end &+ headerLength <= window.byteCount else {
      if !isLast { return .needs(end &+ headerLength &- place) }
      let endsHere = end == window.byteCount && last == nil
      return endsHere || (isNear && end <= window.byteCount) ? .yes : .no
    }
    let second = header(at: end, in: window)
    if isNear { return rules.grade(second, near: first.seconds) == .near ? .yes : .no }
    guard isBelievable(second, near: first.seconds) else { return .no }
    return bearsOut(second, at: end, in: window, isLast: isLast, from: place)
  }

  /// Packets of no bytes are no landmark.
  @inline(__always)
  private func isBelievable(_ header: PcapRecordHeader, near seconds: UInt32) -> Bool {
    header.captured > 0 && header.captured <= Self.maxBelieved && header.original >= header.captured
      && rules.grade(header, near: seconds) == .near
  }

  private func bearsOut(
    _ second: PcapRecordHeader, at place: Int, in window: RawSpan, isLast: Bool, from first: Int
  ) -> RecordBelief {
    let end = place &+ headerLength &+ Int(second.captured)
    guard end &+ headerLength <= window.byteCount else {
      if !isLast { return .needs(end &+ headerLength &- first) }
      return end == window.byteCount ? .yes : .no
    }
    return isBelievable(header(at: end, in: window), near: second.seconds) ? .yes : .no
  }

  mutating func giveUp(at place: Int, in window: RawSpan) {}

  mutating func resume(at place: Int, in window: RawSpan) {}
}
