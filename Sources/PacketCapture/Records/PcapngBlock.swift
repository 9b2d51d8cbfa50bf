/// The frame of a pcapng block: type, total length, body, total length once more (draft-ietf-opsawg-pcapng,
/// section 3.1).
struct PcapngBlock {
  /// The kinds that are known. Others are passed over, as the specification wants it.
  enum Kind: UInt32, Sendable {
    case interfaceDescription = 1
    /// Obsolete, but for its first fields what an enhanced packet is.
    case packet = 2
    case simplePacket = 3
    case nameResolution = 4
    case interfaceStatistics = 5
    case enhancedPacket = 6
    case decryptionSecrets = 10
    case custom = 0xbad
    case uncopiedCustom = 0x4000_0bad
    /// The same in both byte orders.
    case sectionHeader = 0x0a0d_0d0a

    /// The least that the block's total length can be, in bytes.
    var minLength: Int {
      switch self {
      case .sectionHeader: 28
      case .interfaceDescription, .decryptionSecrets: 20
      case .packet, .enhancedPacket: 32
      case .simplePacket, .nameResolution, .custom, .uncopiedCustom: 16
      case .interfaceStatistics: 24
      }
    }

    /// Bytes before a packet's first one; nil where the block holds none.
    var packetStart: Int? {
      switch self {
      case .packet, .enhancedPacket: 28
      case .simplePacket: 12
      default: nil
      }
    }
  }

  /// Bytes of the type and the length before the body, and with the length behind it.
  static let headLength = 8
  static let frameLength = 12
  /// The first word of a section header's body, in the section's own byte order.
  static let byteOrderMagic: UInt32 = 0x1a2b_3c4d

  /// What it is, as a number.
  var type: UInt32
  var order: FileByteOrder
  /// As the head has it.
  var totalLength: Int

  /// The block whose first 12 bytes stand at `place`; a section header is read in its own byte order, any
  /// other in `order`. Nil without one: before a section header, and for a bad one.
  @inline(__always)
  init?(at place: Int, in window: RawSpan, order: FileByteOrder?) {
    let type = FileByteOrder.little.uint32(in: window, at: place)
    guard let found = type == Kind.sectionHeader.rawValue ? Self.sectionOrder(at: place, in: window) : order
    else { return nil }
    self.order = found
    self.type = found == .little ? type : type.byteSwapped
    totalLength = Int(found.uint32(in: window, at: place &+ 4))
  }

  /// Nil for one that is not known.
  var kind: Kind? { Kind(rawValue: type) }

  static func sectionOrder(at place: Int, in window: RawSpan) -> FileByteOrder? {
    let magic = FileByteOrder.little.uint32(in: window, at: place + headLength)
    if magic == byteOrderMagic { return .little }
    return magic.byteSwapped == byteOrderMagic ? .big : nil
  }

  /// Whether the length behind the body, whose last byte is before `end`, is that in the head.
  @inline(__always)
  func isClosed(before end: Int, in window: RawSpan) -> Bool {
    Int(order.uint32(in: window, at: end &- 4)) == totalLength
  }
}
