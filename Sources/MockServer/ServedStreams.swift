import Analysis
import PacketCapture
import Platform
import WireBytes

/// Keeps streams until they end, and makes of those that can be served what the server plays.
///
/// Memory: all that is kept, of open streams and of those that are to be served, takes no more than `memory` bytes. A
/// stream that would take more is not served.
package final class ServedStreams {
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
  private var served: [Served] = []
  /// Streams that cannot be served, and of how many of them a message tells.
  package private(set) var refused = 0

  package init(_ plan: ConnectionPlan, memory: Int, wanted: Int?) {
    self.plan = plan
    self.memory = memory
    self.wanted = wanted
  }

  /// What is to be served, in the order of the inputs and of the streams in each.
  package func connections() -> [ServedConnection] {
    served.sort { ($0.input, $0.number) < ($1.input, $1.number) }
    return served.map(\.connection)
  }

  /// Whether only gateways are to be served.
  package var areGateways: Bool { served.allSatisfy(\.isGateway) }

  /// Gets the streams, and makes of each what is served when it ends.
  package func recorder() -> StreamRecorder {
    StreamRecorder(budget: memory, contents: .packets, wanted: wanted) { self.add($0, $1, $2) }
  }

  /// Returns the memory that the connection takes, in bytes.
  private func add(_ stream: RecordedStream, _ summary: StreamSummary, _ report: StreamReport) -> Int {
    let isServers = stream.feedbackSender == .server
    let side = isServers ? summary.serverSide : summary.serverSide.other
    let name = name(summary, report)
    if let reason = reason(stream, summary, report, side) {
      refuse(name, reason)
      return 0
    }
    if stream.midstreamOf.contains(stream.feedbackSender), stream[side].end > 0 {
      Messages.say("\(name): the capture lacks the beginning of what the server sent: it is served without")
    }
    let connection = plan.connection(
      ConnectionPlan.Stream(
        name: name, server: stream[side], client: stream[side.other],
        clientBytes: isServers ? summary.clientBytes &+ summary.clientGapBytes : stream[side.other].end,
        isGateway: summary.speaks == .gateway, ending: ending(report, of: side)))
    served.append(
      Served(
        input: stream.input, number: summary.number, isGateway: summary.speaks == .gateway,
        connection: connection))
    return connection.cost
  }

  private func name(_ summary: StreamSummary, _ report: StreamReport) -> String {
    let evidence = report.identity.serverEvidence
    let isDump = evidence == .dump || evidence == .pair
    return isDump ? summary.source : "\(summary.source) stream \(summary.number)"
  }

  /// Why a stream is not served; nil where it is.
  private func reason(
    _ stream: RecordedStream, _ summary: StreamSummary, _ report: StreamReport, _ side: Side
  ) -> String? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    switch summary.speaks {
    case .encrypted: return "it is encrypted: decrypt the capture first"
    case .other: return "it is neither feedback nor a gateway connection (--protocol says what a stream is)"
    case .feedback, .gateway: break
    }
    if missing > 0 { return "\(Count.of(missing, "byte")) of what the server sent are missing" }
    if stream.isOverBudget { return "all streams together may take \(ByteSize.text(memory)); raise --memory" }
    if report.identity.serverEvidence == .dump, bytes == 0, summary.clientBytes > 0 {
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
  private func ending(_ report: StreamReport, of side: Side) -> ServedConnection.Ending {
    switch report[side].end {
    case .finished: .close
    case .reset: .reset
    case nil: report.firstPacket?.number == nil ? .close : .waitForClient
    }
  }
}

extension ServedConnection {
  /// Bytes of memory that it takes, but for what arrays have in reserve.
  fileprivate var cost: Int { bytes.count &+ MemoryLayout<Step>.stride &* steps.count }
}
