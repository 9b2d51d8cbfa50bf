import Basics
import Foundation
import MockServer
import Testing

/// Records the events of a server.
final class EventLog: @unchecked Sendable {
  private let condition = NSCondition()
  private var events: [ServerEvent] = []

  func add(_ event: ServerEvent) {
    condition.withLock {
      events.append(event)
      condition.broadcast()
    }
  }

  /// All events up to and with the first that is asked for; waits for it, at most as long as any test may hang.
  func events(until isLast: (ServerEvent) -> Bool) throws -> [ServerEvent] {
    let limit = Date(timeIntervalSinceNow: 60)
    return try condition.withLock {
      while true {
        if let index = events.firstIndex(where: isLast) { return Array(events[...index]) }
        guard condition.wait(until: limit) else { throw Missing(events: events) }
      }
    }
  }

  struct Missing: Error {
    var events: [ServerEvent]
  }

  /// The reports of all clients, once the server has ended by itself.
  func reports() throws -> [ServedReport] {
    try events { $0 == .finished }.compactMap { event in
      if case .ended(_, let report) = event { report } else { nil }
    }
  }
}

/// A server for one test, which listens on a free port.
struct TestServer: ~Copyable {
  let log = EventLog()
  let server: MockServer

  /// - Parameter limit: number of clients to serve.
  init(
    _ service: MockServer.Service, limit: Int = 1,
    configure: (inout MockServer.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = MockServer.Configuration()
    configuration.clientLimit = limit
    configure(&configuration)
    let log = log
    server = try MockServer.start(service, configuration) { log.add($0) }
  }

  /// - Parameter limit: by default a client for each connection.
  init(
    _ connections: [ServedConnection], limit: Int? = nil,
    configure: (inout MockServer.Configuration) -> Void = { _ in }
  ) throws {
    try self.init(
      .replay { connections[$0 % connections.count] }, limit: limit ?? connections.count, configure: configure
    )
  }

  deinit { server.stop() }

  func connect() throws -> TestClient { try TestClient(port: server.port) }

  /// How the first client's connection ended, once the server has ended by itself.
  func report() throws -> ServedReport { try #require(log.reports().first) }

  /// The requests of all clients, of whom the last one leaves now.
  func received(closing connection: HTTP2Connection) throws -> [ReceivedRequest] {
    connection.client.close()
    return try log.events { $0 == .finished }.compactMap { event in
      if case .received(let request) = event { request } else { nil }
    }
  }
}

/// A client of plain sockets, which shares no code with the server.
final class TestClient {
  private let descriptor: Int32
  private var isOpen = true

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // No test may hang.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Basics.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw SystemCallError() }
  }

  deinit { close() }

  struct SystemCallError: Error { var number = errno }

  /// Result of one read; empty at the end.
  func read(_ size: Int = 1 << 16) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    let count = recv(descriptor, &bytes, size, 0)
    guard count >= 0 else { throw SystemCallError() }
    return Array(bytes[..<count])
  }

  /// Results of all reads until the end.
  func reads() throws -> [[UInt8]] {
    var all: [[UInt8]] = []
    while case let bytes = try read(), !bytes.isEmpty { all.append(bytes) }
    return all
  }

  func send(_ bytes: [UInt8]) throws {
    guard Basics.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw SystemCallError()
    }
  }

  /// Closes the sending side, and continues to read.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func close() {
    if isOpen { _ = Basics.close(descriptor) }
    isOpen = false
  }

  /// Breaks the connection off.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }
}

extension ServedConnection {
  /// Sends bytes that count up, in chunks of these sizes.
  init(chunks sizes: [Int], ending: Ending = .close) {
    let bytes = (0..<sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0) }
    var steps: [Action] = []
    var start = 0
    for size in sizes {
      steps.append(.send(start..<(start + size)))
      start += size
    }
    self.init(name: "stream", bytes: bytes, steps: steps, ending: ending)
  }
}
