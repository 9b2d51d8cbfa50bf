/// A TCP connection as two peers would have it: handshake, turns of data that are acknowledged, farewell.
package struct Conversation: Sendable {
  package enum Sender: Hashable, Sendable { case client, server }

  package struct Turn: Sendable {
    package var sender: Sender
    package var bytes: [UInt8]

    package init(_ sender: Sender, _ bytes: [UInt8]) {
      self.sender = sender
      self.bytes = bytes
    }
  }

  package var client = Host.v4(10, port: 49_152)
  package var server = Host.v4(20, port: 2196)
  /// The sequence numbers of the SYNs.
  package var clientStart: UInt32 = 1000
  package var serverStart: UInt32 = 900_000_000
  package var turns: [Turn]
  /// Payload bytes of the segments of a turn, used in turn and again from the first.
  package var segmentSizes = [1400]
  /// Nanoseconds since 1970 of the first SYN; here 2013-05-01T09:30:00Z.
  package var start: UInt64 = 1_367_400_600_000_000_000
  /// Nanoseconds from packet to packet; not a whole number of microseconds, so that resolutions differ.
  package var interval: UInt64 = 1_234_567

  package init(_ turns: [Turn]) { self.turns = turns }

  /// A server that sends `bytes`, in segments of these sizes, and closes: a feedback connection.
  package init(serverSends bytes: [UInt8], in sizes: [Int] = [1400]) {
    self.init([Turn(.server, bytes)])
    segmentSizes = sizes
  }

  /// All that `sender` says.
  package func bytes(of sender: Sender) -> [UInt8] {
    turns.filter { $0.sender == sender }.flatMap(\.bytes)
  }

  /// The conversation between other peers of IPv6.
  package var overV6: Conversation {
    var other = self
    other.client = .v6(10, port: client.port)
    other.server = .v6(20, port: server.port)
    return other
  }

  package func segments() -> [Segment] {
    var teller = Teller(self)
    teller.say(.client, .syn)
    teller.say(.server, [.syn, .ack])
    teller.say(.client, .ack)
    for turn in turns { teller.send(turn) }
    teller.say(.server, [.fin, .ack])
    teller.say(.client, [.fin, .ack])
    teller.say(.server, .ack)
    return teller.segments
  }
}

/// Knows what each side has to say next.
private struct Teller {
  let conversation: Conversation
  var segments: [Segment] = []
  private var next: [Conversation.Sender: UInt32]
  private var sizeIndex = 0

  init(_ conversation: Conversation) {
    self.conversation = conversation
    next = [.client: conversation.clientStart, .server: conversation.serverStart]
  }

  mutating func say(_ sender: Conversation.Sender, _ flags: TCPFlags, _ payload: [UInt8] = []) {
    let isClient = sender == .client
    var segment = Segment(
      from: isClient ? conversation.client : conversation.server,
      to: isClient ? conversation.server : conversation.client,
      sequence: next[sender, default: 0],
      time: conversation.start + UInt64(segments.count) * conversation.interval)
    segment.flags = flags
    segment.payload = payload
    if flags.contains(.ack) { segment.acknowledgement = next[isClient ? .server : .client, default: 0] }
    segment.identification = UInt16(truncatingIfNeeded: segments.count &+ 1)
    next[sender] = segment.end
    segments.append(segment)
  }

  mutating func send(_ turn: Conversation.Turn) {
    var rest = turn.bytes[...]
    while !rest.isEmpty {
      let size = conversation.segmentSizes[sizeIndex % conversation.segmentSizes.count]
      sizeIndex += 1
      say(turn.sender, [.psh, .ack], Array(rest.prefix(size)))
      say(turn.sender == .client ? .server : .client, .ack)
      rest = rest.dropFirst(size)
    }
  }
}
