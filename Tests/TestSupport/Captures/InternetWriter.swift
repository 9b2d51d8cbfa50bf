/// Bytes of TCP and IP, with the checksums that a network card would have set.
enum InternetWriter {
  /// The protocol numbers that are used here.
  enum Number: UInt8 {
    case ipv4 = 4
    case tcp = 6
    case udp = 17
    case ipv6 = 41
    case fragment = 44
    case gre = 47
  }

  /// The datagrams of a segment: one, or its fragments in the order in which they are captured.
  static func datagrams(of segment: Segment) -> [[UInt8]] {
    let payload = tcp(segment)
    guard let size = segment.fragmentSize, size < payload.count else {
      return [datagram(of: segment, payload)]
    }
    precondition(size > 0 && size % 8 == 0, "fragments are cut at multiples of 8 bytes")
    let fragments = stride(from: 0, to: payload.count, by: size).map { begin in
      fragment(of: segment, payload, begin..<min(begin + size, payload.count))
    }
    switch segment.fragmentOrder {
    case .inOrder: return fragments
    case .reversed: return fragments.reversed()
    case .lastFirst: return fragments.suffix(1) + fragments.dropLast()
    }
  }

  private static func datagram(of segment: Segment, _ payload: [UInt8]) -> [UInt8] {
    let length = segment.isLengthZero ? 0 : nil
    if segment.source.isV6 {
      return ipv6(.tcp, segment.source.address, segment.destination.address, payload, length: length)
    }
    return ipv4(
      .tcp, segment.source.address, segment.destination.address, payload,
      identification: segment.identification, length: length)
  }

  private static func fragment(of segment: Segment, _ whole: [UInt8], _ range: Range<Int>) -> [UInt8] {
    let isLast = range.upperBound == whole.count
    let part = Array(whole[range])
    let (source, destination) = (segment.source.address, segment.destination.address)
    guard segment.source.isV6 else {
      return ipv4(
        .tcp, source, destination, part, identification: segment.identification,
        fragmentField: range.lowerBound / 8 | (isLast ? 0 : 0x2000))
    }
    let header = join(
      [Number.tcp.rawValue, 0], be16(range.lowerBound | (isLast ? 0 : 1)), be32(segment.identification))
    return ipv6(.fragment, source, destination, header + part)
  }

  /// RFC 791. `fragmentField` is the flags and the offset in units of 8 bytes; `length` is said instead of the
  /// true one.
  static func ipv4(
    _ number: Number, _ source: [UInt8], _ destination: [UInt8], _ payload: [UInt8],
    identification: UInt16 = 1, fragmentField: Int = 0, length: Int? = nil
  ) -> [UInt8] {
    let head = join(
      [0x45, 0], be16(length ?? 20 + payload.count), be16(identification), be16(fragmentField),
      [64, number.rawValue])
    let checksum = internetChecksum(join(head, source, destination))
    return join(head, be16(checksum), source, destination, payload)
  }

  /// RFC 8200.
  static func ipv6(
    _ number: Number, _ source: [UInt8], _ destination: [UInt8], _ payload: [UInt8], length: Int? = nil
  ) -> [UInt8] {
    join(
      [0x60, 0, 0, 0], be16(length ?? payload.count), [number.rawValue, 64], source, destination, payload)
  }

  /// RFC 9293; a SYN has the option for the largest segment.
  static func tcp(_ segment: Segment) -> [UInt8] {
    let options: [UInt8] = segment.flags.contains(.syn) ? [2, 4, 5, 0xb4] : []
    let head = join(
      be16(segment.source.port), be16(segment.destination.port), be32(segment.sequence),
      be32(segment.acknowledgement), [UInt8((20 + options.count) / 4) << 4, segment.flags.rawValue],
      be16(segment.window))
    let rest = join([0, 0], options, segment.payload)
    let pseudoHeader = join(
      segment.source.address, segment.destination.address, be32(head.count + 2 + rest.count),
      [0, 0, 0, Number.tcp.rawValue])
    let checksum = internetChecksum(join(pseudoHeader, head, [0, 0], rest))
    return join(head, be16(checksum), rest)
  }

  /// RFC 768, without a checksum, as IPv4 allows.
  static func udp(from source: Int, to destination: Int, _ payload: [UInt8]) -> [UInt8] {
    join(be16(source), be16(destination), be16(8 + payload.count), [0, 0], payload)
  }
}
