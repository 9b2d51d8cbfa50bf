import Basics

/// The tags before the data of an exported PDU (LINKTYPE_WIRESHARK_UPPER_PDU): type and length of two bytes each,
/// then the value; all big-endian. The length includes the value's padding, and tags come in any order. Unneeded tags
/// are skipped.
struct ExportedPDUTags {
  private var source: IPAddress?
  private var destination: IPAddress?
  private var sourcePort: UInt16?
  private var destinationPort: UInt16?
  private var portType: UInt32?
  /// The dissector's number in its table.
  private var tableValue: UInt32?
  private(set) var pdu = ExportedPDU()

  /// Takes the value of a tag, which begins at the start of `value`; false if it is too short.
  fileprivate mutating func take(_ tag: UInt16, _ value: RawSpan) -> Bool {
    guard value.byteCount >= Self.minLength(of: tag) else { return false }
    switch tag {
    // Usually one of them is present; the dissector's own name is the most specific.
    case 12: pdu.dissector = Self.text(value)
    case 13, 14: if pdu.dissector == nil { pdu.dissector = Self.text(value) }
    case 20: source = IPAddress(v4: value.bigEndianUInt32(at: 0))
    case 21: destination = IPAddress(v4: value.bigEndianUInt32(at: 0))
    case 22: source = IPAddress(v6At: 0, in: value)
    case 23: destination = IPAddress(v6At: 0, in: value)
    case 24: portType = value.bigEndianUInt32(at: 0)
    case 25: sourcePort = UInt16(truncatingIfNeeded: value.bigEndianUInt32(at: 0))
    case 26: destinationPort = UInt16(truncatingIfNeeded: value.bigEndianUInt32(at: 0))
    case 30: pdu.originalFrame = Int(value.bigEndianUInt32(at: 0))
    case 32: tableValue = value.bigEndianUInt32(at: 0)
    case 34: pdu.tcp = Self.tcpInfo(value)
    default: break
    }
    return true
  }

  /// Minimum length of a tag's value, in bytes.
  static func minLength(of tag: UInt16) -> Int {
    switch tag {
    case 20, 21, 24, 25, 26, 30, 32: 4
    case 22, 23: 16
    case 34: 19
    default: 0
    }
  }

  /// All tags were read; the data is in `payload`.
  fileprivate mutating func finish(payload: Range<Int>, missingLength: Int) {
    pdu.payload = payload
    pdu.missingLength = missingLength
    if let source, let sourcePort { pdu.source = Endpoint(address: source, port: sourcePort) }
    if let destination, let destinationPort {
      pdu.destination = Endpoint(address: destination, port: destinationPort)
    }
    pdu.isTCP = portType == 2 || portType == nil && pdu.source != nil && pdu.destination != nil
  }

  /// The first header of the data if it is a packet, by the names of Wireshark's dissectors and tables; nil if it is
  /// data.
  var layer: Layer? {
    switch pdu.dissector {
    case "eth", "eth_withoutfcs", "eth_withfcs", "eth_maybefcs": .ethernet
    case "ip", "ipv4": .ipv4
    case "ipv6": .ipv6
    case "raw_ip": .ip
    case "gre": .transport(47)
    case "ppp", "ppp_hdlc": .pointToPoint
    case "sll": .cooked
    case "ip.proto": tableValue.flatMap(UInt8.init(exactly:)).map { .transport($0) }
    case "ethertype": tableValue.flatMap(UInt16.init(exactly:)).map { .network($0) }
    case "tcp": .tcp
    default: nil
    }
  }

  /// The addresses, for inner headers without any.
  var addresses: (source: IPAddress, destination: IPAddress)? {
    guard let source, let destination else { return nil }
    return (source, destination)
  }

  /// Values that are text end in zeros up to a multiple of four bytes.
  private static func text(_ value: RawSpan) -> String {
    var length = value.byteCount
    while length > 0, value.byte(at: length &- 1) == 0 { length &-= 1 }
    return value.extracting(first: length).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Version 1: three numbers from 2 on, a Boolean at 14, the header's flags at 15; nil for other versions.
  private static func tcpInfo(_ value: RawSpan) -> ExportedPDU.TCPInfo? {
    guard value.bigEndianUInt16(at: 0) == 1 else { return nil }
    return ExportedPDU.TCPInfo(
      sequence: SequenceNumber(value.bigEndianUInt32(at: 2)),
      nextSequence: SequenceNumber(value.bigEndianUInt32(at: 6)),
      acknowledgement: SequenceNumber(value.bigEndianUInt32(at: 10)),
      isReassembled: value.byte(at: 14) != 0,
      flags: TCPSegment.Flags(rawValue: value.byte(at: 16)))
  }
}

extension PacketParser {
  /// Reads the tags and stops at the data after them; nil if they are invalid.
  mutating func exportedPDU(in bytes: RawSpan) -> ExportedPDUTags? {
    var tags = ExportedPDUTags()
    while hasBytes(4, .exportedPDU) {
      let tag = bytes.bigEndianUInt16(at: start)
      let length = Int(bytes.bigEndianUInt16(at: start &+ 2))
      guard hasBytes(4 &+ length, .exportedPDU) else { return nil }
      if tag == 0 {
        start &+= 4 &+ length
        tags.finish(payload: start..<end, missingLength: wireEnd &- end)
        return tags
      }
      guard tags.take(tag, bytes.extracting(start &+ 4..<start &+ 4 &+ length)) else {
        let least = ExportedPDUTags.minLength(of: tag)
        _ = malformed(.exportedPDU, .length(length, least: least, most: .max))
        return nil
      }
      start &+= 4 &+ length
    }
    return nil
  }
}
