import APNsWire
import PacketCapture
import ProviderLogs
import StreamInputs

/// Options of an analysis: the limits of docs/spec/decoding-rules.md#limits, and how the protocol of a stream is determined.
package struct AnalysisOptions: Sendable {
  package var rules = FeedbackRules.standard
  package var requestRules = RequestRules.standard
  package var choice = ProtocolChoice()
  package var gateway = GatewayLimits()
  package var logs = LogOptions()
  /// The number of findings of each code that sinks also get as excerpts, with the bytes around them.
  package var excerptsPerCode = 0
  /// The most hours of pushes that are counted each for itself.
  package var mostHours = PushHours.defaultMost

  package init() {}

  package var contentProbes: [FormatProbe] { [probe.formatProbe, ContentProbe.logProbe(logs)] }

  package var probe: ContentProbe { ContentProbe(feedback: rules, requests: requestRules) }
}

/// The limits of correlation, and the directory for pending requests that exceed the memory.
package struct GatewayLimits: Sendable {
  /// The default of `maxPending` (docs/spec/decoding-rules.md#correlation).
  package static let defaultMaxPending = 1_000_000

  /// The maximum number of requests of a connection that are kept until a response names one of them.
  package var maxPending = defaultMaxPending
  /// Requests kept above that: a response that was captured before them may still arrive, since each direction is
  /// reassembled separately.
  package var slack = 1 << 17
  /// The maximum number of waiting responses in all connections.
  package var maxWaiting = 1 << 18
  /// Memory in bytes for pending requests; above it they go to a temporary file.
  package var memory = 1 << 30
  package var temporaryDirectory = "/tmp"

  package init() {}
}

/// How the protocol of a stream is determined: by its port, else by its content (docs/spec/captures.md#protocol-of-a-stream, `--protocol`).
package struct ProtocolChoice: Sendable {
  /// The values of `--protocol`. For a connection with two directions, `requests` and `responses` both mean a gateway
  /// connection.
  package enum Name: String, CaseIterable, Sendable { case feedback, requests, responses, pushes }

  /// The protocol of all streams; nil to decide by port and content.
  package var named: Name?
  package var feedbackPorts: Set<UInt16> = [2196]
  package var gatewayPorts: Set<UInt16> = [2195]

  package init() {}

  package var serverPorts: Set<UInt16> { feedbackPorts.union(gatewayPorts) }

  /// The protocol of `stream` before any of its bytes is known; nil if its content must decide.
  func expected(of stream: StreamIdentity) -> StreamProtocol? {
    switch named {
    case .feedback: return .feedback
    case .requests, .responses: return .gateway
    case .pushes: return .http2
    case nil: break
    }
    if stream.serverEvidence == .pair { return .gateway }
    guard let port = stream.endpoint(stream.server)?.port else { return nil }
    let client = stream.endpoint(stream.server.other)?.port
    if stream.serverEvidence == .guess, client.map(serverPorts.contains) == true { return nil }
    if feedbackPorts.contains(port) { return .feedback }
    return gatewayPorts.contains(port) ? .gateway : nil
  }

  /// The side that sent the bytes of a dump, from `named`; nil if its content must decide.
  var dumpServer: Side? {
    switch named {
    case .feedback, .responses: .first
    case .requests: .second
    case .pushes, nil: nil
    }
  }
}
