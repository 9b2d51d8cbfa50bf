import WireBytes

extension PacketWalk {
  /// The segment whose header stands at `start` (RFC 9293, section 3.1); nil if it cannot be right. Options
  /// that were not captured are no fault: none of them matters to a stream.
  @inline(__always)
  mutating func tcp(in bytes: RawSpan) -> TCPSegment? {
    guard holds(20, .tcp) else { return nil }
    let headerLength = Int(bytes.byte(at: start &+ 12) >> 4) &* 4
    guard headerLength >= 20, headerLength <= wireEnd &- start else {
      _ = flaw(.tcp, .length(headerLength, least: 20, most: min(60, wireEnd &- start)))
      return nil
    }
    let payloadStart = start &+ headerLength
    let there = max(0, end &- payloadStart)
    return TCPSegment(
      source: Endpoint(address: source, port: bytes.bigEndianUInt16(at: start)),
      destination: Endpoint(address: destination, port: bytes.bigEndianUInt16(at: start &+ 2)),
      sequence: SequenceNumber(bytes.bigEndianUInt32(at: start &+ 4)),
      acknowledgement: SequenceNumber(bytes.bigEndianUInt32(at: start &+ 8)),
      flags: TCPSegment.Flags(rawValue: bytes.byte(at: start &+ 13)),
      window: bytes.bigEndianUInt16(at: start &+ 14),
      payloadStart: min(payloadStart, end), payloadLength: there,
      missingLength: wireEnd &- payloadStart &- there)
  }
}
