import Basics
import Conformance
import MockServer
import ReaderModels
import Reports
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

  private static let address = "127.0.0.1"

  /// Shared by all servers; each reader has its own server.
  private let thread: ServerThread
  private let tls: TLSIdentity?
  /// The path of the temporary file with the certificate that readers must trust.
  private let certificatePath: String?

  /// Nil if readers receive streams on standard input.
  package init?(_ over: Over) throws {
    if over == .stdin { return nil }
    thread = try ServerThread()
    let made = over == .tls ? try SelfSignedCertificate() : nil
    tls = try made.map { try TLSIdentity(certificatePEM: $0.certificate, keyPEM: $0.key) }
    certificatePath = try made.map { try Self.write($0.certificate) }
  }

  deinit {
    guard let certificatePath else { return }
    UnfinishedFiles.end([certificatePath]) { _ = unlink(certificatePath) }
  }

  /// Writes the certificate into a temporary file; returns its path.
  private static func write(_ certificate: [UInt8]) throws -> String {
    guard let (descriptor, path) = TemporaryPath.makeFile("\(TemporaryDirectory.path)/apnsift-ca-") else {
      throw Failure("cannot create a file for the certificate of --over tls: \(SystemError.text())")
    }
    let file = OwnedDescriptor(descriptor)
    let failure = certificate.withUnsafeBytes { SystemWrite.all($0, to: file.number) }
    guard failure == 0 else {
      UnfinishedFiles.end([path]) { _ = unlink(path) }
      throw Failure("cannot write \(path): \(SystemError.text(failure))")
    }
    return path
  }

  /// Starts a server for one reader, which receives the stream on each connection.
  /// - Parameter seconds: the reader's time limit.
  package func start(_ stream: ReadableStream, _ bytes: [UInt8], seconds: Double) throws -> RunningServer {
    var configuration = MockServer.Configuration()
    configuration.address = Self.address
    configuration.tls = tls
    // The reader's own time limit applies first.
    configuration.idleNanoseconds = Int64((seconds + 60) * 1e9)
    let connection = Self.connection(stream, bytes)
    let reader = ServedReader()
    configuration.onProgress = { reader.progressed($0) }
    let server = try MockServer.start(
      configuration, on: thread, script: { _ in connection }, onEvent: { reader.take($0) })
    return RunningServer(server, reader, environment: environment(port: server.port))
  }

  private func environment(port: Int) -> [(name: String, value: String)] {
    [("APNSIFT_HOST", Self.address), ("APNSIFT_PORT", "\(port)")]
      + (certificatePath.map { [("APNSIFT_CA", $0)] } ?? [])
  }

  private static func connection(_ stream: ReadableStream, _ bytes: [UInt8]) -> ServedConnection {
    var connection = ServedConnection(name: stream.source, bytes: bytes, steps: [], ending: .close)
    switch stream.chunking {
    case .sizes(let sizes):
      connection.chunkSizes = sizes
      if !bytes.isEmpty { connection.steps = [.send(0..<bytes.count)] }
    case .ends:
      var reads = ChunkedReads(of: bytes.count, cut: stream.chunking)
      while case let chunk = reads.read(.max), !chunk.isEmpty { connection.steps.append(.send(chunk)) }
    }
    return connection
  }
}

/// A server while one reader runs.
package final class RunningServer {
  /// Environment variables for the reader.
  package let environment: [(name: String, value: String)]
  private let server: MockServer
  private let reader: ServedReader

  fileprivate init(_ server: MockServer, _ reader: ServedReader, environment: [(name: String, value: String)])
  {
    (self.server, self.reader, self.environment) = (server, reader, environment)
  }

  deinit { server.stop() }

  /// Why the reader did not receive its stream; nil if it did.
  var obstacle: Message? { reader.obstacle }

  /// Number of times that its first connection has progressed.
  var progress: Int { reader.progress }
}

/// Records what a server has seen of the reader.
private final class ServedReader: Sendable {
  private struct State {
    var served = 0
    var failure: Message?
    var progress = 0
  }

  private let state = Mutex(State())

  func take(_ event: ServerEvent) {
    state.withLock { state in
      switch event {
      case .opened: state.served += 1
      case .handshakeFailed(_, let reason): state.failure = reason
      case .ended, .received, .rejected, .finished: break
      }
    }
  }

  /// A reader that connects again and again gets no more time.
  func progressed(_ client: Int) {
    if client == 0 { state.withLock { $0.progress += 1 } }
  }

  var progress: Int { state.withLock { $0.progress } }

  var obstacle: Message? {
    state.withLock { state -> Message? in
      if state.served > 0 { return nil }
      if let failure = state.failure { return "the TLS handshake with the reader failed: \(failure)" }
      return "the reader never connected"
    }
  }
}
