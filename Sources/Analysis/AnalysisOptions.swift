import APNsWire
import PacketCapture

/// What an analysis goes by: the limits of docs/spec/decoding-rules.md#limits, and how streams are told apart.
package struct AnalysisOptions: Sendable {
  package var rules = FeedbackRules.standard
  package var requestRules = RequestRules.standard
  package var choice = ProtocolChoice()
  package var gateway = GatewayLimits()
  /// How many findings of each code sinks get as excerpts, with the bytes around them.
  package var excerptsPerCode = 0

  package init() {}

  package var probe: ContentProbe { ContentProbe(feedback: rules, requests: requestRules) }
}

/// The limits of correlation, and where what waits for it may go.
package struct GatewayLimits: Sendable {
  /// How many requests of a connection wait for a response at most (docs/spec/decoding-rules.md#correlation).
  package static let usualMaxPending = 1_000_000

  package var maxPending = usualMaxPending
  /// Memory in bytes for the bytes of requests that wait; beyond it they go to a temporary file.
  package var memory = 1 << 30
  package var temporaryDirectory = "/tmp"

  package init() {}
}

/// How it is told what a stream speaks: by its port, else by its content (docs/spec/captures.md#protocol-of-a-stream).
package struct ProtocolChoice: Sendable {
  /// What a user can say that the bytes are. Of a connection with two directions, requests and responses both
  /// say that it is one with a gateway.
  package enum Name: String, CaseIterable, Sendable {
    case feedback, requests, responses
  }

  /// What the user says all streams are; nil leaves it to port and content.
  package var named: Name?
  package var feedbackPorts: Set<UInt16> = [2196]
  package var gatewayPorts: Set<UInt16> = [2195]

  package init() {}

  package var serverPorts: Set<UInt16> { feedbackPorts.union(gatewayPorts) }

  /// What `stream` is taken for before any of its bytes is known; nil where its content must tell.
  func expected(of stream: StreamIdentity) -> StreamProtocol? {
    switch named {
    case .feedback: return .feedback
    case .requests, .responses: return .gateway
    case nil: break
    }
    if stream.serverEvidence == .pair { return .gateway }
    guard let port = stream.endpoint(stream.server)?.port else { return nil }
    if feedbackPorts.contains(port) { return .feedback }
    return gatewayPorts.contains(port) ? .gateway : nil
  }

  /// Who sent the bytes of a dump, where the user says what they are; nil where its content must tell.
  var dumpServer: Side? {
    switch named {
    case .feedback, .responses: .first
    case .requests: .second
    case nil: nil
    }
  }
}
