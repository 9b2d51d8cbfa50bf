import Analysis
import PacketCapture
import WireBytes

/// Makes of a kept stream what a mock server plays: which bytes in which chunks, after what the client must have
/// sent by then, and how it ends.
package struct ConnectionPlan {
  private let chunks: StreamChunks
  /// Nil plays without pauses.
  private let pace: ReplayPace?

  package init(chunks: StreamChunks, pace: ReplayPace?) { (self.chunks, self.pace) = (chunks, pace) }

  /// A stream that has ended.
  package struct Stream {
    /// For messages.
    package var name: String
    package var server: RecordedSide
    package var client: RecordedSide
    /// Bytes that the client sent, missing ones included.
    package var clientBytes: Int
    /// On a gateway connection the server answers.
    package var isGateway: Bool
    package var ending: ServedConnection.Ending
  }

  package func connection(_ stream: Stream) -> ServedConnection {
    ServedConnection(
      name: stream.name, bytes: stream.server.bytes, steps: steps(stream), ending: stream.ending,
      chunkSizes: chunkSizes(stream.server))
  }

  /// The sizes for clients that get the stream in chunks of `StreamChunks.everySizes` are set for each.
  private func chunkSizes(_ server: RecordedSide) -> [Int] {
    switch chunks {
    case .asCaptured: server.arrivals.isEmpty ? [Self.unknownChunk] : []
    case .sizes(let sizes): sizes
    case .everySize: []
    }
  }

  /// Where no packets are known, a read returns so many bytes at most (docs/spec/readers.md#chunks).
  private static let unknownChunk = 4096

  private func steps(_ stream: Stream) -> [ServedConnection.Step] {
    let count = stream.server.bytes.count
    var requests = stream.isGateway ? SentRequests(stream.client) : nil
    var steps: [ServedConnection.Step] = []
    if stream.isGateway, stream.server.arrivals.isEmpty, stream.clientBytes > 0 {
      // Nothing tells when the server sent what it did, or it sent nothing before it closed.
      steps.append(.await(clientBytes: stream.clientBytes))
    }
    guard count > 0 else { return steps }
    guard !stream.server.arrivals.isEmpty else { return steps + [.send(0..<count)] }
    var before: PacketReference?
    for (index, arrival) in stream.server.arrivals.enumerated() {
      let next = index + 1 < stream.server.arrivals.count ? stream.server.arrivals[index + 1].offset : count
      let start = index == 0 ? 0 : arrival.offset
      if let request = requests?.newlySent(before: arrival) {
        steps.append(.await(clientBytes: request.end))
        before = request.packet
      }
      append(start..<next, to: &steps, pause: pause(from: before, to: arrival.packet))
      before = arrival.packet
    }
    return steps
  }

  private func pause(from first: PacketReference?, to second: PacketReference) -> Int64 {
    pace?.pause(from: first?.time, to: second.time) ?? 0
  }

  private func append(_ range: Range<Int>, to steps: inout [ServedConnection.Step], pause: Int64) {
    if pause > 0 { steps.append(.pause(nanoseconds: pause)) }
    // Other chunks than the captured ones go across packets.
    if !keepsPackets, case .send(let last)? = steps.last {
      steps[steps.count - 1] = .send(last.lowerBound..<range.upperBound)
    } else {
      steps.append(.send(range))
    }
  }

  private var keepsPackets: Bool {
    if case .asCaptured = chunks { true } else { false }
  }
}

/// How much a client had sent when a packet of the server was captured.
private struct SentRequests {
  /// Packets of the client in the order of the capture, each with the offset behind the furthest byte by then.
  private var packets: [(order: CaptureOrder, end: Int, packet: PacketReference)] = []
  private var next = 0

  init(_ client: RecordedSide) {
    let ends = client.arrivals.dropFirst().map(\.offset) + [client.end]
    packets = zip(client.arrivals, ends).map { (CaptureOrder($0), $1, $0.packet) }
    packets.sort { $0.order < $1.order }
    var furthest = 0
    for index in packets.indices {
      furthest = max(furthest, packets[index].end)
      packets[index].end = furthest
    }
  }

  /// The last packet of the client before `arrival` that was not asked for before; nil where there is none.
  mutating func newlySent(before arrival: RecordedSide.Arrival) -> (end: Int, packet: PacketReference)? {
    let order = CaptureOrder(arrival)
    let first = next
    while next < packets.count, packets[next].order < order { next += 1 }
    return next > first ? (packets[next - 1].end, packets[next - 1].packet) : nil
  }
}

/// The order in which the capture holds what both sides sent: by packet, else by place in the file.
private struct CaptureOrder: Comparable {
  private let input: UInt16
  private let place: Int

  init(_ arrival: RecordedSide.Arrival) {
    input = arrival.packet.input
    place = arrival.packet.number ?? arrival.fileOffset
  }

  static func < (left: CaptureOrder, right: CaptureOrder) -> Bool {
    (left.input, left.place) < (right.input, right.place)
  }
}

/// How fast captured times are replayed.
package struct ReplayPace {
  /// So many times as fast as captured; above 0.
  private let factor: Double
  /// The longest single pause, in seconds.
  private let longestPause: Double

  package init(factor: Double, longestPause: Double) {
    (self.factor, self.longestPause) = (factor, longestPause)
  }

  /// The pause, in nanoseconds, for what lay between two packets; 0 where their order or their times are not known.
  package func pause(from first: CaptureTime?, to second: CaptureTime?) -> Int64 {
    guard let first, let second else { return 0 }
    let seconds = Double(second.seconds &- first.seconds) + second.part - first.part
    return Int64(min(max(seconds / factor, 0), longestPause) * 1e9)
  }
}

extension CaptureTime {
  /// What is behind the whole seconds, in seconds.
  fileprivate var part: Double {
    var unit = 1.0
    for _ in 0..<min(digits, UInt8(Self.maxDigits)) { unit *= 10 }
    return Double(fraction) / unit
  }
}

/// Which client gets what: the connections in turn, and again from the top.
package struct ServeScript: Sendable {
  private let connections: [ServedConnection]
  /// The sizes of chunks, of which each client gets the next one; empty where all get the same chunks.
  private let sizes: [Int]

  /// - Parameter connections: never empty.
  package init(_ connections: [ServedConnection], chunks: StreamChunks) {
    self.connections = connections
    if case .everySize = chunks { sizes = Array(StreamChunks.everySizes) } else { sizes = [] }
  }

  /// How many clients get something until all has been served once.
  package var round: Int { connections.count * max(1, sizes.count) }

  /// What the client of a number, from 0, gets: every size of the first stream, then of the second, and so on.
  package func connection(for client: Int) -> ServedConnection {
    let place = client % round
    guard !sizes.isEmpty else { return connections[place] }
    let (stream, turn) = place.quotientAndRemainder(dividingBy: sizes.count)
    var connection = connections[stream]
    connection.chunkSizes = [sizes[turn]]
    connection.name += " in chunks of \(sizes[turn])"
    return connection
  }
}
