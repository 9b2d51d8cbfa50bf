/// Iterates over the steps of a connection as single moves. It sends nothing itself.
struct StepCursor {
  /// Maximum number of bytes in one move, which are copied to send them.
  static let maxSendLength = 1 << 18

  private var steps: ArraySlice<ServedConnection.Action>
  private let sizes: [Int]
  private let count: Int
  private var nextSize = 0
  /// The rest of the step, and of its first chunk.
  private var step = 0..<0
  private var chunk = 0..<0

  init(_ connection: ServedConnection) {
    steps = connection.steps[...]
    sizes = connection.chunkSizes
    count = connection.bytes.count
  }

  /// Whether the last move was the end of a chunk: a long one is sent in several moves.
  var hasEndedChunk: Bool { chunk.isEmpty }

  /// Nil when all steps are done.
  mutating func next() -> ServedConnection.Action? {
    while chunk.isEmpty {
      if !step.isEmpty {
        cutChunk()
        continue
      }
      switch steps.popFirst() {
      case .send(let range): step = range.clamped(to: 0..<count)
      case let move: return move
      }
    }
    let end = chunk.lowerBound + min(chunk.count, Self.maxSendLength)
    let range = chunk.lowerBound..<end
    chunk = end..<chunk.upperBound
    return .send(range)
  }

  /// Takes the next chunk from the rest of the step.
  private mutating func cutChunk() {
    var size = step.count
    if !sizes.isEmpty {
      size = min(size, max(1, sizes[nextSize]))
      nextSize = (nextSize + 1) % sizes.count
    }
    chunk = step.lowerBound..<(step.lowerBound + size)
    step = chunk.upperBound..<step.upperBound
  }
}
