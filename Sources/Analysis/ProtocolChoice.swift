import APNsWire
import StreamSources
import WireBytes

/// How it is told what a stream speaks: by its port, else by its content (interface.md, `--protocol`).
package struct ProtocolChoice: Sendable {
  /// What the user says all streams are; nil leaves it to port and content.
  package var named: StreamProtocol?
  package var feedbackPorts: Set<UInt16> = [2196]
  package var gatewayPorts: Set<UInt16> = [2195]

  /// So many bytes of a direction's first run tell what it is.
  static let headLength = 512

  package init() {}

  package var serverPorts: Set<UInt16> { feedbackPorts.union(gatewayPorts) }

  /// What `stream` is taken for before any of its bytes is known; nil where its content must tell.
  func expected(of stream: StreamIdentity) -> StreamProtocol? {
    if let named { return named }
    // A dump is read as what it was given for.
    if stream.serverEvidence == .dump { return .feedback }
    guard let port = stream.endpoint(stream.server)?.port else { return nil }
    if feedbackPorts.contains(port) { return .feedback }
    return gatewayPorts.contains(port) ? .gateway : nil
  }
}
