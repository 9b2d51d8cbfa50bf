import Basics
import MockServer
import Testing

@Suite("Clients") struct ClientTests {
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

  @Test("without a recorded end, the client closes") func clientCloses() throws {
    let server = try TestServer([ServedConnection(chunks: [38], ending: .waitForClient)])
    let client = try server.connect()
    #expect(try client.read().count == 38)
    client.close()
    #expect(try server.report().end == .completed(byClient: true))
  }

  @Test("a client that has closed its side is still served") func halfClosed() throws {
    let server = try TestServer([ServedConnection(chunks: [38, 38, 38])])
    let client = try server.connect()
    client.endSending()
    #expect(try client.reads().map(\.count) == [38, 38, 38])
    #expect(try server.report().sent == 114)
  }

  @Test(
    "a client that does not read times out, also within a chunk larger than a socket buffer",
    arguments: [([38, 38], 38), ([50_000_000], nil)] as [([Int], Int?)])
  func stalled(_ chunks: [Int], _ sent: Int?) throws {
    let server = try TestServer([ServedConnection(chunks: chunks)]) { $0.idleNanoseconds = 100_000_000 }
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

  // MARK: - Chunks: each arrives in a separate read, however large the client's buffer is

  static let cases: [(name: String, sent: [Int], sizes: [Int], expected: [Int])] = [
    ("as they were captured", [38, 1, 75, 1000, 1], [], [38, 1, 75, 1000, 1]),
    ("one", [380], [], [380]), ("none", [], [], []),
    ("single bytes", [40], [1], .init(repeating: 1, count: 40)),
    ("of one size, the last shorter", [100], [38], [38, 38, 24]),
    ("sizes in turn", [20], [1, 2, 3], [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 1]),
    ("sizes continue after a step", [4, 4], [3, 2], [3, 1, 3, 1]),
    ("a size above all", [10], [1 << 40], [10]),
  ]

  @Test("each read returns a chunk", arguments: cases)
  func reads(_ name: String, _ sent: [Int], _ sizes: [Int], _ expected: [Int]) throws {
    var connection = ServedConnection(chunks: sent)
    connection.chunkSizes = sizes
    let server = try TestServer([connection])
    let reads = try server.connect().reads()
    #expect(reads.map(\.count) == expected)
    #expect(reads.flatMap { $0 } == connection.bytes)
    let report = try server.report()
    #expect(report.end == .completed(byClient: false))
    #expect(report.sent == connection.bytes.count && report.size == report.sent)
  }

  @Test("a client that reads less than a chunk gets the rest before the next one")
  func shortReads() throws {
    let connection = ServedConnection(chunks: [38, 38, 38])
    let server = try TestServer([connection])
    let client = try server.connect()
    let counts = try (0..<7).map { _ in try client.read(20).count }
    #expect(counts == [20, 18, 20, 18, 20, 18, 0])
  }

  @Test("a chunk larger than a socket buffer arrives whole")
  func longChunk() throws {
    let connection = ServedConnection(chunks: [3_000_000, 5])
    let server = try TestServer([connection])
    let reads = try server.connect().reads()
    #expect(reads.flatMap { $0 } == connection.bytes)
    #expect(reads.last?.count == 5)
  }

  @Test("a step beyond the bytes sends those that there are")
  func stepsBeyond() throws {
    var connection = ServedConnection(chunks: [10])
    connection.steps = [.send(5..<20), .send(30..<40), .send(2..<2)]
    let server = try TestServer([connection])
    #expect(try server.connect().reads() == [[5, 6, 7, 8, 9]])
  }
}
