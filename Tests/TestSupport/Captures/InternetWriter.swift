/// Bytes of TCP and IP, with the checksums that a network card would have set.
enum InternetWriter {
  static func datagram(of segment: Segment) -> [UInt8] {
    let payload = tcp(segment)
    let (source, destination) = (segment.source.address, segment.destination.address)
    guard !segment.source.isV6 else {
      // RFC 8200.
      return join([0x60, 0, 0, 0], be16(payload.count), [6, 64], source, destination, payload)
    }
    // RFC 791.
    let head = join(
      [0x45, 0], be16(20 + payload.count), be16(segment.identification), [0, 0, 64, 6])
    return join(head, be16(internetChecksum(join(head, source, destination))), source, destination, payload)
  }

  /// RFC 9293; a SYN has the option for the largest segment.
  private static func tcp(_ segment: Segment) -> [UInt8] {
    let options: [UInt8] = segment.flags.contains(.syn) ? [2, 4, 5, 0xb4] : []
    let head = join(
      be16(segment.source.port), be16(segment.destination.port), be32(segment.sequence),
      be32(segment.acknowledgement), [UInt8((20 + options.count) / 4) << 4, segment.flags.rawValue],
      be16(segment.window))
    let rest = join([0, 0], options, segment.payload)
    let pseudoHeader = join(
      segment.source.address, segment.destination.address, be32(head.count + 2 + rest.count), [0, 0, 0, 6])
    return join(head, be16(internetChecksum(join(pseudoHeader, head, [0, 0], rest))), rest)
  }

  /// RFC 1071.
  private static func internetChecksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt64 = 0
    for (index, byte) in bytes.enumerated() { sum += UInt64(byte) << (index % 2 == 0 ? 8 : 0) }
    while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
    return ~UInt16(sum)
  }
}
