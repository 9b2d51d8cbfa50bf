/// How captures are read, and what they may cost (docs/reliability.md, "Limits").
package struct CaptureOptions: Sendable {
  /// What the options can be at most: their cost grows with them even before a packet is read.
  package static let maxReorderWindow = 1 << 20
  package static let mostConnections = 1 << 24
  package static let longestPacket = 1 << 30

  /// A libpcap filter; only packets that match are read. Nil reads all.
  package var filter: String?
  /// How many more packets are read before a hole is declared, or a direction without a SYN begins.
  package var reorderWindow = 4096
  /// Bytes that one direction may hold back, overhead counted in; beyond it its first hole is declared early.
  package var streamBuffer = 16 << 20
  /// Bytes that all directions may hold back together; beyond it the oldest hole is declared early.
  package var totalBuffer = 64 << 20
  /// Bytes of fragments that may wait for the rest of their datagrams.
  package var fragmentBuffer = 16 << 20
  /// Connections that are remembered at once; beyond it the one that was idle longest is forgotten.
  package var maxConnections = 262_144
  /// A record that claims to be longer is damage, in bytes.
  package var maxPacket = 16 << 20
  /// Ports that servers listen on: they tell the sides apart where no handshake was captured.
  package var serverPorts: Set<UInt16> = []

  package init() {}
}
