import Basics
import MockServer
import Testing

@Suite("Servers on one thread") struct ServerThreadTests {
  @Test("a stopped server closes only its own connections, and reports nothing more") func stopping() throws {
    let thread = try ServerThread()
    let logs = [EventLog(), EventLog()]
    let connection = ServedConnection(chunks: [7, 7], ending: .waitForClient)
    let servers = try logs.map { log in
      try MockServer.start(.replay { _ in connection }, .init(), on: thread) { log.add($0) }
    }
    let clients = try servers.map { try TestClient(port: $0.port) }
    for client in clients { #expect(try client.read(7).count == 7) }
    servers[0].stop()
    servers[0].stop()
    let events = try logs[0].events { $0 == .finished }
    #expect(events.contains { if case .ended(0, let report) = $0 { report.end == .stopped } else { false } })
    #expect(try clients[1].read(7).count == 7)
    #expect(try TestClient(port: servers[1].port).read(7).count == 7)
    servers[1].stop()
    #expect(try logs[1].events { $0 == .finished }.last == .finished)
    #expect(try logs[0].events { $0 == .finished } == events)
  }

  @Test("a client that leaves before the end of the handshake is reported") func noHandshake() throws {
    let made = try SelfSignedCertificate()
    let identity = try TLSIdentity(certificatePEM: made.certificate, keyPEM: made.key)
    let server = try TestServer([ServedConnection(chunks: [7])]) { $0.tls = identity }
    let client = try server.connect()
    // The beginning of a ClientHello: a record that is incomplete.
    try client.send([0x16, 0x03, 0x01, 0x00, 0xc8, 0x01])
    client.endSending()
    let events = try server.log.events { if case .handshakeFailed = $0 { true } else { false } }
    guard case .handshakeFailed(_, let reason)? = events.last else { return }
    #expect(reason == .closedInHandshake)
  }
}
