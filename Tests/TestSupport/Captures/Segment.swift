/// An address and a port, as packets carry them.
package struct Host: Hashable, Sendable {
  /// 4 bytes of IPv4 or 16 of IPv6.
  package var address: [UInt8]
  package var port: UInt16

  package init(_ address: [UInt8], port: UInt16) {
    precondition(address.count == 4 || address.count == 16, "an IP address has 4 or 16 bytes")
    self.address = address
    self.port = port
  }

  package var isV6: Bool { address.count == 16 }

  /// 192.0.2.`number` (RFC 5737).
  package static func v4(_ number: UInt8, port: UInt16) -> Host { Host([192, 0, 2, number], port: port) }

  /// 2001:db8::`number` (RFC 3849).
  package static func v6(_ number: UInt8, port: UInt16) -> Host {
    Host([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [number], port: port)
  }
}

/// The control bits of a TCP header.
package struct TCPFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let fin = TCPFlags(rawValue: 0x01)
  package static let syn = TCPFlags(rawValue: 0x02)
  package static let rst = TCPFlags(rawValue: 0x04)
  package static let psh = TCPFlags(rawValue: 0x08)
  package static let ack = TCPFlags(rawValue: 0x10)
}

/// A TCP segment before it has any bytes.
package struct Segment: Equatable, Sendable {
  package var source: Host
  package var destination: Host
  package var sequence: UInt32
  package var acknowledgement: UInt32 = 0
  package var flags: TCPFlags = []
  package var window: UInt16 = 65_535
  package var payload: [UInt8] = []
  /// Nanoseconds since 1970.
  package var time: UInt64
  /// IPv4's.
  package var identification: UInt16 = 0

  package init(from source: Host, to destination: Host, sequence: UInt32, time: UInt64) {
    self.source = source
    self.destination = destination
    self.sequence = sequence
    self.time = time
  }

  /// The sequence number of the first payload byte: a SYN takes a number of its own (RFC 9293, section 3.4).
  package var payloadSequence: UInt32 { flags.contains(.syn) ? sequence &+ 1 : sequence }

  /// The sequence number after the segment.
  package var end: UInt32 {
    payloadSequence &+ UInt32(payload.count) &+ (flags.contains(.fin) ? 1 : 0)
  }
}

extension [Segment] {
  /// Several conversations on one line, by time; of equal times the earlier list goes first.
  package static func interleaved(_ lists: [[Segment]]) -> [Segment] {
    lists.flatMap { $0 }.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}
