/// How what was said travels, and how it is captured.
package struct CaptureScenario: Sendable, Equatable {
  package var connections = 1
  /// How many of them are open at a time, at most.
  package var openConnections = 4
  /// Payload bytes of a segment, each number as likely as the others.
  package var segmentSizes = 1400...1400
  /// Of 1000 data segments, so many are not in the capture at all.
  package var loss = 0
  /// So many come up to 32 packets late.
  package var reordering = 0
  /// So many come again, up to 32 packets later.
  package var retransmission = 0
  /// So many begin with up to 64 bytes of the one before.
  package var overlaps = 0
  /// So many come again with up to 3 other bytes.
  package var conflicts = 0
  /// Sequence numbers wrap around within the first bytes of connections; where ports are reused, of every other.
  package var wrapsSequence = false
  /// A connection has the ports of the one before it that has ended.
  package var reusesPorts = false
  /// The capture begins when the first connections are open already.
  package var beginsMidstream = false
  /// Of 1000 connections, so many end with a RST of one side, in place of the FINs.
  package var resets = 0
  /// Bytes of a packet that the capture has at most; nil for all.
  package var snapLength: Int?
  /// Of 1000 packets with data, so many are 2 to 4 fragments.
  package var fragments = 0
  package var link = CaptureLink.ethernet
  package var isV6 = false
  package var container = CaptureContainer()
  /// When the capture begins, in seconds since 1970.
  package var start: UInt32 = 1_367_400_600

  package init() {}

  /// What a decoder holds back behind a hole must fit its buffers (docs/reliability.md, Limits).
  package static let longestSegment = 1460
  /// Room for all headers, so that a packet that is cut still has some of its payload.
  package static let snapLengths = 100...262_144
  /// Ports of clients: the dynamic ones (RFC 6335), so that none is a server's.
  package static let clientPorts = 16_384
  /// Each port of so many addresses.
  package static let mostConnections = clientPorts * 65_000
  package static let mostOpenConnections = 1000
  /// So many requests of a connection wait for a response in a decoder, and no more.
  package static let mostRequests = 1_000_000
  /// Packets that another one can be late by, or a copy.
  static let longestDelay = 32
  static let longestOverlap = 64
}

/// What packets begin with.
package enum CaptureLink: String, CaseIterable, Sendable {
  case ethernet, vlan, sll, sll2, null, loop, raw

  /// The number in the capture file (tcpdump.org, "Link-layer header types").
  var linkType: UInt16 {
    switch self {
    case .ethernet, .vlan: 1
    case .sll: 113
    case .sll2: 276
    case .null: 0
    case .loop: 108
    case .raw: 101
    }
  }
}

/// The kind of capture file.
package struct CaptureContainer: Sendable, Equatable {
  package enum Format: String, CaseIterable, Sendable {
    case pcap, pcapng
  }

  package var format = Format.pcap
  package var isBigEndian = false
  /// Else microseconds.
  package var hasNanoseconds = false

  package init() {}
}
