import Basics

/// The packets of a pcap file: a header with the lengths, then the captured bytes, then the next header. Nothing
/// marks the start of a record, so the following header must confirm it (`PcapHeaderRules`).
struct PcapRecords: RecordFormat {
  static let unit = "record"
  private(set) var packets = 0
  private(set) var file = PcapHeader()
  private(set) var rules: PcapHeaderRules
  /// Seconds of the last packet with an accepted time.
  private(set) var reference: UInt32?
  /// The header that confirmed the last record, and so is sound, and its offset in the file.
  private var confirmed: (header: PcapRecordHeader, offset: Int)?

  var headerLength: Int { file.recordHeader }

  init(maxPacket: Int) {
    rules = PcapHeaderRules(maxPacket: UInt32(clamping: maxPacket), unitsPerSecond: 1_000_000)
  }

  mutating func readHead(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord? {
    let available = window.byteCount - index
    if available >= 16, PcapHeader.isSnoop(window, at: index) {
      return readSnoopHead(at: index, in: window, location)
    }
    guard available >= PcapHeader.length else {
      return location.isLast
        ? Self.cutHeader(available, location.offset + index) : .needsBytes(PcapHeader.length)
    }
    guard var found = PcapHeader(magic: FileByteOrder.little.uint32(in: window, at: index)) else {
      return Self.unreadable("not a pcap file: unknown magic number", location.offset + index)
    }
    let major = found.order.uint16(in: window, at: index + 4)
    let minor = found.order.uint16(in: window, at: index + 6)
    // The lower 16 bits are the type, the upper ones may give the length of the frame check sequence.
    let link = found.order.uint32(in: window, at: index + 20)
    // Bits 16 to 25 must be 0: their meaning is undefined.
    if link & 0x03ff_0000 != 0 {
      return Self.unreadable(
        "the link type of this pcap file has reserved bits set "
          + "(0x\(String(Int(link), radix: 16))); expected a number below 65536", location.offset + index + 20
      )
    }
    found.lengths = PcapHeader.LengthOrder(major: major, minor: minor)
    found.snapLength = found.order.uint32(in: window, at: index + 16)
    found.linkType = LinkType(rawValue: UInt16(truncatingIfNeeded: link))
    file = found
    rules.unitsPerSecond = file.digits == 9 ? 1_000_000_000 : 1_000_000
    let end = index + PcapHeader.length
    // 2.0 to 2.4, and the 543.0 of DG/UX, which is the same as 2.0.
    if (major == 2 && minor <= 4) || (major == 543 && minor == 0) { return .skipped(end: end) }
    return .damaged(Self.unknownVersion("\(Int(major)).\(Int(minor))", at: location.offset + index), end: end)
  }

  private static func isHead(at index: Int, in window: RawSpan) -> Bool {
    PcapHeader(magic: FileByteOrder.little.uint32(in: window, at: index)) != nil
  }

  /// A record may have a magic number as its time, so the header must be whole, and no unsound record follow.
  mutating func restart(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord? {
    let available = window.byteCount - index
    guard available >= 4, Self.isHead(at: index, in: window) else { return nil }
    // Also the longest header of a record.
    let needed = PcapHeader.length + 24
    if available < needed, !location.isLast { return .needsBytes(needed) }
    var other = PcapRecords(maxPacket: Int(rules.maxPacket))
    guard case .skipped(let end)? = other.readHead(at: index, in: window, location),
      end + other.headerLength > window.byteCount || Self.isHead(at: end, in: window)
        || other.rules.isSound(other.header(at: end, in: window), near: nil)
    else { return nil }
    other.packets = packets
    self = other
    return .skipped(end: end)
  }

  /// RFC 1761: after the magic number the version, and the type of the links; 0 and 4 are Ethernet.
  private mutating func readSnoopHead(at index: Int, in window: RawSpan, _ location: WindowLocation)
    -> NextRecord
  {
    let version = window.bigEndianUInt32(at: index + 8)
    let type = window.bigEndianUInt32(at: index + 12)
    guard version == 2, type == 0 || type == 4 else {
      return Self.unreadable(
        "snoop version \(Int(version)) with link type \(Int(type)), expected version 2 with Ethernet "
          + "(0 or 4); convert it: editcap -F pcap FILE NEW.pcap", location.offset + index + 8)
    }
    (file.order, file.lengths, file.recordHeader, file.linkType) = (.big, .snoop, 24, .ethernet)
    return .skipped(end: index + 16)
  }

  @inline(always)
  func header(at index: Int, in window: RawSpan) -> PcapRecordHeader {
    PcapRecordHeader(at: index, in: window, order: file.order, lengths: file.lengths)
  }

  @inline(always)
  mutating func readStrict(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord? {
    guard window.byteCount &- index >= headerLength else { return nil }
    let known = confirmed?.offset == location.offset &+ index ? confirmed?.header : nil
    let header = known ?? self.header(at: index, in: window)
    guard known != nil || rules.isSound(header, near: reference) else { return nil }
    let start = index &+ headerLength
    let end = start &+ header.length
    if end &+ headerLength <= window.byteCount {
      let next = self.header(at: end, in: window)
      guard rules.isSound(next, near: header.seconds) else { return nil }
      // Whether an original length may be 0 can change.
      confirmed = next.original > 0 ? (next, location.offset &+ end) : nil
    } else {
      guard location.isLast, end == window.byteCount else { return nil }
    }
    reference = header.seconds
    return packet(header, from: start, to: end, location)
  }

  func assess(at index: Int, in window: RawSpan, isLast: Bool) -> RecordAssessment {
    guard window.byteCount &- index >= headerLength else {
      return assessShort(at: index, in: window, isLast: isLast)
    }
    let header = header(at: index, in: window)
    let grade = rules.grade(header, near: reference)
    guard grade > .implausible else { return .broken }
    let end = index &+ headerLength &+ header.length
    guard end &+ headerLength <= window.byteCount else {
      return assessLast(from: index, to: end, in: window, isLast: isLast)
    }
    let next = self.header(at: end, in: window)
    // Perhaps only this header's time is wrong. Accepting a clock jump takes more: a header read a few bytes off has
    // small numbers as times, which are near to each other.
    let isConfirmed =
      rules.grade(next, near: reference) > .implausible || rules.isSound(next, near: header.seconds)
    return .suspect(end: end, isReadable: grade == .near || isConfirmed, damage: nil)
  }

  private func assessShort(at index: Int, in window: RawSpan, isLast: Bool) -> RecordAssessment {
    guard isLast else { return .needs(headerLength) }
    let end = window.byteCount
    return index == end ? .ended : .suspect(end: end, isReadable: false, damage: nil)
  }

  /// A record without another header after it in the window.
  private func assessLast(
    from index: Int, to end: Int, in window: RawSpan, isLast: Bool
  ) -> RecordAssessment {
    guard isLast else { return .needs(end &+ headerLength &- index) }
    if end > window.byteCount {
      return .suspect(end: window.byteCount, isReadable: true, damage: index..<window.byteCount)
    }
    return .suspect(end: end, isReadable: true, damage: nil)
  }

  mutating func read(
    at index: Int, to end: Int, isCut: Bool, in window: RawSpan, _ location: WindowLocation
  ) -> NextRecord {
    let header = header(at: index, in: window)
    updateReference(with: header, before: end, in: window)
    return packet(header, from: index &+ headerLength, to: end, location)
  }

  /// - Parameters:
  ///   - start: index of the packet's first byte.
  ///   - end: index after its last one.
  @inline(always)
  private mutating func packet(
    _ header: PcapRecordHeader, from start: Int, to end: Int, _ location: WindowLocation
  ) -> NextRecord {
    packets &+= 1
    if header.original > 0 { rules.mayLackOriginal = false }
    return .packet(
      PacketRecord(
        number: packets, time: time(of: header), linkType: file.linkType, start: start,
        capturedLength: min(end &- start, Int(header.captured)), originalLength: Int(header.original),
        fileOffset: location.offset &+ start, isCutByFile: end &- start < Int(header.captured)), end: end)
  }

  /// A time far from the last one becomes the reference only if the next header is sound and has a time near it.
  private mutating func updateReference(with header: PcapRecordHeader, before end: Int, in window: RawSpan) {
    if let reference, !PcapHeaderRules.isNear(header.seconds, reference) {
      guard end &+ headerLength <= window.byteCount,
        rules.isSound(self.header(at: end, in: window), near: header.seconds)
      else { return }
    }
    reference = header.seconds
  }

  /// Fractions of a second or more, which libpcap passes unchanged, are carried into the seconds.
  @inline(always)
  private func time(of header: PcapRecordHeader) -> CaptureTime {
    var (whole, fraction) = (UInt32(0), header.fraction)
    if fraction >= rules.unitsPerSecond {
      (whole, fraction) = fraction.quotientAndRemainder(dividingBy: rules.unitsPerSecond)
    }
    return CaptureTime(
      seconds: Int64(header.seconds) &+ Int64(whole), fraction: UInt64(fraction), digits: file.digits)
  }

  mutating func skip(at index: Int, in window: RawSpan) {}

  mutating func resume(at index: Int, in window: RawSpan) {}
}

/// Messages about unreadable parts of a pcap file.
extension PcapRecords {
  static func cutHeader(_ available: Int, _ fileOffset: Int) -> NextRecord {
    unreadable(
      "the pcap header is truncated: expected \(PcapHeader.length) bytes, found \(max(0, available))",
      fileOffset)
  }

  static func unreadable(_ message: Message, _ fileOffset: Int) -> NextRecord {
    .unreadable(InputError(message, fileOffset: fileOffset))
  }

  static func unknownVersion(_ version: Message, at fileOffset: Int) -> StreamFinding {
    StreamFinding(
      .damagedCapture, length: PcapHeader.length, fileOffset: fileOffset,
      message: .damage(
        "pcap version \(version), expected 2.0 to 2.4; records are read as version 2.4", afterPacket: 0))
  }

  /// Independent of the window: available lengths are given only if the file is known to end with it.
  func reason(at index: Int, in window: RawSpan) -> Message {
    let available = window.byteCount - index
    guard available >= headerLength else {
      return "\(Count.of(available, "byte")) left, a record header has \(headerLength)"
    }
    let header = header(at: index, in: window)
    let captured = Int(header.captured)
    let left = available - headerLength
    if header.isZero { return "zeros instead of a record" }
    if header.captured > rules.maxPacket {
      return "a record of \(captured) captured bytes, above the limit of \(Int(rules.maxPacket))"
    }
    if rules.grade(header, near: reference) == .implausible {
      return
        "an implausible record header: \(captured) of \(Int(header.original)) bytes captured at "
        + "\(Int(header.seconds)) s + \(Int(header.fraction))/\(Int(rules.unitsPerSecond)) s"
    }
    return captured > left
      ? "a record of \(captured) captured bytes, the file has \(left) left"
      : "a record of \(captured) captured bytes, not followed by another record"
  }
}
