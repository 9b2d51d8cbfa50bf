import Basics
import Synchronization

/// Reports and counts the outcome of clients. Called on the server's thread.
package final class ServeLog: Sendable {
  private struct Counts {
    var clients = 0
    var bytes = 0
    var pushes = 0
    var whole = 0
    var stalled = 0
    var reset = 0
    var closedEarly = 0
    var failed = 0
    var stopped = 0
    var handshakes = 0
    var rejected = 0

    mutating func add(_ event: ServerEvent) {
      switch event {
      case .opened: clients += 1
      case .received, .finished: break
      case .handshakeFailed: handshakes += 1
      case .rejected: rejected += 1
      case .ended(_, let report):
        bytes &+= report.sent
        pushes &+= report.pushes ?? 0
        switch report.end {
        case .completed: whole += 1
        case .clientClosed: closedEarly += 1
        case .clientReset: reset += 1
        case .stalled: stalled += 1
        case .stopped: stopped += 1
        case .failed: failed += 1
        }
      }
    }
  }

  /// Rejected clients that get a message of their own; the last message counts them all.
  private static let namedRejections = 10

  private let counts = Mutex(Counts())
  private let idleSeconds: UInt32
  private let awaited: Int?
  private let finish: @Sendable () -> Void

  /// - Parameters:
  ///   - awaited: number of clients to serve before the server ends; nil if it never does.
  ///   - finish: called when the server has ended by itself.
  package init(idleSeconds: UInt32, awaited: Int?, finish: @escaping @Sendable () -> Void) {
    (self.idleSeconds, self.awaited, self.finish) = (idleSeconds, awaited, finish)
  }

  package func add(_ event: ServerEvent) {
    counts.withLock { $0.add(event) }
    if let message = message(event) { Console.say(message) }
    if event == .finished { finish() }
  }

  /// Number of awaited clients that were not served completely.
  package var missing: Int { counts.withLock { max(0, (awaited ?? 0) - $0.whole) } }

  /// Summary, for the last message.
  package func done(streams: Int) -> Message {
    let (clients, bytes) = counts.withLock { ($0.clients, $0.bytes) }
    return
      "served \(Count.of(streams, "stream")) to \(Count.of(clients, "client")), \(Count.of(bytes, "byte"))"
  }

  package var pushesDone: Message {
    let (clients, pushes) = counts.withLock { ($0.clients, $0.pushes) }
    return "answered \(Count.of(pushes, "request")) of \(Count.of(clients, "client"))"
  }

  /// Problems with clients, for the last message.
  package var errors: [Message] {
    let counts = counts.withLock { $0 }
    let errors = [
      (counts.stalled, "client", "stalled"), (counts.reset, "client", "reset the connection"),
      (counts.closedEarly, "client", "closed early"), (counts.failed, "client", "failed"),
      (counts.stopped, "client", "still connected at the end"), (counts.rejected, "client", "rejected"),
      (counts.handshakes, "TLS handshake", "failed"),
      ((awaited ?? 0) - counts.clients, "client", "did not come"),
    ]
    return errors.filter { $0.0 > 0 }.map { "\(Count.of($0.0, $0.1)) \($0.2)" }
  }

  private func message(_ event: ServerEvent) -> Message? {
    switch event {
    case .opened, .received, .finished: nil
    case .ended(let client, let report):
      "client \(client + 1) (\(report.peer)): \(report.pushes == nil ? "\(report.connection): " : "")"
        + "\(outcome(report))\(report.speaksTLS ? "; the client speaks TLS: use --tls" : "")"
    case .handshakeFailed(let peer, let reason): "\(peer): TLS handshake failed: \(Self.explained(reason))"
    case .rejected(let peer, let tooMany): rejection(of: peer, tooMany: tooMany)
    }
  }

  private func rejection(of peer: String, tooMany: Bool) -> Message? {
    let count = counts.withLock { $0.rejected }
    guard count <= Self.namedRejections else { return nil }
    return "\(peer): rejected: \(tooMany ? "too many clients are connected" : "everything was served")"
      + (count == Self.namedRejections ? " (further ones are only counted)" : "")
  }

  private func outcome(_ report: ServedReport) -> Message {
    let sent = "\(report.sent == report.size ? "all" : "\(report.sent) of") \(Count.of(report.size, "byte"))"
    let after = report.pushes.map { Count.of($0, "request") } ?? sent
    return switch report.end {
    case .completed where report.pushes == nil: "\(sent) sent"
    case .completed: "\(after) answered"
    case .stalled where report.pushes != nil: "\(after) answered"
    case .clientClosed:
      "closed by the client after \(after)\(report.pushes == nil ? "" : ", before all answers")"
    case .clientReset: "reset by the client after \(after)"
    case .stalled(.didNotRead):
      "idle timeout after \(sent): the client read nothing for \(Int(idleSeconds)) s"
    case .stalled(.didNotSend(let expected)):
      "idle timeout after \(sent): the client sent nothing for \(Int(idleSeconds)) s, and \(report.received) "
        + "of \(Count.of(expected, "byte")) in all"
    case .stopped: "server stopped after \(after)"
    case .failed(let reason): "failed after \(after): \(reason)"
    }
  }

  private static func explained(_ reason: Message) -> Message {
    switch reason.text {
    case "wrong version number", "http request": "the client does not speak TLS (\(reason))"
    case "unsupported protocol": "the client's TLS version is older than --tls-min (\(reason))"
    case let text where text.hasPrefix("the client refused the certificate"):
      "\(reason); let it trust the file of --write-certificate"
    default: reason
    }
  }
}
