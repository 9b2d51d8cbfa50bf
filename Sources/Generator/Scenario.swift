/// What is to be generated. The same values give the same bytes.
package struct Scenario: Sendable {
  package var seed: UInt64 = 0
  /// How many tuples, or requests, in all connections together.
  package var tuples = 1000
  /// How many distinct tokens they have; nil for as many as tuples. Tokens of a few bytes may coincide.
  package var tokens: Int?
  /// Times of tuples, both ends included, in seconds since 1970.
  package var times: ClosedRange<UInt32> = 1_325_376_000...1_609_459_199
  /// Token lengths, each as likely as the others.
  package var tokenLengths = [32]
  package var damage = StreamDamageRates()
  package var fileDamage = FileDamageRates()
  package var capture = CaptureScenario()
  /// Of 1000 gateway connections, so many end with an error response.
  package var responses = 500

  package init() {}

  /// Whether all that a decoder says of it is known: of what is damaged, no more is promised than some of the records.
  var isDamaged: Bool { !damage.isNone || !fileDamage.isNone }

  /// Which of all tuples or requests a connection has, by their numbers from 0: all have as many, or one more.
  func share(of connection: Int, among count: Int) -> Range<Int> {
    let (share, rest) = tuples.quotientAndRemainder(dividingBy: max(1, count))
    let start = connection * share + min(connection, rest)
    return start..<start + share + (connection < rest ? 1 : 0)
  }

  /// The number of the token that the tuple or request of that number has: every token comes once before any comes
  /// again.
  func token(of number: Int, _ random: inout RandomNumbers) -> Int {
    let tokens = max(1, tokens ?? tuples)
    return number < tokens ? number : random.below(tokens)
  }

  /// The times that a tuple may have: outside of them a decoder doubts it (docs/spec/decoding-rules.md#feedback-tuples).
  package static let plausibleTimes: ClosedRange<UInt32> = 1_245_196_800...1_619_740_800
  /// The shortest span in which times can be told from everything else (RecordSource), in seconds.
  package static let shortestSpan: UInt32 = 86_400
  package static let longestToken = 100
  /// The length that a decoder holds to be normal unless it is told otherwise.
  static let normalLength = 32
}

/// How often what a side says is damaged before it travels: of 1000 tuples or requests, so many.
package struct StreamDamageRates: Sendable, Equatable {
  /// 1 to 20 bytes are missing.
  package var lostBytes = 0
  /// 1 to 3 bytes are others.
  package var flippedBytes = 0
  /// 512 to 4096 bytes are missing.
  package var lostBlocks = 0
  /// Bytes stand there that a reader's buffer of 38 bytes held behind a short read (docs/spec/readers.md#models, `cookbook` and
  /// `java`), zeros or bytes of the read before.
  package var padding = 0
  /// The last tuple or request is cut off.
  package var cutsTail = false

  package init() {}

  package var isNone: Bool { self == StreamDamageRates() }
}

/// How often a capture file is damaged when it was written: of 1000 packets with data, so many.
///
/// What comes of a packet whose headers are damaged is the decoder's luck, and that of its whole connection. So each
/// connection is spared or not, and damage stays with those that are not (CaptureGenerator).
package struct FileDamageRates: Sendable, Equatable {
  /// 1 to 20 bytes are missing in the packet or its record header.
  package var lostBytes = 0
  /// 1 to 3 bytes are others.
  package var flippedBytes = 0
  /// The file ends within its last packet.
  package var cutsTail = false

  package init() {}

  package var isNone: Bool { self == FileDamageRates() }
}

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
