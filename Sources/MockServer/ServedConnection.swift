/// One recorded connection, as a mock server plays it to one client: what the server sent, where its chunks
/// end, what it waited for, and how it closed.
package struct ServedConnection: Sendable, Equatable {
  package enum Step: Sendable, Equatable {
    /// Sends these bytes of `bytes` as one chunk, or as several where `chunkSizes` says so: a range of offsets
    /// from 0, never empty.
    case send(Range<Int>)
    /// Waits until the client has sent so many bytes in all since it connected.
    case await(clientBytes: Int)
    /// Waits for so many nanoseconds.
    case pause(nanoseconds: Int64)
  }

  /// How the recorded server ended the connection.
  package enum Ending: Sendable, Equatable {
    /// It closed its side: FIN.
    case close
    /// It broke the connection off: RST.
    case reset
    /// The recording does not say: the server waits until the client closes.
    case waitForClient
  }

  /// The input and the number of the stream, for messages.
  package var name: String
  /// All that the server sent.
  package var bytes: [UInt8]
  package var steps: [Step]
  package var ending: Ending
  /// Sizes in bytes by which each step is cut into chunks, in turn and again from the top; empty where a step
  /// is a chunk. A step each for chunks of one byte would take 24 times the memory of the bytes.
  package var chunkSizes: [Int]

  package init(
    name: String, bytes: [UInt8], steps: [Step], ending: Ending, chunkSizes: [Int] = []
  ) {
    self.name = name
    self.bytes = bytes
    self.steps = steps
    self.ending = ending
    self.chunkSizes = chunkSizes
  }
}
