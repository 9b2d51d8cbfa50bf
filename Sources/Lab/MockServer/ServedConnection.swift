/// One recorded connection to replay to one client: the server's bytes and chunks, the client bytes it awaited, and
/// its end.
package struct ServedConnection: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    /// Sends a range of `bytes` (offsets from 0, never empty) as one chunk, or as several by `chunkSizes`.
    case send(Range<Int>)
    /// Waits until the client has sent this number of bytes since it connected.
    case await(clientBytes: Int)
    case pause(nanoseconds: Int64)
  }

  /// How the recorded server ended the connection.
  package enum Ending: Sendable, Equatable {
    /// It closed its side: FIN.
    case close
    /// It reset the connection: RST.
    case reset
    /// Unknown: the server waits until the client closes.
    case waitForClient
  }

  /// Input and stream number, for messages.
  package var name: String
  /// All bytes of the server.
  package var bytes: [UInt8]
  package var steps: [Action]
  package var ending: Ending
  /// Chunk sizes in bytes within each step, in turn and repeatedly; empty if each step is a chunk. One step for each
  /// chunk of one byte would take 24 times the memory of the bytes.
  package var chunkSizes: [Int]

  package init(name: String, bytes: [UInt8], steps: [Action], ending: Ending, chunkSizes: [Int] = []) {
    (self.name, self.bytes, self.steps, self.ending) = (name, bytes, steps, ending)
    self.chunkSizes = chunkSizes
  }
}
