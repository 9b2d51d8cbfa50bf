import Basics

/// Sorts values by their keys, bytewise, in bounded memory; those of one key by their ranks, and those of one rank keep
/// their order.
///
/// A full buffer is sorted and written to a temporary file as a run. In the end, all runs are merged.
package final class ExternalSort<Value: BitwiseCopyable> {
  /// The first eight bytes of a key, which decide most comparisons, and where the value and the key are in the buffer.
  private struct Entry {
    var prefix: UInt64
    var position: Int
  }

  private static var headLength: Int { MemoryLayout<UInt32>.size + MemoryLayout<Value>.size }

  private let memory: Int
  private let temporaryDirectory: String
  private let rank: (Value) -> Int
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private var file: TemporaryFile?
  private var runs: [Range<Int>] = []

  /// - Parameters:
  ///   - memory: limit in bytes, at least 1 MiB.
  ///   - temporaryDirectory: where the temporary file is, if the values need more memory.
  package init(memory: Int, temporaryDirectory: String, rank: @escaping (Value) -> Int = { _ in 0 }) {
    (self.memory, self.temporaryDirectory, self.rank) = (max(memory, 1 << 20), temporaryDirectory, rank)
  }

  /// - Parameter key: at most 4 GiB.
  package func add(_ key: RawSpan, _ value: Value) throws {
    let size = Self.headLength + key.byteCount
    // The entries, their copy while they are sorted, and the buffers of a merge are within the other half.
    if bytes.count + size + 2 * (entries.count + 1) * MemoryLayout<Entry>.stride > memory / 2 {
      try writeRun()
    }
    key.withUnsafeBytes { key in
      entries.append(Entry(prefix: TokenOrder.prefix(of: key), position: bytes.count))
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: key.count)) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: key)
    }
  }

  /// Calls `body` with all values in the order of their keys. Nothing can be added after that.
  package func visit(_ body: (_ key: RawSpan, _ value: Value) throws -> Void) throws {
    if runs.isEmpty { return try visitSorted { try body(RawSpan(_unsafeBytes: $0.keyBytes), $0.value) } }
    try writeRun()
    bytes = []
    entries = []
    try merge { try body(RawSpan(_unsafeBytes: $0.keyBytes), $0.value) }
  }

  // MARK: - Runs

  /// A value and its key, as bytes of a buffer.
  private struct Item {
    let bytes: UnsafeRawBufferPointer

    init(_ start: UnsafeRawPointer) {
      let count = Int(start.loadUnaligned(as: UInt32.self))
      bytes = UnsafeRawBufferPointer(start: start, count: headLength + count)
    }

    var keyBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[headLength...]) }
    var value: Value { bytes.loadUnaligned(fromByteOffset: MemoryLayout<UInt32>.size, as: Value.self) }
  }

  /// Compares the keys of two items, then their ranks.
  private func compare(_ left: Item, _ right: Item) -> Int {
    let order = Int(TokenOrder.compare(left.keyBytes, right.keyBytes))
    if order != 0 { return order }
    let (first, second) = (rank(left.value), rank(right.value))
    return first == second ? 0 : first < second ? -1 : 1
  }

  private func visitSorted(_ body: (Item) throws -> Void) throws {
    try bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      entries.sort { left, right in
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let order = compare(Item(start + left.position), Item(start + right.position))
        return order != 0 ? order < 0 : left.position < right.position
      }
      for entry in entries { try body(Item(start + entry.position)) }
    }
  }

  private func writeRun() throws {
    // They are merged to one before there are too many files.
    if runs.count == 256 {
      let merged = RunWriter(try TemporaryFile(directory: temporaryDirectory))
      try merge { try merged.add($0.bytes) }
      runs = [try merged.end()]
      file = merged.file
    }
    let file = try file ?? TemporaryFile(directory: temporaryDirectory)
    self.file = file
    let writer = RunWriter(file)
    try visitSorted { try writer.add($0.bytes) }
    runs.append(try writer.end())
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with the values of all runs. Of equal ones, that of the earliest run comes first.
  private func merge(_ body: (Item) throws -> Void) throws {
    guard let file else { return }
    let bufferSize = max(4096, memory / 2 / max(1, runs.count))
    let readers = try runs.map {
      try RunReader(file, $0, bufferSize: bufferSize, headLength: Self.headLength)
    }
    func precedes(_ left: Int, _ right: Int) -> Bool {
      let order = compare(Item(readers[left].next), Item(readers[right].next))
      return order != 0 ? order < 0 : left < right
    }
    // A binary heap of the numbers of runs, that with the least key on top.
    var heap = readers.indices.filter { !readers[$0].isAtEnd }
    func sink(_ start: Int) {
      var parent = start
      while 2 * parent + 1 < heap.count {
        var child = 2 * parent + 1
        if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
        guard precedes(heap[child], heap[parent]) else { return }
        heap.swapAt(parent, child)
        parent = child
      }
    }
    for index in heap.indices.reversed() { sink(index) }
    while let top = heap.first {
      let item = Item(readers[top].next)
      try body(item)
      try readers[top].pass(item.bytes.count)
      if readers[top].isAtEnd, let last = heap.popLast(), !heap.isEmpty { heap[0] = last }
      sink(0)
    }
  }
}

/// Collects the bytes of a run, and writes them in blocks.
private final class RunWriter {
  private static let blockSize = 256 << 10
  let file: TemporaryFile
  private let start: Int
  private var block: [UInt8] = []

  init(_ file: TemporaryFile) { (self.file, start) = (file, file.size) }

  func add(_ bytes: UnsafeRawBufferPointer) throws {
    block.append(contentsOf: bytes)
    if block.count >= Self.blockSize { try flush() }
  }

  private func flush() throws {
    try block.withUnsafeBytes { try file.append($0) }
    block.removeAll(keepingCapacity: true)
  }

  /// The range of the file with the run.
  func end() throws -> Range<Int> {
    try flush()
    return start..<file.size
  }
}

/// Reads a run of values. Its buffer grows for a longer one.
private final class RunReader {
  private let file: TemporaryFile
  private let headLength: Int
  /// What is not in the buffer yet.
  private var rest: Range<Int>
  private var buffer: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0..<0

  init(_ file: TemporaryFile, _ run: Range<Int>, bufferSize: Int, headLength: Int) throws {
    (self.file, rest, capacity, self.headLength) = (file, run, bufferSize, headLength)
    buffer = .allocate(byteCount: bufferSize, alignment: 16)
    try pass(0)
  }

  deinit { buffer.deallocate() }

  var isAtEnd: Bool { used.isEmpty }

  /// The first byte of the next value, all of which is in the buffer.
  var next: UnsafeRawPointer { UnsafeRawPointer(buffer + used.lowerBound) }

  /// Passes `count` bytes, those of a value, and reads the next one.
  func pass(_ count: Int) throws {
    used = used.lowerBound + count..<used.upperBound
    try read(MemoryLayout<UInt32>.size)
    if isAtEnd { return }
    try read(headLength + Int(next.loadUnaligned(as: UInt32.self)))
  }

  /// Reads until `count` bytes are in the buffer, or the run ends.
  private func read(_ count: Int) throws {
    guard used.count < count, !rest.isEmpty else { return }
    let old = buffer
    if count > capacity {
      capacity = max(count, 2 * capacity)
      buffer = .allocate(byteCount: capacity, alignment: 16)
    }
    memmove(buffer, old + used.lowerBound, used.count)
    if buffer != old { old.deallocate() }
    let room = UnsafeMutableRawBufferPointer(
      start: buffer + used.count, count: min(capacity - used.count, rest.count))
    let read = try file.read(into: room, at: rest.lowerBound)
    rest = read == 0 ? 0..<0 : rest.lowerBound + read..<rest.upperBound
    used = 0..<used.count + read
  }
}
