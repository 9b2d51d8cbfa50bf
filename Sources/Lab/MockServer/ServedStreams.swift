import Analysis
import Basics
import PacketCapture

/// Records streams until they end, and turns servable ones into connections to replay.
///
/// Memory: open streams and connections together take at most `memory` bytes. A stream that would exceed it is not
/// served.
package final class ServedStreams {
  private static let maxMessages = 10

  private let plan: ConnectionPlan
  private let memory: Int
  /// The stream number to serve; nil for all.
  private let wanted: Int?
  private var served: [(input: Int, number: Int, connection: ServedConnection)] = []
  /// Number of streams that cannot be served.
  package private(set) var refused = 0

  /// - Parameter pace: nil plays without pauses.
  package init(chunks: StreamChunks, pace: ReplayPace?, memory: Int, wanted: Int?) {
    (plan, self.memory, self.wanted) = (ConnectionPlan(chunks: chunks, pace: pace), memory, wanted)
  }

  /// The connections to serve, in the order of the inputs and their streams.
  package func connections() -> [ServedConnection] {
    served.sorted { ($0.input, $0.number) < ($1.input, $1.number) }.map(\.connection)
  }

  /// Whether only gateway connections are served.
  package private(set) var areGateways = true

  /// Receives the streams, and adds a connection for each when it ends.
  package func recorder() -> StreamRecorder {
    StreamRecorder(budget: memory, contents: .packets, wanted: wanted) { self.add($0, $1, $2) }
  }

  /// Returns the memory of the connection, in bytes.
  private func add(_ stream: RecordedStream, _ summary: StreamSummary, _ report: StreamReport) -> Int {
    let isServers = stream.feedbackSender == .server
    let side = isServers ? summary.serverSide : summary.serverSide.other
    let name = name(summary, report)
    if let reason = reason(stream, summary, report, side) {
      refuse(name, reason)
      return 0
    }
    if stream.midstreamOf.contains(stream.feedbackSender), stream[side].end > 0 {
      Console.say(.about(name, "the beginning of the server's bytes was not captured; the rest is served"))
    }
    let isGateway = summary.streamProtocol == .gateway
    areGateways = areGateways && isGateway
    let connection = plan.connection(
      ConnectionPlan.Stream(
        name: name, server: stream[side], client: stream[side.other],
        clientBytes: isServers ? summary.clientBytes &+ summary.clientGapBytes : stream[side.other].end,
        isGateway: isGateway, ending: ending(report, of: side)))
    served.append((stream.input, summary.number, connection))
    // Without the spare capacity of arrays.
    return connection.bytes.count &+ MemoryLayout<ServedConnection.Action>.stride &* connection.steps.count
  }

  private func name(_ summary: StreamSummary, _ report: StreamReport) -> String {
    let evidence = report.identity.serverEvidence
    let isDump = evidence == .dump || evidence == .pair
    return isDump ? summary.source : "\(summary.source) stream \(summary.number)"
  }

  /// Why a stream is not served; nil if it is.
  private func reason(
    _ stream: RecordedStream, _ summary: StreamSummary, _ report: StreamReport, _ side: Side
  ) -> Message? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    switch summary.streamProtocol {
    case .encrypted: return "the stream is encrypted; give its keys with --keys"
    case .http2, .providerLog: return "it has pushes; give --pushes to answer them"
    case .other: return "neither feedback nor a gateway connection (use --protocol to set the protocol)"
    case .feedback, .gateway: break
    }
    if missing > 0 { return "\(Count.of(missing, "byte")) of the server are missing" }
    if stream.isOverBudget { return "all streams together exceed \(ByteSize.text(memory)); raise --memory" }
    if report.identity.serverEvidence == .dump, bytes == 0, summary.clientBytes > 0 {
      return "the dump has a client's bytes; use --requests and --responses to give both directions"
    }
    return stream[side].bytes.count == bytes ? nil : "the server's bytes could not be decoded"
  }

  private func refuse(_ name: String, _ reason: Message) {
    refused += 1
    guard refused <= Self.maxMessages else { return }
    let rest = refused == Self.maxMessages ? " (further ones are not listed)" : ""
    Console.say("\(name): not served: \(reason)\(rest)")
  }

  /// In a dump or an export the end of the connection is unknown. Servers closed after sending everything, and many
  /// clients read until then.
  private func ending(_ report: StreamReport, of side: Side) -> ServedConnection.Ending {
    switch report[side].end {
    case .finished: .close
    case .reset: .reset
    case nil: report.firstPacket?.number == nil ? .close : .waitForClient
    }
  }
}
