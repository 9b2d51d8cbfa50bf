/// The header of one packet in a pcap file: 16 bytes, of which Kuznetzov's variant has 8 more.
struct PcapRecordHeader {
  /// Since 1970; unsigned, so that times go on to the year 2106.
  var seconds: UInt32
  /// In microseconds or nanoseconds.
  var fraction: UInt32
  /// Lengths in bytes: what the file holds of the packet, and what it had on the wire.
  var captured: UInt32
  var original: UInt32

  /// The header at `place`, of which 16 bytes must be there.
  @inline(__always)
  init(
    at place: Int, in window: RawSpan, order: FileByteOrder, lengths: PcapHeader.LengthOrder
  ) {
    // One check of the bounds for the four fields.
    let bytes = window.extracting(place..<(place &+ 16))
    seconds = order.uint32(in: bytes, at: 0)
    fraction = order.uint32(in: bytes, at: 4)
    captured = order.uint32(in: bytes, at: 8)
    original = order.uint32(in: bytes, at: 12)
    if lengths != .capturedFirst, lengths == .originalFirst || captured > original {
      swap(&captured, &original)
    }
  }

  /// Of damage, zero fill is the commonest; a packet of no bytes at the beginning of 1970 is not.
  var isZero: Bool { seconds | fraction | captured | original == 0 }
}

/// How much of a packet's header is as it should be.
enum PcapHeaderGrade: Int, Comparable {
  case implausible
  /// The time is near that of other packets, and the captured length is allowed.
  case odd
  /// All but the time is as it should be.
  case loose
  /// All is.
  case near

  static func < (left: PcapHeaderGrade, right: PcapHeaderGrade) -> Bool { left.rawValue < right.rawValue }
}

/// What the header of a packet must look like. A header of random bytes is `near` once in 2^39 cases (2^29 with
/// nanoseconds): 2^-8 for each length at 16 MiB, 2^-12 (2^-2) for the fraction, 2^-10 for the time, and half of
/// the lengths are in order.
struct PcapHeaderRules: Sendable {
  /// Neither length may be more, in bytes.
  var maxPacket: UInt32
  /// Units of the fraction in a second.
  var unitsPerSecond: UInt32
  /// Some writers leave all original lengths 0; one that does not, never does.
  var mayLackOriginal = true

  /// 30 days, in seconds: packets of one capture are seldom further apart.
  static let maxDistance: Int64 = 30 * 86_400

  @inline(__always)
  static func isNear(_ seconds: UInt32, _ reference: UInt32) -> Bool {
    let distance = Int64(seconds) &- Int64(reference)
    return distance <= maxDistance && distance >= -maxDistance
  }

  /// - Parameter reference: the time of a packet that is believed, in seconds; nil accepts any.
  @inline(__always)
  func isSound(_ header: PcapRecordHeader, near reference: UInt32?) -> Bool {
    guard isLoose(header) else { return false }
    if let reference { return Self.isNear(header.seconds, reference) }
    return true
  }

  /// All but the time is as it should be.
  @inline(__always)
  private func isLoose(_ header: PcapRecordHeader) -> Bool {
    header.captured <= maxPacket && header.fraction < unitsPerSecond && header.original <= maxPacket
      && (header.captured <= header.original || (header.original == 0 && mayLackOriginal)) && !header.isZero
  }

  /// - Parameter reference: as for `isSound`.
  func grade(_ header: PcapRecordHeader, near reference: UInt32?) -> PcapHeaderGrade {
    guard header.captured <= maxPacket, !header.isZero else { return .implausible }
    let isNear = reference.map { Self.isNear(header.seconds, $0) } ?? true
    if isLoose(header) { return isNear ? .near : .loose }
    return isNear ? .odd : .implausible
  }
}
