import MockServer
import Platform
import ReaderModels
import Reports
import Synchronization

/// Serves streams to readers that connect, over TCP or TLS, in the chunks in which they came.
package final class ReaderServer: Sendable {
  /// How a reader gets a stream.
  package enum Over: String, CaseIterable, Sendable {
    case stdin, tcp, tls

    /// Descriptors that a reader takes while it is started and read: pipes of two ends each, and where it connects a
    /// server with a few connections. An examination before that takes fewer.
    package var descriptors: Int { self == .stdin ? 8 : 12 }
  }

  private static let address = "127.0.0.1"

  /// Of all servers: each reader has one of its own.
  private let thread: ServerThread
  private let tls: TLSIdentity?
  /// The path of the certificate that readers are to trust; a file of our own.
  private let certificatePath: String?

  /// Nil where readers get streams on standard input.
  package init?(_ over: Over) throws {
    if over == .stdin { return nil }
    do {
      thread = try ServerThread()
    } catch {
      throw Failure("a server for readers cannot be started: \(Self.text(error))")
    }
    switch over {
    case .stdin, .tcp: (tls, certificatePath) = (nil, nil)
    case .tls:
      let made: SelfSignedCertificate
      do {
        made = try SelfSignedCertificate()
        tls = try TLSIdentity(certificatePEM: made.certificate, keyPEM: made.key)
      } catch {
        throw Failure("a certificate for --over tls cannot be made: \(error)")
      }
      certificatePath = try Self.write(made.certificate)
    }
  }

  deinit {
    guard let certificatePath else { return }
    _ = unlink(certificatePath)
    UnfinishedFiles.remove(certificatePath)
  }

  /// Writes the certificate into a temporary file; returns its path.
  private static func write(_ certificate: [UInt8]) throws -> String {
    guard let (descriptor, path) = TemporaryPath.makeFile("\(TemporaryDirectory.path)/apnsift-ca-") else {
      throw Failure("a file for the certificate of --over tls cannot be made: \(SystemError.text())")
    }
    UnfinishedFiles.add(path)
    let file = OwnedDescriptor(descriptor)
    let failure = certificate.withUnsafeBytes { SystemWrite.all($0, to: file.number) }
    guard failure == 0 else {
      _ = unlink(path)
      UnfinishedFiles.remove(path)
      throw Failure("\(path) cannot be written: \(SystemError.text(failure))")
    }
    return path
  }

  /// A server for one reader, which gets the stream as often as it connects.
  /// - Parameter seconds: how long the reader may take in all.
  package func start(_ stream: ReadableStream, _ bytes: [UInt8], seconds: Double) throws -> RunningServer {
    var configuration = MockServer.Configuration()
    configuration.address = Self.address
    configuration.tls = tls
    // Readers are given up by their own limit.
    configuration.idleNanoseconds = Int64((seconds + 60) * 1e9)
    let connection = Self.connection(stream, bytes)
    let clients = ClientCount()
    do {
      let server = try MockServer.start(
        configuration, on: thread, script: { _ in connection }, tell: { clients.take($0) })
      return RunningServer(server, clients, environment: environment(port: server.port))
    } catch {
      throw Failure("a server for the reader cannot be started: \(Self.text(error))")
    }
  }

  private static func text(_ error: any Error) -> String {
    if case .failed(let reason)? = error as? MockServerError { reason } else { "\(error)" }
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
  /// What the reader is told.
  package let environment: [(name: String, value: String)]
  private let server: MockServer
  private let clients: ClientCount

  fileprivate init(_ server: MockServer, _ clients: ClientCount, environment: [(name: String, value: String)])
  {
    self.server = server
    self.clients = clients
    self.environment = environment
  }

  deinit { server.stop() }

  /// What kept the reader from its stream: a sentence without its full stop; nil where it got it.
  var obstacle: String? { clients.obstacle }
}

/// Whether anybody came to a server.
private final class ClientCount: Sendable {
  private struct State {
    var served = 0
    var failure: String?
  }

  private let state = Mutex(State())

  func take(_ event: ServerEvent) {
    state.withLock { state in
      switch event {
      case .opened: state.served += 1
      case .handshakeFailed(_, let reason): state.failure = reason
      case .ended, .turnedAway, .finished: break
      }
    }
  }

  var obstacle: String? {
    state.withLock { state in
      if state.served > 0 { return nil }
      return state.failure.map { "there was no TLS with the reader: \($0)" } ?? "the reader never connected"
    }
  }
}
