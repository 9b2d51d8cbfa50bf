import Basics
import Conformance
import ReaderModels
import Synchronization

/// Serves streams to readers over TCP or TLS, in the original chunks.
package final class ReaderServer: Sendable {
  /// How a reader receives a stream.
  package enum Over: String, CaseIterable, Sendable {
    case stdin, tcp, tls

    /// File descriptors for a running reader: two per pipe, and for a server its socket and a few connections. The
    /// examination before that takes fewer.
    package var descriptors: Int { self == .stdin ? 8 : 13 }
  }

  fileprivate static let address = "127.0.0.1"
  /// Connections of one reader at a time.
  fileprivate static let maxClients = 1000

  /// Shared by all servers; each reader has its own server.
  private let thread: ServerThread
  /// The certificate that readers must trust; nil without TLS.
  private let certificate: ServedCertificate?

  /// Nil if readers receive streams on standard input.
  package init?(_ over: Over) throws {
    if over == .stdin { return nil }
    thread = try ServerThread()
    certificate = over == .tls ? try ServedCertificate() : nil
  }

  var isTLS: Bool { certificate != nil }

  /// Starts a server for one reader, which receives the stream on each connection, or the answers to its pushes.
  /// - Parameters:
  ///   - seconds: the reader's time limit.
  ///   - refused: a certificate that the reader must refuse.
  func start(
    _ stream: ReadableStream, seconds: Double, refused: RefusedCertificate? = nil
  ) throws -> RunningServer {
    let presented = try refused.map { try ServedCertificate($0) } ?? certificate
    let reader = ServedReader(of: stream)
    var configuration = MockServer.Configuration()
    configuration.address = Self.address
    configuration.tls = presented?.identity
    // The reader's own time limit applies first.
    configuration.idleNanoseconds = Int64((seconds + 60) * 1e9)
    configuration.onProgress = { reader.progressed($0) }
    configuration.shufflesAnswers = true
    configuration.maxConcurrentClients = Self.maxClients
    let server = try MockServer.start(Self.service(stream), configuration, on: thread) { reader.take($0) }
    return RunningServer(server, reader, trusted: refused == .untrusted ? certificate : presented)
  }

  private static func service(_ stream: ReadableStream) -> MockServer.Service {
    if case .pushes(let recorded) = stream.content { return .pushes(PushAnswers(recorded)) }
    var connection = ServedConnection(name: stream.source, bytes: stream.bytes, steps: [], ending: .close)
    switch stream.chunking {
    case .sizes(let sizes):
      connection.chunkSizes = sizes
      if !stream.bytes.isEmpty { connection.steps = [.send(0..<stream.bytes.count)] }
    case .ends:
      var reads = ChunkedReads(of: stream.bytes.count, cut: stream.chunking)
      while case let chunk = reads.read(.max), !chunk.isEmpty { connection.steps.append(.send(chunk)) }
    }
    return .replay { [connection] _ in connection }
  }
}

/// A certificate with its key, and a temporary file with the one that readers trust.
private final class ServedCertificate: Sendable {
  let identity: TLSIdentity
  let path: String

  init(_ refused: RefusedCertificate? = nil) throws {
    let made = try SelfSignedCertificate(refused)
    identity = try TLSIdentity(certificatePEM: made.certificate, keyPEM: made.key)
    path = try Self.write(made.authority)
  }

  deinit { UnfinishedFiles.end([path]) { _ = unlink(path) } }

  /// Writes the certificate into a temporary file; returns its path.
  private static func write(_ certificate: [UInt8]) throws -> String {
    guard let (descriptor, path) = TemporaryPath.makeFile("\(TemporaryDirectory.path)/apnsift-ca-") else {
      throw CommandError("cannot create a file for the certificate of --over tls: \(SystemError.text())")
    }
    let file = OwnedDescriptor(descriptor)
    let error = certificate.withUnsafeBytes { SystemWrite.all($0, to: file.number) }
    guard error == 0 else {
      UnfinishedFiles.end([path]) { _ = unlink(path) }
      throw CommandError("cannot write \(path): \(SystemError.text(error))")
    }
    return path
  }
}

/// A server while one reader runs.
final class RunningServer {
  let environment: [(name: String, value: String)]
  let server: MockServer
  let reader: ServedReader
  /// Its file exists as long as the reader may open it.
  private let trusted: ServedCertificate?

  fileprivate init(_ server: MockServer, _ reader: ServedReader, trusted: ServedCertificate?) {
    (self.server, self.reader, self.trusted) = (server, reader, trusted)
    environment =
      [("APNSIFT_HOST", ReaderServer.address), ("APNSIFT_PORT", "\(server.port)")]
      + (trusted.map { [("APNSIFT_CA", $0.path)] } ?? [])
  }

  deinit { server.stop() }
}

/// Records what a server has seen of the reader.
final class ServedReader: Sendable {
  private struct Progress {
    var served = 0
    var error: Message?
    var progress = 0
    var rejected = 0
    /// Of the tokens that it was given.
    var answers: [String: PrintedPushJudge.GivenAnswer] = [:]

    /// Of a push that is sent again, the last response counts.
    mutating func take(_ push: ReceivedRequest) {
      guard let token = push.token?.lowercased(), let before = answers[token] else { return }
      if case .answered(.response(let response)) = push.ending {
        answers[token] = .response(response)
      } else if case .neverAsked = before {
        answers[token] = .noResponse
      }
    }
  }

  private let state: Mutex<Progress>

  init(of stream: ReadableStream) {
    var state = Progress()
    if case .pushes(let recorded) = stream.content {
      for token in recorded.tokens { state.answers[token] = .neverAsked }
    }
    self.state = Mutex(state)
  }

  func take(_ event: ServerEvent) {
    state.withLock { state in
      switch event {
      case .opened: state.served += 1
      case .handshakeFailed(_, let reason): state.error = reason
      case .received(let push): state.take(push)
      case .rejected: state.rejected += 1
      case .ended, .finished: break
      }
    }
  }

  /// A reader that connects again and again gets no more time.
  func progressed(_ client: Int) { if client == 0 { state.withLock { $0.progress += 1 } } }

  /// Number of times that its first connection has progressed.
  var progress: Int { state.withLock { $0.progress } }

  /// Whether a client has connected, with or without a complete handshake.
  var wasReached: Bool { state.withLock { $0.served > 0 || $0.error != nil } }

  func answer(to token: String) -> PrintedPushJudge.GivenAnswer {
    state.withLock { $0.answers[token] ?? .neverAsked }
  }

  /// Why the reader did not receive its stream; nil if it did.
  var obstacle: Message? {
    state.withLock { state -> Message? in
      if state.rejected > 0 {
        return
          "\(Count.of(state.rejected, "connection")) of the reader were rejected: the server takes \(ReaderServer.maxClients) at a time"
      }
      if state.served > 0 { return nil }
      if let error = state.error { return "the TLS handshake with the reader failed: \(error)" }
      return "the reader never connected"
    }
  }
}
