import MockServer

/// Which client gets what: the connections in turn, and again from the top.
struct ServeScript: Sendable {
  private let connections: [ServedConnection]
  /// The sizes of chunks, of which each client gets the next one; empty where all get the same chunks.
  private let sizes: [Int]

  /// - Parameter connections: never empty.
  init(_ connections: [ServedConnection], chunks: StreamChunks) {
    self.connections = connections
    if case .everySize = chunks { sizes = Array(StreamChunks.everySizes) } else { sizes = [] }
  }

  /// How many clients get something until all has been served once.
  var round: Int { connections.count * max(1, sizes.count) }

  /// What the client of a number, from 0, gets: every size of the first stream, then of the second, and so on.
  func connection(for client: Int) -> ServedConnection {
    let place = client % round
    guard !sizes.isEmpty else { return connections[place] }
    let (stream, turn) = place.quotientAndRemainder(dividingBy: sizes.count)
    var connection = connections[stream]
    connection.chunkSizes = [sizes[turn]]
    connection.name += " in chunks of \(sizes[turn])"
    return connection
  }
}
