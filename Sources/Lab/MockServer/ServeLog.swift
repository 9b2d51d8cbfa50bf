import Basics
import Synchronization

/// Reports and counts the outcome of clients. Called on the server's thread.
package final class ServeLog: Sendable {
  fileprivate struct Counts {
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
  }

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
  /// - Parameter streams: the number of streams that are served.
  package func done(streams: Int) -> Message {
    let (clients, bytes) = counts.withLock { ($0.clients, $0.bytes) }
    return .served(streams: streams, clients: clients, bytes: bytes)
  }

  /// The last message of a server of pushes.
  package var pushesDone: Message {
    let (clients, pushes) = counts.withLock { ($0.clients, $0.pushes) }
    return .servedPushes(pushes, clients: clients)
  }

  /// Problems with clients, for the last message.
  package var faults: [Message] {
    let counts = counts.withLock { $0 }
    let faults: [(count: Int, message: (Int) -> Message)] = [
      (counts.stalled, Message.stalledClients), (counts.reset, Message.clientsThatReset),
      (counts.closedEarly, Message.clientsThatClosedEarly), (counts.failed, Message.failedClients),
      (counts.stopped, Message.remainingClients), (counts.rejected, Message.rejectedClients),
      (counts.handshakes, Message.failedHandshakes),
      ((awaited ?? 0) - counts.clients, Message.absentClients),
    ]
    return faults.filter { $0.count > 0 }.map { $0.message($0.count) }
  }

  // MARK: - Messages

  private func message(_ event: ServerEvent) -> Message? {
    switch event {
    case .opened, .received, .finished: nil
    case .ended(let client, let report):
      if let pushes = report.pushes {
        .client(client + 1, report.peer, outcome(report.end, after: pushes))
      } else {
        .client(
          client + 1, report.peer, of: report.connection,
          report.speaksTLS ? .unexpectedTLS(outcome(report)) : outcome(report))
      }
    case .handshakeFailed(let peer, let reason): .handshakeFailed(peer, Self.explained(reason))
    case .rejected(let peer): .rejected(peer)
    }
  }

  private func outcome(_ report: ServedReport) -> Message {
    let (sent, size, seconds) = (report.sent, report.size, Int(idleSeconds))
    return switch report.end {
    case .completed: .bytesSent(sent, of: size)
    case .clientClosed: .closedByClient(after: sent, of: size)
    case .clientReset: .resetByClient(after: sent, of: size)
    case .stalled(.didNotRead): .clientReadNothing(after: sent, of: size, seconds: seconds)
    case .stalled(.didNotSend(let expected)):
      .clientSentNothing(
        after: sent, of: size, seconds: seconds, received: report.received, expected: expected)
    case .stopped: .serverStopped(after: sent, of: size)
    case .failed(let reason): .connectionFailed(after: sent, of: size, reason)
    }
  }

  private func outcome(_ end: ServedReport.End, after pushes: Int) -> Message {
    switch end {
    case .completed, .stalled: .pushesAnswered(pushes)
    case .clientClosed: .pushesClosedByClient(after: pushes)
    case .clientReset: .pushesResetByClient(after: pushes)
    case .stopped: .pushesStopped(after: pushes)
    case .failed(let reason): .pushesFailed(after: pushes, reason)
    }
  }

  private static func explained(_ reason: Message) -> Message {
    switch reason.text {
    case "wrong version number", "http request": "the client does not speak TLS (\(reason))"
    case "unsupported protocol": "the client's TLS version is older than --tls-min (\(reason))"
    case "tlsv1 alert unknown ca", "sslv3 alert certificate unknown", "sslv3 alert bad certificate",
      // With TLS 1.3 some clients send this alert unencrypted, so it fails to decrypt.
      "decryption failed or bad record mac":

      "the client probably does not trust the certificate (\(reason)); use --write-certificate to "
        + "export it"
    default: reason
    }
  }
}

extension ServeLog.Counts {
  fileprivate mutating func add(_ event: ServerEvent) {
    switch event {
    case .opened: clients += 1
    case .received, .finished: break
    case .handshakeFailed: handshakes += 1
    case .rejected: rejected += 1
    case .ended(_, let report):
      bytes &+= report.sent
      pushes &+= report.pushes ?? 0
      add(report.end)
    }
  }

  private mutating func add(_ end: ServedReport.End) {
    switch end {
    case .completed: whole += 1
    case .clientClosed: closedEarly += 1
    case .clientReset: reset += 1
    case .stalled: stalled += 1
    case .stopped: stopped += 1
    case .failed: failed += 1
    }
  }
}
