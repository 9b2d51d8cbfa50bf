import Analysis
import Basics

/// Turns a recorded stream into a connection to serve: the bytes and chunks, the client bytes to await before each,
/// and the end.
struct ConnectionPlan {
  let chunks: StreamChunks
  /// Nil plays without pauses.
  let pace: ReplayPace?

  /// A stream that has ended.
  struct Stream {
    /// For messages.
    var name: String
    var server: RecordedSide
    var client: RecordedSide
    /// Number of client bytes, including missing ones.
    var clientBytes: Int
    /// Whether the server responds to requests.
    var isGateway: Bool
    var ending: ServedConnection.Ending
  }

  func connection(_ stream: Stream) -> ServedConnection {
    ServedConnection(
      name: stream.name, bytes: stream.server.bytes, steps: steps(stream), ending: stream.ending,
      chunkSizes: chunkSizes(stream.server))
  }

  /// Chunk sizes. Those of `StreamChunks.everySizes` are set for each client.
  private func chunkSizes(_ server: RecordedSide) -> [Int] {
    switch chunks {
    case .asCaptured: server.arrivals.isEmpty ? [Self.unknownChunk] : []
    case .sizes(let sizes): sizes
    case .everySize: []
    }
  }

  /// Without packets, a read returns at most this number of bytes (docs/spec/readers.md#chunks).
  private static let unknownChunk = 4096

  private func steps(_ stream: Stream) -> [ServedConnection.Action] {
    let count = stream.server.bytes.count
    var requests = stream.isGateway ? SentRequests(stream.client) : nil
    var steps: [ServedConnection.Action] = []
    if stream.isGateway, stream.server.arrivals.isEmpty, stream.clientBytes > 0 {
      // The times of the server's bytes are unknown, or it sent nothing before it closed.
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
      append(start..<next, to: &steps, pause: pace?.pause(from: before?.time, to: arrival.packet.time) ?? 0)
      before = arrival.packet
    }
    return steps
  }

  private func append(_ range: Range<Int>, to steps: inout [ServedConnection.Action], pause: Int64) {
    if pause > 0 { steps.append(.pause(nanoseconds: pause)) }
    // Chunks other than the captured ones extend across packets.
    if chunks != .asCaptured, case .send(let last)? = steps.last {
      steps[steps.count - 1] = .send(last.lowerBound..<range.upperBound)
    } else {
      steps.append(.send(range))
    }
  }
}

/// Amount of client data sent before a packet of the server was captured.
private struct SentRequests {
  /// Packets of the client in capture order, each with the end offset of its furthest byte so far.
  private var packets: [(order: (UInt16, Int), end: Int, packet: PacketReference)] = []
  private var next = 0

  init(_ client: RecordedSide) {
    let ends = client.arrivals.dropFirst().map(\.offset) + [client.end]
    packets = zip(client.arrivals, ends).map { ($0.order, $1, $0.packet) }
    packets.sort { $0.order < $1.order }
    var furthest = 0
    for index in packets.indices {
      furthest = max(furthest, packets[index].end)
      packets[index].end = furthest
    }
  }

  /// The last new packet of the client before `arrival`; nil if there is none since the last call.
  mutating func newlySent(before arrival: RecordedSide.Arrival) -> (end: Int, packet: PacketReference)? {
    let first = next
    while next < packets.count, packets[next].order < arrival.order { next += 1 }
    return next > first ? (packets[next - 1].end, packets[next - 1].packet) : nil
  }
}

extension RecordedSide.Arrival {
  /// The capture order of both sides' packets: by input, then by packet number, else by file offset.
  fileprivate var order: (UInt16, Int) { (packet.input, packet.number ?? fileOffset) }
}

package struct ReplayPace {
  /// Multiple of the captured speed; above 0.
  private let factor: Double
  /// The longest single pause, in seconds.
  private let longestPause: Double

  package init(factor: Double, longestPause: Double) {
    (self.factor, self.longestPause) = (factor, longestPause)
  }

  /// The pause between two packets, in nanoseconds; 0 if their order or their times are unknown.
  fileprivate func pause(from first: CaptureTime?, to second: CaptureTime?) -> Int64 {
    guard let first, let second else { return 0 }
    let seconds = Double(second.seconds &- first.seconds) + second.part - first.part
    return Int64(min(max(seconds / factor, 0), longestPause) * 1e9)
  }
}

extension CaptureTime {
  /// The fraction, in seconds.
  fileprivate var part: Double { Double(fraction) / pow(10, Double(min(digits, UInt8(Self.maxDigits)))) }
}

/// Assigns connections to clients, in turn and repeatedly.
package struct ServeScript: Sendable {
  private let connections: [ServedConnection]
  /// Chunk sizes, one for each client in turn; empty if all clients get the same chunks.
  private let sizes: [Int]

  /// - Parameter connections: never empty.
  package init(_ connections: [ServedConnection], chunks: StreamChunks) {
    self.connections = connections
    if case .everySize = chunks { sizes = Array(StreamChunks.everySizes) } else { sizes = [] }
  }

  /// Number of clients until everything has been served once.
  package var round: Int { connections.count * max(1, sizes.count) }

  /// The connection for a client, by its number from 0: every size of the first stream, then of the second, and so
  /// on.
  package func connection(for client: Int) -> ServedConnection {
    let index = client % round
    guard !sizes.isEmpty else { return connections[index] }
    let (stream, turn) = index.quotientAndRemainder(dividingBy: sizes.count)
    var connection = connections[stream]
    connection.chunkSizes = [sizes[turn]]
    connection.name = "\(connection.name) in chunks of \(sizes[turn])"
    return connection
  }
}
