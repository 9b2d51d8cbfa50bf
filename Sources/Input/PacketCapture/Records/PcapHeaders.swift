/// What the first 24 bytes of a pcap file say (draft-ietf-opsawg-pcap, section 4): magic number, version, two unused
/// fields, snap length, link type.
struct PcapHeader {
  static let length = 24

  /// Which of a record's two lengths comes first: before version 2.3 it was the wire length, and in some files of 2.3
  /// as well. libpcap uses the same rule.
  enum LengthOrder {
    case capturedFirst, originalFirst, smallerIsCaptured
    /// The headers of snoop: original, captured and record length, dropped packets, time.
    case snoop

    init(major: UInt16, minor: UInt16) {
      switch (major, minor) {
      case (543, 0), (2, 0...2): self = .originalFirst
      case (2, 3): self = .smallerIsCaptured
      default: self = .capturedFirst
      }
    }
  }

  var order = FileByteOrder.little
  /// Digits after the decimal point of times: 6 (microseconds) or 9.
  var digits: UInt8 = 6
  /// 16; 24 in snoop, and in Kuznetzov's variant, whose record headers also have the interface, the protocol and the
  /// packet type.
  var recordHeader = 16
  var lengths = LengthOrder.capturedFirst
  var linkType = LinkType(rawValue: 0)
  /// Maximum number of bytes captured of a packet. Writers set it as they like.
  var snapLength: UInt32 = 0

  init() {}

  /// - Parameter magic: the first four bytes, read as little-endian.
  init?(magic: UInt32) {
    let known: [UInt32: (UInt8, Int)] = [0xa1b2_c3d4: (6, 16), 0xa1b2_3c4d: (9, 16), 0xa1b2_cd34: (6, 24)]
    order = known[magic] == nil ? .big : .little
    guard let (digits, recordHeader) = known[order == .little ? magic : magic.byteSwapped] else { return nil }
    (self.digits, self.recordHeader) = (digits, recordHeader)
  }

  /// Whether a snoop file begins at `index` (RFC 1761). Needs 8 bytes.
  static func isSnoop(_ bytes: RawSpan, at index: Int) -> Bool {
    bytes.bigEndianUInt32(at: index) == 0x736e_6f6f && bytes.bigEndianUInt32(at: index &+ 4) == 0x7000_0000
  }
}

/// Bytes after a packet of snoop: up to a multiple of 4 (RFC 1761), or of a kernel's alignment.
private let mostPadding: UInt32 = 63

/// The header of one packet in a pcap file: 16 bytes; Kuznetzov's variant has 8 more.
struct PcapRecordHeader {
  /// Since 1970; unsigned, so it lasts until 2106.
  var seconds: UInt32
  /// In microseconds or nanoseconds.
  var fraction: UInt32
  /// Lengths in bytes: captured, and on the wire.
  var captured: UInt32
  var original: UInt32
  /// Bytes after the captured ones, in snoop.
  var padding: UInt32 = 0

  /// The header at `index`, where 16 bytes must be available.
  @inline(always)
  init(at index: Int, in window: RawSpan, order: FileByteOrder, lengths: PcapHeader.LengthOrder) {
    // One check of the bounds for the four fields.
    let bytes = window.extracting(index..<(index &+ 16))
    seconds = order.uint32(in: bytes, at: 0)
    fraction = order.uint32(in: bytes, at: 4)
    captured = order.uint32(in: bytes, at: 8)
    original = order.uint32(in: bytes, at: 12)
    if lengths != .capturedFirst { reorder(lengths, window, index) }
  }

  private mutating func reorder(_ lengths: PcapHeader.LengthOrder, _ window: RawSpan, _ index: Int) {
    if lengths == .snoop {
      padding = captured &- fraction &- 24
      (original, captured) = (seconds, fraction)
      seconds = window.bigEndianUInt32(at: index &+ 16)
      fraction = window.bigEndianUInt32(at: index &+ 20)
    } else if lengths == .originalFirst || captured > original {
      swap(&captured, &original)
    }
  }

  /// Bytes after the header.
  @inline(__always)
  var length: Int { Int(captured) &+ Int(padding) }

  /// Zero fill is the most common damage; real packets have no all-zero header.
  var isZero: Bool { seconds | fraction | captured | original == 0 }
}

enum PcapHeaderGrade: Comparable {
  case implausible
  /// The time is near that of other packets, and the captured length is valid.
  case odd
  /// Everything but the time is valid.
  case loose
  /// Everything is valid.
  case near
}

/// Rules for a plausible packet header. A header of random bytes is `near` once in 2^39 cases (2^29 with
/// nanoseconds): 2^-8 for each length at 16 MiB, 2^-12 (2^-2) for the fraction, 2^-10 for the time, and half of the
/// lengths are in order.
struct PcapHeaderRules: Sendable {
  /// Limit of both lengths, in bytes.
  var maxPacket: UInt32
  /// Units of the fraction in a second.
  var unitsPerSecond: UInt32
  /// Some writers leave all original lengths 0; others never do.
  var mayLackOriginal = true

  /// 30 days, in seconds: packets of one capture are seldom further apart.
  static let maxDistance: Int64 = 30 * 86_400

  @inline(__always)
  static func isNear(_ seconds: UInt32, _ reference: UInt32) -> Bool {
    let distance = Int64(seconds) &- Int64(reference)
    return distance <= maxDistance && distance >= -maxDistance
  }

  /// - Parameter reference: the time of an accepted packet, in seconds; nil accepts any.
  @inline(always)
  func isSound(_ header: PcapRecordHeader, near reference: UInt32?) -> Bool {
    guard isLoose(header) else { return false }
    if let reference { return Self.isNear(header.seconds, reference) }
    return true
  }

  /// Valid except for the time.
  @inline(always)
  private func isLoose(_ header: PcapRecordHeader) -> Bool {
    header.captured <= maxPacket && header.padding <= mostPadding && header.fraction < unitsPerSecond
      && header.original <= maxPacket
      && (header.captured <= header.original || (header.original == 0 && mayLackOriginal)) && !header.isZero
  }

  /// - Parameter reference: as for `isSound`.
  func grade(_ header: PcapRecordHeader, near reference: UInt32?) -> PcapHeaderGrade {
    guard header.captured <= maxPacket, header.padding <= mostPadding, !header.isZero else {
      return .implausible
    }
    let isNear = reference.map { Self.isNear(header.seconds, $0) } ?? true
    if isLoose(header) { return isNear ? .near : .loose }
    return isNear ? .odd : .implausible
  }
}
