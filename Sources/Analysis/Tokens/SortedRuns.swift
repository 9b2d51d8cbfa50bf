/// Sorted runs of entries, one behind the other in one temporary file, and their merge.
struct SortedRuns {
  /// As many runs are merged at once; where there are more, so many become one first. It bounds the
  /// buffers.
  private static let fanIn = 64
  /// Entries go to the file in pieces of about this many bytes.
  private static let writeLength = 256 << 10

  private let directory: String
  private let memory: Int
  private var file: TemporaryFile?
  /// Where each run lies in the file.
  private var extents: [Range<Int>] = []

  /// - Parameters:
  ///   - directory: for the temporary file, which is made when the first run comes.
  ///   - memory: limit in bytes for the buffers of a merge.
  init(directory: String, memory: Int) {
    self.directory = directory
    self.memory = memory
  }

  var isEmpty: Bool { extents.isEmpty }

  /// Takes an entry and its token.
  typealias Append = (_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) throws -> Void

  /// Makes one run of all there are, where they have become as many as are merged at once. It takes the
  /// memory of a merge.
  mutating func mergeIfMany() throws {
    if extents.count >= Self.fanIn { try mergeIntoOne() }
  }

  /// Calls `body` once for each distinct token of all runs, in order, with all that they know of it.
  func merge(_ body: Append) throws {
    guard let file else { return }
    let length = max(RunReader.leastBuffer, memory / 2 / max(1, extents.count))
    var heap = try RunHeap(extents.map { try RunReader(file, extent: $0, bufferLength: length) })
    while let first = heap.first {
      var entry = first.entry
      let token = first.token
      // What other runs know of the token stands next in the heap; `first` stays put until the end.
      heap.removeFirst()
      while let other = heap.first, TokenOrder.compare(other.token, token) == 0 {
        entry.merge(other.entry)
        try heap.advanceFirst()
      }
      try body(entry, token)
      try heap.insertAdvanced(first)
    }
  }

  /// Adds a run of the entries that `body` appends, in order.
  mutating func addRun(_ body: (Append) throws -> Void) throws {
    let file = try self.file ?? TemporaryFile(directory: directory)
    self.file = file
    let start = file.size
    var piece: [UInt8] = []
    piece.reserveCapacity(Self.writeLength)
    try body { entry, token in
      entry.append(to: &piece, token)
      guard piece.count >= Self.writeLength else { return }
      try piece.withUnsafeBytes { try file.append($0) }
      piece.removeAll(keepingCapacity: true)
    }
    try piece.withUnsafeBytes { try file.append($0) }
    extents.append(start..<file.size)
  }

  /// Makes one run of all there are, in a file of its own: the old one goes, and its room with it.
  private mutating func mergeIntoOne() throws {
    let sources = self
    self = SortedRuns(directory: directory, memory: memory)
    try addRun { append in try sources.merge(append) }
  }
}
