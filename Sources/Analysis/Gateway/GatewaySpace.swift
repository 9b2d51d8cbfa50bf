/// The limits of correlation, and where what waits for it may go.
package struct GatewayLimits: Sendable {
  /// How many requests of a connection wait for a response at most (decoding-rules.md, "Correlation").
  package static let usualMaxPending = 1_000_000

  package var maxPending = usualMaxPending
  /// Memory in bytes for the bytes of requests that wait; beyond it they go to a temporary file.
  package var memory = 1 << 30
  package var temporaryDirectory = "/tmp"

  package init() {}
}

/// What the gateway connections of an analysis share: limits, and room for what waits.
final class GatewaySpace {
  /// So many responses wait at once, over all connections, until all that was captured before them has come.
  private static let maxWaitingResponses = 1 << 18

  let limits: GatewayLimits
  let memory: QueueMemory
  private var connections: [ObjectIdentifier: GatewayConnection] = [:]
  private var waitingResponses = 0

  init(_ limits: GatewayLimits) {
    self.limits = limits
    memory = QueueMemory(limit: limits.memory, directory: limits.temporaryDirectory)
  }

  /// Another response or finding waits in `connection`. Where they are too many, all are settled with what is known:
  /// one at a time would ask every request again for each.
  func wait(in connection: GatewayConnection) throws {
    connections[ObjectIdentifier(connection)] = connection
    waitingResponses += 1
    guard waitingResponses > Self.maxWaitingResponses else { return }
    for waiting in connections.values { try waiting.settle() }
  }

  /// Nothing waits in `connection` any more; `count` did.
  func stopWaiting(in connection: GatewayConnection, _ count: Int) {
    connections[ObjectIdentifier(connection)] = nil
    waitingResponses -= count
  }
}
