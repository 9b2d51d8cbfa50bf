/// What a captured packet holds, as far as streams go.
package enum Dissection: Equatable, Sendable {
  /// A TCP segment; `payloadStart` is an index in the window that the packet lies in.
  case segment(TCPSegment)
  /// A TCP segment that came in fragments; `payloadStart` is an index in the datagram's bytes.
  indirect case datagram(TCPSegment, ReassembledDatagram)
  /// Data that Wireshark exported without its headers.
  indirect case exportedPDU(ExportedPDU)
  /// Nothing for a stream: not TCP, a fragment that waits for others, or headers that cannot be right.
  case passedOver
}

/// An IP datagram put together from its fragments, without its IP header.
package struct ReassembledDatagram: Equatable, Sendable {
  package var bytes: [UInt8]
  /// Where its bytes stand in the file and which packets brought them; offsets count from the datagram's
  /// first byte, not in a stream.
  package var origins: [ByteOrigin]
}

/// One record of a capture of exported PDUs (link type 252).
package struct ExportedPDU: Equatable, Sendable {
  /// What Wireshark knew of the TCP segment that the data came in.
  package struct TCPInfo: Equatable, Sendable {
    /// Sequence number of the data's first byte and of the byte behind it. They count from 0 at the
    /// connection's SYN where Wireshark showed relative numbers, which is its default.
    package var sequence: SequenceNumber
    package var nextSequence: SequenceNumber
    package var acknowledgement: SequenceNumber
    /// The data came in several segments; the numbers are those of the last.
    package var isReassembled: Bool
    package var flags: TCPSegment.Flags
  }

  /// Where the data lies in the window, and how many of its bytes the capture lacks at its end.
  package var payload: Range<Int> = 0..<0
  package var missingLength = 0
  /// Nil where the record gives no address or no port.
  package var source: Endpoint?
  package var destination: Endpoint?
  /// The port type says TCP, or there are ports and nothing says what kind they are.
  package var isTCP = false
  /// Number of the packet in the capture that this one was exported from, from 1.
  package var originalFrame: Int?
  /// Name of the dissector, of the heuristic or of the table that the data is meant for; nil if none is given.
  package var dissector: String?
  package var tcp: TCPInfo?
}

/// How many packets of each kind were dissected.
package struct PacketCounts: Equatable, Sendable {
  package var packets = 0
  /// TCP segments, those that came in fragments counted once.
  package var segments = 0
  package var exportedPDUs = 0
  /// Anything else whose headers could be read as far as that.
  package var notTCP = 0
  /// Frames of a wireless network that are encrypted.
  package var encryptedFrames = 0
  package var malformed = 0
  /// Fragments of IP datagrams of any protocol.
  package var fragments = 0
  /// Packets of link types that are not read.
  package var unsupported: [LinkType: Int] = [:]
}
