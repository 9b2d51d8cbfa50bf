import Basics

// 802.11, and the headers that drivers add. Integers are little-endian unless noted.

extension PacketParser {
  /// IEEE 802.11, section 9.2: frame control, three or four addresses, QoS and HT control, then LLC.
  mutating func wireless(in bytes: RawSpan) -> Layer {
    guard hasBytes(2, .wireless) else { return .malformed }
    let control = bytes.byte(at: start)
    let flags = bytes.byte(at: start &+ 1)
    // Type 2 is data; bit 6 of the control byte marks a data type without data.
    guard control & 0x0f == 0x08, control & 0x40 == 0 else { return .notTCP }
    let hasQoS = control & 0x80 != 0
    let isBridged = flags & 0x03 == 0x03
    let hasHTControl = hasQoS && flags & 0x80 != 0
    let length = 24 &+ (isBridged ? 6 : 0) &+ (hasQoS ? 2 : 0) &+ (hasHTControl ? 4 : 0)
    guard hasBytes(length, .wireless) else { return .malformed }
    // Only frames that are neither encrypted nor fragmented are read.
    guard flags & 0x44 == 0, bytes.byte(at: start &+ 22) & 0x0f == 0 else { return .unsupported(nil) }
    let isAggregate = hasQoS && bytes.byte(at: start &+ (isBridged ? 30 : 24)) & 0x80 != 0
    start &+= length
    return isAggregate ? aggregate(in: bytes) : .logicalLink
  }

  /// IEEE 802.11, section 9.3.2.2 (A-MSDU): frames of two addresses, big-endian length and LLC, each padded to four
  /// bytes. Only an aggregate of one frame is read, as a packet yields one segment.
  private mutating func aggregate(in bytes: RawSpan) -> Layer {
    guard hasBytes(14, .wireless) else { return .malformed }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 12))
    if wireEnd &- start > 14 &+ length &+ 3 { return malformed(.wireless, .aggregate) }
    start &+= 14
    trim(to: length)
    return .logicalLink
  }

  /// radiotap.org: version 0, length of the header at 2, the words with the present fields at 4.
  mutating func radiotap(in bytes: RawSpan) -> Layer {
    guard hasBytes(8, .radio) else { return .malformed }
    let version = Int(bytes.byte(at: start))
    guard version == 0 else { return malformed(.radio, .version(version, expected: 0)) }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 2).byteSwapped)
    guard length >= 8 else { return malformed(.radio, .length(length, least: 8, most: .max)) }
    guard hasBytes(length, .radio) else { return .malformed }
    let flags = radiotapFlags(in: bytes, length: length)
    start &+= length
    // The frame check sequence was captured as well.
    if flags & 0x10 != 0 { trim(to: max(0, wireEnd &- start &- 4)) }
    // The 802.11 header is padded to four bytes; only this flag shows it.
    return flags & 0x20 != 0 ? paddedWireless(in: bytes) : .wireless
  }

  /// The field `flags` of a radiotap header of `length` bytes, 0 if absent. Only the time can precede it, in eight
  /// bytes aligned to eight.
  private func radiotapFlags(in bytes: RawSpan, length: Int) -> UInt8 {
    let present = bytes.bigEndianUInt32(at: start &+ 4).byteSwapped
    guard present & 2 != 0 else { return 0 }
    var offset = 8
    var word = present
    while word >> 31 == 1, offset &+ 4 <= length {
      word = bytes.bigEndianUInt32(at: start &+ offset).byteSwapped
      offset &+= 4
    }
    if present & 1 != 0 { offset = ((offset &+ 7) & ~7) &+ 8 }
    return offset < length ? bytes.byte(at: start &+ offset) : 0
  }

  /// A frame whose header is padded to a multiple of four bytes.
  private mutating func paddedWireless(in bytes: RawSpan) -> Layer {
    let frame = start
    let layer = wireless(in: bytes)
    guard layer == .logicalLink else { return layer }
    let padding = (4 &- (start &- frame) & 3) & 3
    guard hasBytes(padding, .wireless) else { return .malformed }
    start &+= padding
    return layer
  }

  /// LINKTYPE_PPI: version and flags, length of all headers at 2, the link type of what follows at 4.
  mutating func perPacketInfo(in bytes: RawSpan) -> Layer {
    guard hasBytes(8, .radio) else { return .malformed }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 2).byteSwapped)
    guard length >= 8 else { return malformed(.radio, .length(length, least: 8, most: .max)) }
    let type = bytes.bigEndianUInt32(at: start &+ 4).byteSwapped
    guard hasBytes(length, .radio) else { return .malformed }
    start &+= length
    return inner(type)
  }

  /// LINKTYPE_PKTAP, of macOS and for iPhones: the length of the header, what follows it (1 is a packet) and its link type,
  /// little-endian.
  mutating func packetTap(in bytes: RawSpan) -> Layer {
    guard hasBytes(12, .packetTap) else { return .malformed }
    let length = Int(bytes.bigEndianUInt32(at: start).byteSwapped)
    guard length >= 12 else { return malformed(.packetTap, .length(length, least: 12, most: .max)) }
    let isPacket = bytes.bigEndianUInt32(at: start &+ 4).byteSwapped == 1
    let type = bytes.bigEndianUInt32(at: start &+ 8).byteSwapped
    guard hasBytes(length, .packetTap) else { return .malformed }
    start &+= length
    return isPacket ? inner(type) : .notTCP
  }

  /// The layer of a link type inside another one. Exported PDUs are never nested.
  private func inner(_ type: UInt32) -> Layer {
    let linkType = LinkType(rawValue: UInt16(truncatingIfNeeded: type))
    guard type <= UInt16.max, let layer = Layer(linkType), layer != .exportedPDU else {
      return .unsupported(linkType)
    }
    return layer
  }

  /// LINKTYPE_IEEE802_11_PRISM and _AVS: a magic number of four bytes, then the length of the header, big-endian in
  /// AVS, in the machine's byte order in Prism.
  mutating func prism(in bytes: RawSpan) -> Layer {
    guard hasBytes(8, .radio) else { return .malformed }
    let isAVS = bytes.bigEndianUInt32(at: start) & 0xffff_f000 == 0x8021_1000
    let length = bytes.bigEndianUInt32(at: start &+ 4)
    let count = Int(isAVS ? length : min(length, length.byteSwapped))
    guard count >= 8 else { return malformed(.radio, .length(count, least: 8, most: .max)) }
    guard hasBytes(count, .radio) else { return .malformed }
    start &+= count
    return .wireless
  }
}
