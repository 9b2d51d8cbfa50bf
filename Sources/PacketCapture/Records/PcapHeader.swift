/// The 24 bytes that a pcap file begins with (draft-ietf-opsawg-pcap, section 4): magic number, version, two
/// unused fields, snap length, link type.
struct PcapHeader: Equatable, Sendable {
  static let length = 24

  /// What the magic number says.
  struct Variant: Equatable, Sendable {
    var order: FileByteOrder
    /// Digits behind the decimal point of times: 6 (microseconds) or 9.
    var digits: UInt8
    /// 16, or 24 in Kuznetzov's variant, whose records go on with the interface, the protocol and the kind of
    /// packet.
    var recordHeader: Int

    /// - Parameter magic: the first four bytes, read as little-endian.
    init?(magic: UInt32) {
      if let found = Self.fields(of: magic) {
        (digits, recordHeader) = found
        order = .little
      } else if let found = Self.fields(of: magic.byteSwapped) {
        (digits, recordHeader) = found
        order = .big
      } else {
        return nil
      }
    }

    private static func fields(of magic: UInt32) -> (digits: UInt8, recordHeader: Int)? {
      switch magic {
      case 0xa1b2_c3d4: (6, 16)
      case 0xa1b2_3c4d: (9, 16)
      case 0xa1b2_cd34: (6, 24)
      default: nil
      }
    }
  }

  /// Which of the two lengths of a record comes first: before version 2.3 it was that on the wire, and in
  /// some files of 2.3 as well. libpcap knows these by the same rule.
  enum LengthOrder: Sendable {
    case capturedFirst, originalFirst, smallerIsCaptured
  }

  var variant: Variant
  var major: UInt16
  var minor: UInt16
  /// Bytes of a packet that are captured at most. Writers set it as they like.
  var snapLength: UInt32
  /// The lower 16 bits are the type, the upper ones may say how long the frame check sequence is.
  var linkField: UInt32

  /// The header at `place`, of which `length` bytes must be there; nil if it has another magic number.
  init?(at place: Int, in window: RawSpan) {
    guard let variant = Variant(magic: FileByteOrder.little.uint32(in: window, at: place)) else { return nil }
    self.variant = variant
    major = variant.order.uint16(in: window, at: place + 4)
    minor = variant.order.uint16(in: window, at: place + 6)
    snapLength = variant.order.uint32(in: window, at: place + 16)
    linkField = variant.order.uint32(in: window, at: place + 20)
  }

  var linkType: LinkType { LinkType(rawValue: UInt16(truncatingIfNeeded: linkField)) }

  /// Bits 16 to 25 must be 0: a reader that does not know them cannot know what the packets are.
  var hasReservedBits: Bool { linkField & 0x03ff_0000 != 0 }

  /// 2.0 to 2.4, and the 543.0 of DG/UX, which is 2.0 by another name.
  var isKnownVersion: Bool { (major == 2 && minor <= 4) || (major == 543 && minor == 0) }

  var lengthOrder: LengthOrder {
    switch (major, minor) {
    case (543, 0), (2, 0...2): .originalFirst
    case (2, 3): .smallerIsCaptured
    default: .capturedFirst
    }
  }
}
