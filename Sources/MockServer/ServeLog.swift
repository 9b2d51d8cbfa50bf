import Platform
import Synchronization
import WireBytes

/// Reports and counts the outcome of clients. Called on the server's thread.
package final class ServeLog: Sendable {
  fileprivate struct Counts {
    var clients = 0
    var bytes = 0
    var whole = 0
    var stalled = 0
    var reset = 0
    var closedEarly = 0
    var failed = 0
    var stopped = 0
    var handshakes = 0
    var rejected = 0
  }

  private let counts = Mutex(Counts())
  private let idleSeconds: UInt32
  private let awaited: Int?
  private let finish: @Sendable () -> Void

  /// - Parameters:
  ///   - awaited: number of clients to serve before the server ends; nil if it never does.
  ///   - finish: called when the server has ended by itself.
  package init(idleSeconds: UInt32, awaited: Int?, finish: @escaping @Sendable () -> Void) {
    self.idleSeconds = idleSeconds
    self.awaited = awaited
    self.finish = finish
  }

  package func add(_ event: ServerEvent) {
    counts.withLock { $0.add(event) }
    if let message = message(event) { Messages.say(message) }
    if event == .finished { finish() }
  }

  /// Number of awaited clients that were not served completely.
  package var missing: Int { counts.withLock { max(0, (awaited ?? 0) - $0.whole) } }

  /// Summary, for the last message.
  package var done: String {
    let (clients, bytes) = counts.withLock { ($0.clients, $0.bytes) }
    return "\(Count.of(clients, "client")), \(Count.of(bytes, "byte"))"
  }

  /// Problems with clients, for the last message.
  package var faults: [String] {
    let counts = counts.withLock { $0 }
    let faults = [
      (counts.stalled, "stalled"), (counts.reset, "reset the connection"),
      (counts.closedEarly, "closed early"), (counts.failed, "failed"),
      (counts.stopped, "still connected at the end"), (counts.rejected, "rejected"),
    ]
    let handshakes = counts.handshakes > 0 ? [Count.of(counts.handshakes, "TLS handshake") + " failed"] : []
    let absent = max(0, (awaited ?? 0) - counts.clients)
    return faults.filter { $0.0 > 0 }.map { "\(Count.of($0.0, "client")) \($0.1)" } + handshakes
      + (absent > 0 ? ["\(Count.of(absent, "client")) did not come"] : [])
  }

  // MARK: - Messages

  private func message(_ event: ServerEvent) -> String? {
    switch event {
    case .opened, .finished: nil
    case .ended(let client, let report):
      "client \(client + 1) (\(report.peer)): \(report.connection): \(text(report))"
    case .handshakeFailed(let peer, let reason): "\(peer): TLS handshake failed: \(Self.remedy(reason))"
    case .rejected(let peer): "\(peer): rejected: too many clients, or everything was served"
    }
  }

  private func text(_ report: ServedReport) -> String {
    let sent = report.sent == report.size ? "all" : "\(report.sent) of"
    let bytes = "\(sent) \(Count.of(report.size, "byte"))"
    let hint = report.speaksTLS ? "; the client streamProtocol TLS: use --tls" : ""
    let text =
      switch report.end {
      case .completed: "\(bytes) sent"
      case .clientClosed: "closed by the client after \(bytes)"
      case .clientReset: "reset by the client after \(bytes)"
      case .stalled(.didNotRead): "idle timeout after \(bytes): the client read nothing for \(idleSeconds) s"
      case .stalled(.didNotSend(let expected)):
        "idle timeout after \(bytes): the client sent nothing for \(idleSeconds) s, and "
          + "\(report.received) of \(Count.of(expected, "byte")) in all"
      case .stopped: "server stopped after \(bytes)"
      case .failed(let reason): "failed after \(bytes): \(reason)"
      }
    return text + hint
  }

  private static func remedy(_ reason: String) -> String {
    switch reason {
    case "wrong version number", "http request": "the client does not speak TLS (\(reason))"
    case "unsupported protocol": "the client's TLS version is older than --tls-min (\(reason))"
    case "tlsv1 alert unknown ca", "sslv3 alert certificate unknown", "sslv3 alert bad certificate",
      // With TLS 1.3 some clients send this alert unencrypted, so it fails to decrypt.
      "decryption failed or bad record mac":
      "the client probably does not trust the certificate (\(reason)); use --write-certificate to export it"
    default: reason
    }
  }
}

extension ServeLog.Counts {
  fileprivate mutating func add(_ event: ServerEvent) {
    switch event {
    case .opened: clients += 1
    case .handshakeFailed: handshakes += 1
    case .rejected: rejected += 1
    case .finished: break
    case .ended(_, let report):
      bytes &+= report.sent
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
