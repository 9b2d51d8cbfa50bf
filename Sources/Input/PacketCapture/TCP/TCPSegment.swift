import Basics

/// A TCP sequence number: arithmetic on it is modulo 2^32 (RFC 9293, section 3.4).
package struct SequenceNumber: Hashable, Sendable {
  package var value: UInt32

  package init(_ value: UInt32) { self.value = value }

  package static func + (number: SequenceNumber, count: Int) -> SequenceNumber {
    SequenceNumber(number.value &+ UInt32(truncatingIfNeeded: count))
  }

  /// Number of bytes from `other` to `self`, in the shorter direction: -2^31 to 2^31 - 1.
  package func distance(from other: SequenceNumber) -> Int { Int(Int32(bitPattern: value &- other.value)) }
}

/// The fields of a TCP header, and the location of the payload in the bytes that it was read from.
package struct TCPSegment: Equatable, Sendable {
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let fin = Flags(rawValue: 0x01)
    package static let syn = Flags(rawValue: 0x02)
    package static let rst = Flags(rawValue: 0x04)
    package static let psh = Flags(rawValue: 0x08)
    package static let ack = Flags(rawValue: 0x10)
  }

  package var source: Endpoint
  package var destination: Endpoint
  package var sequence: SequenceNumber
  /// Meaningless without the flag `ack`.
  package var acknowledgement: SequenceNumber
  package var flags: Flags
  /// As in the header, not scaled.
  package var window: UInt16
  /// Bytes of the header before the payload; 0 if a tool has removed it.
  package var headerLength = 0
  /// Index of the payload's first byte, and the number of captured bytes.
  package var payloadStart: Int
  package var payloadLength: Int
  /// Bytes at the payload's end that were on the wire but not captured (snap length).
  package var missingLength: Int
  /// Whether they are missing because the file ends.
  var isCutByFile = false

  /// Whether it begins a connection; a SYN with RST does not.
  package var isSYN: Bool { flags.contains(.syn) && !flags.contains(.rst) }

  /// The finding of the bytes that the packet had on the wire and the capture lacks.
  func truncation(at fileOffset: Int?, _ packet: PacketReference) -> StreamFinding {
    StreamFinding(
      .truncatedPacket, length: missingLength, fileOffset: fileOffset, packet: packet,
      message: .truncatedPacket(packet.name, missing: missingLength, byFileEnd: isCutByFile))
  }

  package init(
    source: Endpoint, destination: Endpoint, sequence: SequenceNumber,
    acknowledgement: SequenceNumber = SequenceNumber(0), flags: Flags = [], window: UInt16 = .max,
    payloadStart: Int = 0, payloadLength: Int, missingLength: Int
  ) {
    (self.source, self.destination, self.sequence) = (source, destination, sequence)
    (self.acknowledgement, self.flags, self.window) = (acknowledgement, flags, window)
    (self.payloadStart, self.payloadLength, self.missingLength) = (payloadStart, payloadLength, missingLength)
  }
}

struct PayloadOrigin {
  /// Index of the first byte in the source's window; nil if the bytes are in no window, such as those of a fragmented
  /// datagram.
  var windowIndex: Int?
  /// Offset of the first byte in the file.
  var fileOffset: Int
  var packet: PacketReference
  var checksum = ChecksumEvidence.none
  /// Whether they are the one byte of a keep-alive.
  var isKeepAlive = false

  /// The number of the packet that brought the end of the segment.
  var segment: UInt32 {
    if case .verified(_, let packet) = checksum { return packet }
    return UInt32(truncatingIfNeeded: packet.number ?? 0)
  }

  func advanced(by count: Int) -> PayloadOrigin {
    PayloadOrigin(
      windowIndex: windowIndex.map { $0 &+ count }, fileOffset: fileOffset &+ count, packet: packet,
      checksum: checksum.advanced(by: count), isKeepAlive: isKeepAlive)
  }
}

/// A part of a segment's payload: the bytes from one packet.
struct PayloadPart {
  /// Indices in the payload, from 0.
  var range: Range<Int>
  var origin: PayloadOrigin
}
