/// The parameters of a generated input. The same values give the same bytes.
package struct Scenario: Sendable {
  package var seed: UInt64 = 0
  /// The number of tuples, requests or pushes in all connections.
  package var tuples = 1000
  /// The number of distinct tokens; nil for the number of tuples. Tokens of a few bytes may coincide.
  package var tokens: Int?
  /// Range of the tuples' times, in seconds since 1970.
  package var times: ClosedRange<UInt32> = 1_325_376_000...1_609_459_199
  /// Token lengths in bytes, with equal probability.
  package var tokenLengths = [32]
  package var damage = StreamDamageRates()
  package var fileDamage = FileDamageRates()
  package var capture = CaptureScenario()
  /// Gateway connections that end with an error response, per 1000.
  package var responses = 500
  package var pushes = PushRates()
  package var log = PushLogScenario()

  package init() {}

  /// Whether the input is damaged, so that the truth has only some of the records, and no findings.
  var isDamaged: Bool { !damage.isNone || !fileDamage.isNone }

  /// The numbers, from 0, of a connection's tuples or requests, which are distributed evenly.
  func share(of connection: Int, among count: Int) -> Range<Int> {
    let (share, rest) = tuples.quotientAndRemainder(dividingBy: max(1, count))
    let start = connection * share + min(connection, rest)
    return start..<start + share + (connection < rest ? 1 : 0)
  }

  /// The number of the token in tuple or request `number`. Every token occurs once before any is repeated.
  func token(of number: Int, _ random: inout RandomNumbers) -> Int {
    let tokens = max(1, tokens ?? tuples)
    return number < tokens ? number : random.below(tokens)
  }

  /// The times that a decoder accepts as plausible (docs/spec/decoding-rules.md#feedback-tuples).
  package static let plausibleTimes: ClosedRange<UInt32> = 1_245_196_800...1_619_740_800
  /// The shortest span of times that has enough unambiguous ones (RecordSource), in seconds.
  package static let shortestSpan: UInt32 = 86_400
  package static let longestToken = 100
  /// The normal token length of a decoder by default, in bytes.
  static let normalLength = 32
}

/// Rates of damage to the bytes of a side before they are sent, per 1000 tuples or requests.
package struct StreamDamageRates: Sendable, Equatable {
  /// 1 to 20 bytes are missing.
  package var lostBytes = 0
  /// 1 to 3 bytes are changed.
  package var flippedBytes = 0
  /// 512 to 4096 bytes are missing.
  package var lostBlocks = 0
  /// Bytes are inserted that a reader's buffer of 38 bytes has after a short read (docs/spec/readers.md#models, `cookbook` and
  /// `java`): zeros, or bytes of the previous read.
  package var padding = 0
  /// The last tuple or request is cut off.
  package var cutsTail = false

  package init() {}
  package var isNone: Bool { self == StreamDamageRates() }
}

/// Rates of damage to the written capture file, per 1000 packets with data.
///
/// Damaged headers can affect a whole connection in unpredictable ways. So some connections are spared, and only
/// the others are damaged (CaptureGenerator).
package struct FileDamageRates: Sendable, Equatable {
  /// 1 to 20 bytes are missing in the packet or its record header.
  package var lostBytes = 0
  /// 1 to 3 bytes are changed.
  package var flippedBytes = 0
  /// The file ends within its last packet.
  package var cutsTail = false

  package init() {}
  package var isNone: Bool { self == FileDamageRates() }
}

/// Parameters of the connections, the network and the capture.
package struct CaptureScenario: Sendable, Equatable {
  package var connections = 1
  /// The maximum number of connections open at a time.
  package var openConnections = 4
  /// Payload bytes of a segment, uniformly distributed.
  package var segmentSizes = 1400...1400
  /// Data segments missing from the capture, per 1000.
  package var loss = 0
  /// Segments that arrive up to 32 packets late, per 1000.
  package var reordering = 0
  /// Retransmitted segments, up to 32 packets later, per 1000.
  package var retransmission = 0
  /// Segments that begin with up to 64 bytes of the previous one, per 1000.
  package var overlaps = 0
  /// Segments retransmitted with up to 3 other bytes, per 1000.
  package var conflicts = 0
  /// Sequence numbers wrap around within the first bytes of connections; if ports are reused, of every other one.
  package var wrapsSequence = false
  package var reusesPorts = false
  /// The capture begins after the first connections were opened.
  package var beginsMidstream = false
  /// Connections that end with a RST of one side instead of FINs, per 1000.
  package var resets = 0
  /// The maximum number of captured bytes of a packet; nil for no limit.
  package var snapLength: Int?
  /// Packets with data that are split into 2 to 4 fragments, per 1000.
  package var fragments = 0
  package var link = CaptureLink.ethernet
  package var isV6 = false
  package var container = CaptureContainer()
  /// The beginning of the capture, in seconds since 1970.
  package var start: UInt32 = 1_367_400_600

  package init() {}

  /// The longest payload, so that the segments after a gap fit a decoder's buffers (docs/spec/decoding-rules.md#hold-back).
  package static let longestSegment = 1460
  /// Large enough for all headers, so that a cut packet still has some of its payload.
  package static let snapLengths = 100...262_144
  /// The number of client ports: the dynamic ports (RFC 6335), which servers do not use.
  package static let clientPorts = 16_384
  /// Each port of 65,000 addresses.
  package static let maxConnectionsLimit = clientPorts * 65_000
  package static let mostOpenConnections = 1000
  /// The number of requests of a connection that a decoder keeps until a response arrives.
  package static let mostRequests = 1_000_000
  /// The maximum number of pushes in an HTTP/2 connection: their payloads fit into its flow-control window.
  package static let mostPushes = 4_000_000
  /// The longest delay of a packet or its copy, in packets.
  static let longestDelay = 32
  static let longestOverlap = 64
}

package enum CaptureLink: String, CaseIterable, Sendable {
  case ethernet, vlan, sll, sll2, null, loop, raw

  /// The link type in the capture file (tcpdump.org, "Link-layer header types").
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

package struct CaptureContainer: Sendable, Equatable {
  package enum Format: String, CaseIterable, Sendable { case pcap, pcapng }

  package var format = Format.pcap
  package var isBigEndian = false
  /// Whether times are in nanoseconds instead of microseconds.
  package var hasNanoseconds = false
}
