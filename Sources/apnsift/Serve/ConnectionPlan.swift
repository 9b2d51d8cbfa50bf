import Analysis
import MockServer
import PacketCapture
import ReaderModels

/// Makes of a kept stream what a mock server plays: which bytes in which chunks, after what the client must have
/// sent by then, and how it ends.
struct ConnectionPlan {
  var chunks: StreamChunks
  /// Nil plays without pauses.
  var pace: ReplayPace?

  /// A stream that has ended.
  struct Stream {
    /// For messages.
    var name: String
    var server: RecordedSide
    var client: RecordedSide
    /// Bytes that the client sent, missing ones included.
    var clientBytes: Int
    /// On a gateway connection the server answers.
    var isGateway: Bool
    var ending: ServedConnection.Ending
  }

  func connection(_ stream: Stream) -> ServedConnection {
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

  /// Where no packets are known, a read returns so many bytes at most (readers.md).
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
