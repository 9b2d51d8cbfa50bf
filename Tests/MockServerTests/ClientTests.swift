import Basics
import MockServer
import Testing

@Suite("Clients") struct ClientTests {
  private static let second: Int64 = 1_000_000_000

  @Test("clients get the connections in turn, and again from the top") func turns() throws {
    let connections = [3, 4].map { ServedConnection(chunks: [$0], name: "stream \($0)") }
    let server = try TestServer(connections, limit: 5)
    let counts = try (0..<5).map { _ in try server.connect().reads().map(\.count) }
    #expect(counts == [[3], [4], [3], [4], [3]])
    let names = try server.log.events { $0 == .finished }.compactMap { event -> String? in
      if case .opened(_, _, let name) = event { name } else { nil }
    }
    #expect(names == ["stream 3", "stream 4", "stream 3", "stream 4", "stream 3"])
  }

  @Test("many clients at a time get theirs") func manyAtATime() throws {
    let server = try TestServer([ServedConnection(chunks: [7, 7])], limit: 20)
    let clients = try (0..<20).map { _ in try server.connect() }
    for client in clients.reversed() { #expect(try client.reads().map(\.count) == [7, 7]) }
    #expect(try server.log.reports().count == 20)
  }

  @Test("clients above the limit are rejected and reported") func rejected() throws {
    let server = try TestServer([ServedConnection(chunks: [7], ending: .waitForClient)], limit: 2) {
      $0.maxConcurrentClients = 1
    }
    let first = try server.connect()
    #expect(try first.read().count == 7)
    let second = try server.connect()
    _ = try? second.read()
    let events = try server.log.events { if case .rejected = $0 { true } else { false } }
    #expect(events.count == 2)
  }

  @Test("the server waits for client bytes, counted from the start of the connection") func waiting() throws {
    var connection = ServedConnection(chunks: [6, 6])
    connection.steps = [.await(clientBytes: 3), .send(0..<6), .await(clientBytes: 5), .send(6..<12)]
    let server = try TestServer([connection])
    let client = try server.connect()
    try client.send([1, 2, 3])
    #expect(try client.read() == Array(0..<6))
    try client.send([4])
    try client.send([5])
    #expect(try client.read() == Array(6..<12))
    #expect(try client.read() == [])
    client.close()
    let report = try server.report()
    #expect(report.received == 5 && report.end == .completed(byClient: false))
  }

  @Test("pauses change no byte") func pauses() throws {
    var connection = ServedConnection(chunks: [6, 6])
    connection.steps = [.pause(nanoseconds: 1), .send(0..<6), .pause(nanoseconds: 1000), .send(6..<12)]
    let server = try TestServer([connection])
    #expect(try server.connect().reads() == [Array(0..<6), Array(6..<12)])
  }

  @Test("a connection that was reset is reset, once the client has read all") func reset() throws {
    let server = try TestServer([ServedConnection(chunks: [100, 38], ending: .reset)])
    let client = try server.connect()
    #expect(try client.read(50).count == 50)
    #expect(try client.read().count == 50)
    #expect(try client.read().count == 38)
    #expect(throws: TestClient.SystemCallError(ECONNRESET)) { try client.read() }
    #expect(try server.report().end == .completed(byClient: false))
  }

  @Test("without a recorded end, the client closes") func clientCloses() throws {
    let server = try TestServer([ServedConnection(chunks: [38], ending: .waitForClient)])
    let client = try server.connect()
    #expect(try client.read().count == 38)
    client.close()
    #expect(try server.report().end == .completed(byClient: true))
  }

  @Test("without a recorded end, the server closes if the client does not") func serverCloses() throws {
    let server = try TestServer([ServedConnection(chunks: [38], ending: .waitForClient)]) {
      $0.idleNanoseconds = Self.second / 10
    }
    let client = try server.connect()
    #expect(try client.reads().map(\.count) == [38])
    #expect(try server.report().end == .completed(byClient: false))
  }

  @Test("a client that has closed its side is still served") func halfClosed() throws {
    let server = try TestServer([ServedConnection(chunks: [38, 38, 38])])
    let client = try server.connect()
    client.endSending()
    #expect(try client.reads().map(\.count) == [38, 38, 38])
    let report = try server.report()
    #expect(report.sent == 114)
  }

  @Test(
    "a client that does not read times out, also within a chunk larger than a socket buffer",
    arguments: [([38, 38], 38), ([50_000_000], nil)] as [([Int], Int?)])
  func stalled(_ chunks: [Int], _ sent: Int?) throws {
    let server = try TestServer([ServedConnection(chunks: chunks)]) { $0.idleNanoseconds = Self.second / 10 }
    let client = try server.connect()
    let report = try server.report()
    #expect(report.end == .stalled(.didNotRead))
    if let sent { #expect(report.sent == sent) }
    client.close()
  }

  @Test("a client that closes before it has sent the awaited bytes gets no response")
  func closesEarly() throws {
    var connection = ServedConnection(chunks: [6])
    connection.steps.insert(.await(clientBytes: 40), at: 0)
    let server = try TestServer([connection])
    let client = try server.connect()
    try client.send([1])
    client.endSending()
    #expect(try client.read() == [])
    let report = try server.report()
    #expect(report.end == .clientClosed && report.sent == 0)
  }

  @Test("a client that resets the connection is reported, and others are served") func clientResets() throws {
    let connection = ServedConnection(chunks: [38, 38])
    let server = try TestServer([connection], limit: 2)
    let rude = try server.connect()
    #expect(try rude.read().count == 38)
    rude.reset()
    #expect(try server.connect().reads().map(\.count) == [38, 38])
    let ends = try server.log.reports().map(\.end)
    #expect(ends == [.clientReset, .completed(byClient: false)])
  }

  @Test("a stopped server closes its connections, and reports it") func stopped() throws {
    let server = try TestServer([ServedConnection(chunks: [38], ending: .waitForClient)], limit: 9)
    let client = try server.connect()
    #expect(try client.read().count == 38)
    server.server.stop()
    #expect(try server.log.reports().map(\.end) == [.stopped])
    #expect(try client.read() == [])
  }

  @Test("an address must be one of this machine's") func addresses() throws {
    for (address, message) in [
      ("localhost", "localhost is not an IP address"), ("", " is not an IP address"),
      ("192.0.2.1", "192.0.2.1 is not an address of this machine"),
    ] {
      let failure = #expect(throws: CommandError.self) {
        _ = try TestServer([ServedConnection(chunks: [38])]) { $0.address = address }
      }
      #expect(failure?.message.text.hasPrefix(message) == true)
    }
  }
}
