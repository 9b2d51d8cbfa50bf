/// Capture files of libpcap's older format.
package struct PcapWriter: Sendable {
  package var order: ByteOrder = .little
  package var isNanosecond = false
  /// The variant with 24-byte record headers, which once came with some systems.
  package var isModified = false
  /// What the header says; packets are not cut here.
  package var snapLength = 262_144

  package init() {}

  /// The file, with `garbage` (bytes by index of a packet) before these packets' records.
  package func file(_ packets: [CapturedPacket], garbage: [Int: [UInt8]] = [:]) -> [UInt8] {
    header(linkType: packets.first?.linkType ?? 1)
      + packets.enumerated().flatMap { (garbage[$0.offset] ?? []) + record($0.element) }
  }

  package func header(linkType: UInt16) -> [UInt8] {
    let magic: UInt32 = isModified ? 0xa1b2_cd34 : isNanosecond ? 0xa1b2_3c4d : 0xa1b2_c3d4
    return join(
      order.bytes(magic, 4), order.bytes(2, 2), order.bytes(4, 2), order.bytes(0, 8),
      order.bytes(snapLength, 4), order.bytes(linkType, 4))
  }

  package func record(_ packet: CapturedPacket) -> [UInt8] {
    let fraction = packet.time % 1_000_000_000 / (isNanosecond ? 1 : 1000)
    return join(
      order.bytes(packet.time / 1_000_000_000, 4), order.bytes(fraction, 4),
      order.bytes(packet.bytes.count, 4), order.bytes(packet.originalLength, 4),
      // Index of the interface, protocol, type of the packet, padding.
      isModified ? join(order.bytes(1, 4), order.bytes(0x0800, 2), [0, 0]) : [], packet.bytes)
  }
}
