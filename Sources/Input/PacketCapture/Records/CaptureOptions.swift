/// Options and limits for reading captures (docs/reliability.md, "Limits").
package struct CaptureOptions: Sendable {
  /// Upper bounds of the options, whose cost grows even before a packet is read.
  package static let maxReorderWindow = 1 << 20
  package static let maxConnectionsLimit = 1 << 24
  package static let maxPacketLimit = 1 << 30

  /// A libpcap filter; only packets that match are read. Nil reads all.
  package var filter: String?
  /// Packets to read before a gap is declared, or a direction without a SYN begins.
  package var reorderWindow = 4096
  /// Bytes that one direction may buffer, including overhead; above that its first gap is declared early.
  package var streamBuffer = 16 << 20
  /// Bytes that all directions together may buffer; above that the oldest gap is declared early.
  package var totalBuffer = 64 << 20
  /// Bytes of fragments buffered for incomplete datagrams.
  package var fragmentBuffer = 16 << 20
  /// Connections tracked at once; above that the one that was idle longest is dropped.
  package var maxConnections = 262_144
  /// A record that claims more bytes is damaged.
  package var maxPacket = 16 << 20
  /// Server ports: they identify the server if no handshake was captured.
  package var serverPorts: Set<UInt16> = []
  package var readsSecrets = false
  /// Whether packets are left out: only the key logs are of use.
  package var skipsPackets = false

  package init() {}
}
