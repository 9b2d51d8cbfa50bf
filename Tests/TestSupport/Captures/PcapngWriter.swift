/// Capture files of the newer format (draft-ietf-opsawg-pcapng): one section, one interface, no options.
package struct PcapngWriter: Sendable {
  package var order: ByteOrder = .little
  /// Simple blocks have no time and no interface.
  package var isSimple = false

  package init() {}

  /// The file, with `garbage` (bytes by index of a packet) before these packets' blocks.
  package func file(_ packets: [CapturedPacket], garbage: [Int: [UInt8]] = [:]) -> [UInt8] {
    let section = join(
      order.bytes(0x1a2b_3c4d, 4), order.bytes(1, 2), order.bytes(0, 2), order.bytes(UInt64.max, 8))
    let interface = join(order.bytes(packets.first?.linkType ?? 1, 2), [0, 0], order.bytes(0, 4))
    return block(0x0a0d_0d0a, section) + block(1, interface)
      + packets.enumerated().flatMap { (garbage[$0.offset] ?? []) + packetBlock($0.element) }
  }

  private func packetBlock(_ packet: CapturedPacket) -> [UInt8] {
    let bytes = packet.bytes + [UInt8](repeating: 0, count: -packet.bytes.count & 3)
    let original = order.bytes(packet.originalLength, 4)
    guard !isSimple else { return block(3, original + bytes) }
    let time = packet.time / 1000
    return block(
      6,
      join(
        order.bytes(0, 4), order.bytes(time >> 32, 4), order.bytes(time, 4),
        order.bytes(packet.bytes.count, 4), original, bytes))
  }

  package func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let length = order.bytes(body.count + 12, 4)
    return join(order.bytes(type, 4), length, body, length)
  }
}
