import Analysis
import MockServer
import PacketCapture
import WireBytes

/// Keeps streams until they end, and makes of those that can be served what the server plays.
///
/// Memory: all that is kept, of open streams and of those that are to be served, takes no more than `memory` bytes. A
/// stream that would take more is not served.
final class ServedStreams: EvidenceSink {
  /// A stream that is still open.
  private struct OpenStream {
    var first = KeptSide()
    var second = KeptSide()
    /// Who sent feedback.
    var sentByServer = false
    var sentByClient = false
    var isGivenUp = false

    var cost: Int { first.cost &+ second.cost }

    subscript(side: Side) -> KeptSide {
      get { side == .first ? first : second }
      _modify {
        if side == .first { yield &first } else { yield &second }
      }
    }

    mutating func giveUp() {
      first.drop()
      second.drop()
      isGivenUp = true
    }
  }

  /// One that is to be served, and its place among them.
  private struct Served {
    var input: Int
    var number: Int
    var isGateway: Bool
    var connection: ServedConnection
  }

  private static let maxMessages = 10

  private let plan: ConnectionPlan
  private let memory: Int
  /// The number of the streams that are wanted; nil for all.
  private let wanted: Int?
  private var streams: [Int: OpenStream] = [:]
  private var served: [Served] = []
  /// Bytes that all of it takes.
  private var kept = 0
  private var input = 0
  /// What the source said of the stream that is closed just now.
  private var report: StreamReport?
  /// Streams that cannot be served, and of how many of them a message tells.
  private(set) var refused = 0

  init(_ plan: ConnectionPlan, memory: Int, wanted: Int?) {
    self.plan = plan
    self.memory = memory
    self.wanted = wanted
  }

  /// What is to be served, in the order of the inputs and of the streams in each.
  func connections() -> [ServedConnection] {
    served.sort { ($0.input, $0.number) < ($1.input, $1.number) }
    return served.map(\.connection)
  }

  /// Whether only gateways are to be served.
  var areGateways: Bool { served.allSatisfy(\.isGateway) }

  // MARK: - What is kept

  func beginInput() { input += 1 }

  func keep(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) {
    change(direction.stream) { $0[direction.side].append(bytes, origins: origins) }
  }

  /// - Parameter packetsToo: when what came is of no use, either.
  func drop(_ direction: StreamDirection, packetsToo: Bool) {
    change(direction.stream) { stream in
      if packetsToo { stream[direction.side].drop() } else { stream[direction.side].dropBytes() }
    }
  }

  func beginInMidstream(_ direction: StreamDirection) {
    change(direction.stream) { $0[direction.side].beginsInMidstream = true }
  }

  func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    change(records.labels.stream) { stream in
      if records.direction == .server { stream.sentByServer = true } else { stream.sentByClient = true }
    }
  }

  /// Changes what is kept of a stream, and gives it up where that takes too much.
  private func change(_ number: Int, _ change: (inout OpenStream) -> Void) {
    if let wanted, number != wanted { return }
    let before = streams[number]?.cost ?? 0
    change(&streams[number, default: OpenStream()])
    kept &+= (streams[number]?.cost ?? 0) &- before
    if kept > memory {
      kept &-= streams[number]?.cost ?? 0
      streams[number]?.giveUp()
    }
  }

  // MARK: - The end of a stream

  /// The analyzer is about to be told the same.
  func closing(_ report: StreamReport) { self.report = report }

  func stream(_ summary: StreamSummary) {
    if let wanted, summary.number != wanted { return }
    let stream = streams.removeValue(forKey: summary.number) ?? OpenStream()
    kept &-= stream.cost
    let isServers = stream.sentByServer || !stream.sentByClient
    let side = isServers ? summary.serverSide : summary.serverSide.other
    let name = name(summary)
    if let reason = reason(stream, summary, side) { return refuse(name, reason) }
    if stream[side].beginsInMidstream, stream[side].end > 0 {
      Messages.say("\(name): the capture lacks the beginning of what the server sent: it is served without")
    }
    let connection = plan.connection(
      ConnectionPlan.Stream(
        name: name, server: stream[side], client: stream[side.other],
        clientBytes: isServers ? summary.clientBytes &+ summary.clientGapBytes : stream[side.other].end,
        isGateway: summary.speaks == .gateway, ending: ending(of: side)))
    served.append(
      Served(
        input: input, number: summary.number, isGateway: summary.speaks == .gateway, connection: connection))
    kept &+= connection.cost
  }

  private func name(_ summary: StreamSummary) -> String {
    let isDump = report?.identity.serverEvidence == .dump || report?.identity.serverEvidence == .pair
    return isDump ? summary.source : "\(summary.source) stream \(summary.number)"
  }

  /// Why a stream is not served; nil where it is.
  private func reason(_ stream: OpenStream, _ summary: StreamSummary, _ side: Side) -> String? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    switch summary.speaks {
    case .encrypted: return "it is encrypted: decrypt the capture first"
    case .other: return "it is neither feedback nor a gateway connection (--protocol says what a stream is)"
    case .feedback, .gateway: break
    }
    if missing > 0 { return "\(Count.of(missing, "byte")) of what the server sent are missing" }
    if stream.isGivenUp { return "all streams together may take \(ByteSize.text(memory)); raise --memory" }
    if report?.identity.serverEvidence == .dump, bytes == 0, summary.clientBytes > 0 {
      return "it is what a client sent; --requests and --responses name both directions"
    }
    return stream[side].bytes.count == bytes ? nil : "what the server sent could not be decoded"
  }

  private func refuse(_ name: String, _ reason: String) {
    refused += 1
    guard refused <= Self.maxMessages else { return }
    let rest = refused == Self.maxMessages ? " (of others that are not served no more is said)" : ""
    Messages.say("\(name): is not served: \(reason)\(rest)")
  }

  /// A dump and an export do not say how the connection ended. The server closed when it had sent all, and many
  /// clients read until then.
  private func ending(of side: Side) -> ServedConnection.Ending {
    switch report?[side].end {
    case .finished: .close
    case .reset: .reset
    case nil: report?.firstPacket?.number == nil ? .close : .waitForClient
    }
  }
}

extension ServedConnection {
  /// Bytes of memory that it takes, but for what arrays have in reserve.
  fileprivate var cost: Int { bytes.count &+ MemoryLayout<Step>.stride &* steps.count }
}
