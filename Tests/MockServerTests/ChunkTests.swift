import MockServer
import Testing

/// Each chunk arrives in a separate read, however large the client's buffer is.
@Suite("Chunks")
struct ChunkTests {
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
