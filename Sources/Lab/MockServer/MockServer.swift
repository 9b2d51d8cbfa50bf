#if !Lab
  #error("SwiftNIO is missing: build apnsift-lab and the tests with --traits Lab")
#endif

import Basics
import Conformance
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that replays recorded connections to clients, one for each, or answers their pushes.
///
/// It runs on one thread, which it may share with other servers. It does not interpret the bytes of recorded connections.
package final class MockServer: Sendable {
  package struct Configuration: Sendable {
    /// The numeric address to listen on; by default only local clients can connect.
    package var address = "127.0.0.1"
    /// 0 selects a free port.
    package var port = 0
    /// Nil serves plain TCP.
    package var tls: TLSIdentity?
    package var tlsOptions = TLSOptions()
    /// How long a client may be idle when it should read or send.
    package var idleNanoseconds: Int64 = 30_000_000_000
    /// Called on the server's thread when a client, by its number, has read or sent, or the next bytes were sent to it.
    package var onProgress: (@Sendable (_ client: Int) -> Void)?
    /// Whether to refuse the pushes that the service refuses whatever the token.
    package var isStrict = false
    /// Whether pushes that come together are answered in reverse order, and bodies sent in two frames.
    package var shufflesAnswers = false
    /// Gets what clients and server send.
    package var capture: ServedCapture?
    /// Maximum number of connected clients; further ones are rejected.
    package var maxConcurrentClients = 256
    /// Number of clients to serve before the server ends by itself. Nil is unlimited.
    package var clientLimit: Int?

    package init() {}
  }

  package enum Service: Sendable {
    /// Replays a connection to each client, by its number from 0.
    case replay(@Sendable (_ client: Int) -> ServedConnection)
    case pushes(PushAnswers)
  }

  package let port: Int
  private let thread: ServerThread
  private let registry: NIOLoopBoundBox<ClientRegistry>
  private let isStopped = Atomic(false)

  private init(port: Int, thread: ServerThread, registry: NIOLoopBoundBox<ClientRegistry>) {
    (self.port, self.thread, self.registry) = (port, thread, registry)
  }

  /// Starts to listen.
  /// - Parameters:
  ///   - thread: the thread to run on; nil creates one.
  ///   - onEvent: called on that thread for each event; must not call the server.
  package static func start(
    _ service: Service, _ given: Configuration, on thread: ServerThread? = nil,
    onEvent: @escaping @Sendable (ServerEvent) -> Void
  ) throws -> MockServer {
    var configuration = given
    if case .pushes = service { configuration.tlsOptions.protocols = ["h2"] }
    if let capture = given.capture {
      let keyLog = given.tlsOptions.keyLog
      configuration.tlsOptions.keyLog = {
        keyLog?($0)
        capture.add(keyLog: $0)
      }
    }
    let address = try address(configuration)
    let tls = try configuration.tls?.context(configuration.tlsOptions)
    let thread = try thread ?? ServerThread()
    let loop = thread.group.next()
    let registry = NIOLoopBoundBox.makeBoxSendingValue(
      ClientRegistry(configuration, thread.sessions, onEvent: onEvent), eventLoop: loop)
    do {
      let listener = try bootstrap(service, thread.group, registry, tls).bind(to: address).wait()
      try loop.submit { registry.value.listen(listener) }.wait()
      return MockServer(
        port: listener.localAddress?.port ?? configuration.port, thread: thread, registry: registry)
    } catch {
      throw CommandError(error, configuration)
    }
  }

  /// Waits until what clients have sent so far is handled. A turn of the loop takes what is there: a connection, the bytes of
  /// its handshake, an alert.
  package func settle() {
    for _ in 0..<8 { try? thread.group.next().submit {}.wait() }
  }

  /// Closes all connections and stops listening. There are no events after it returns.
  package func stop() {
    if isStopped.exchange(true, ordering: .sequentiallyConsistent) { return }
    // It fails only if the thread has already ended.
    try? thread.group.next().submit { [registry] in registry.value.stop() }.wait()
  }

  private static func address(_ configuration: Configuration) throws -> SocketAddress {
    do {
      return try SocketAddress(ipAddress: configuration.address, port: configuration.port)
    } catch {
      throw CommandError(
        "\(configuration.address) is not an IP address; use one such as 127.0.0.1 with --listen")
    }
  }

  private static func bootstrap(
    _ service: Service, _ group: MultiThreadedEventLoopGroup, _ registry: NIOLoopBoundBox<ClientRegistry>,
    _ tls: NIOSSLContext?
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      // A client that has closed its side may still read.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          let registry = registry.value
          let recording = registry.configuration.capture.map(RecordingHandler.init)
          if let recording { try pipeline.addHandler(recording) }
          let transport = TransportHandler(recording: recording)
          try pipeline.addHandler(transport)
          if let tls { try pipeline.addHandler(registry.configuration.tlsOptions.handler(tls)) }
          switch service {
          case .replay(let script):
            try pipeline.addHandler(Session(registry: registry, transport: transport, script: script))
          case .pushes(let answers):
            try pipeline.addHandler(PushService(registry: registry, transport: transport, answers: answers))
          }
        }
      }
  }
}

extension CommandError {
  /// Why the server does not listen.
  fileprivate init(_ error: any Error, _ configuration: MockServer.Configuration) {
    let (address, port) = (configuration.address, configuration.port)
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE:
      self.init(
        "port \(port) of \(address) is in use; stop the other server, or use another --port (0 selects a free one)"
      )
    case EACCES, EPERM:
      self.init(
        "no permission for port \(port) of \(address); use a --port above 1023 (0 selects a free one)")
    case EADDRNOTAVAIL:
      self.init("\(address) is not an address of this machine; use another one with --listen")
    case let number?: self.init("cannot start the server: \(SystemError.text(number))")
    case nil: self.init("cannot start the server: \("\(error)")")
    }
  }
}
