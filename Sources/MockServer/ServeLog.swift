import Platform
import Synchronization
import WireBytes

/// Says what becomes of clients, and counts it. The server tells from a thread of its own.
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
    var turnedAway = 0
  }

  private let counts = Mutex(Counts())
  private let idleSeconds: UInt32
  private let awaited: Int?
  private let finish: @Sendable () -> Void

  /// - Parameters:
  ///   - awaited: how many clients are to get a connection's bytes before the server ends; nil where it goes on.
  ///   - finish: is called when the server has ended by itself.
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

  /// How many of those that were waited for did not get all of what they were to get.
  package var missing: Int { counts.withLock { max(0, (awaited ?? 0) - $0.whole) } }

  /// What was done, for the last message.
  package var done: String {
    let (clients, bytes) = counts.withLock { ($0.clients, $0.bytes) }
    return "\(Count.of(clients, "client")), \(Count.of(bytes, "byte"))"
  }

  /// What went wrong with clients, for the last message.
  package var faults: [String] {
    let counts = counts.withLock { $0 }
    let faults = [
      (counts.stalled, "stalled"), (counts.reset, "broke the connection off"),
      (counts.closedEarly, "closed early"), (counts.failed, "failed"),
      (counts.stopped, "still connected at the end"), (counts.turnedAway, "turned away"),
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
    case .handshakeFailed(let peer, let reason): "\(peer): no TLS with it: \(Self.remedy(reason))"
    case .turnedAway(let peer): "\(peer): turned away, too many clients are connected or all was served"
    }
  }

  private func text(_ report: ServedReport) -> String {
    let sent = report.sent == report.size ? "all" : "\(report.sent) of"
    let bytes = "\(sent) \(Count.of(report.size, "byte"))"
    let hint = report.speaksTLS ? "; it speaks TLS, which --tls is for" : ""
    let text =
      switch report.end {
      case .completed: "\(bytes) sent"
      case .clientClosed: "it closed after \(bytes)"
      case .clientReset: "it broke the connection off after \(bytes)"
      case .stalled(.didNotRead): "it read nothing for \(idleSeconds) s, and was given up after \(bytes)"
      case .stalled(.didNotSend(let expected)):
        "it sent nothing for \(idleSeconds) s, \(report.received) of \(Count.of(expected, "byte")) that were waited "
          + "for, and was given up after \(bytes)"
      case .stopped: "the server was stopped after \(bytes)"
      case .failed(let reason): "failed after \(bytes): \(reason)"
      }
    return text + hint
  }

  private static func remedy(_ reason: String) -> String {
    switch reason {
    case "wrong version number", "http request": "it does not speak TLS (\(reason))"
    case "unsupported protocol": "its version of TLS is older than --tls-min (\(reason))"
    case "tlsv1 alert unknown ca", "sslv3 alert certificate unknown", "sslv3 alert bad certificate",
      // With TLS 1.3 some clients say so in the clear, which cannot be decrypted.
      "decryption failed or bad record mac":
      "most likely it does not trust the certificate (\(reason)); --write-certificate has it for clients"
    default: reason
    }
  }
}

extension ServeLog.Counts {
  fileprivate mutating func add(_ event: ServerEvent) {
    switch event {
    case .opened: clients += 1
    case .handshakeFailed: handshakes += 1
    case .turnedAway: turnedAway += 1
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
