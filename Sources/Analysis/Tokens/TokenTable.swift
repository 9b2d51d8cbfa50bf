import APNsWire
import WireBytes

/// The distinct tokens of any number of records, with the latest time of each; exact, in bounded memory.
///
/// All tokens are divided into ranges, in order. A range logs what is said of its tokens; a full log is reduced to the
/// distinct ones, and where they still fill half of it the range is split. So each log fits the processor's cache while its
/// tokens are compared. When the memory is full, all logs go to a temporary file. To read back a range, a table of its own is
/// made of what was written of it: the answers are the same.
package final class TokenTable {
  /// Less than this, in bytes, is not worth a table; a smaller limit is taken for it.
  package static let leastMemory = 1 << 20
  /// Ranges that one becomes when it is split, and how many of its tokens are looked at for each.
  private static let fanOut = 8
  private static let sampleLength = 16

  private let memory: TokenMemory
  private let temporaryDirectory: String
  private var file: TemporaryFile?
  @exclusivity(unchecked) private var ranges = [TokenRange(start: [])]
  /// The first eight bytes of each range's start, which decide nearly every search.
  @exclusivity(unchecked) private var prefixes: [UInt64] = [0]
  /// For each value of a token's first 12 bits the last range that starts before it, and at the end the last of all. It leaves
  /// one or two ranges to choose from: a search of all would mispredict half of its jumps, which takes longer than the rest.
  @exclusivity(unchecked) private var buckets = [Int32](repeating: 0, count: (1 << 12) + 1)
  private static let bucketShift: UInt64 = 52

  /// - Parameters:
  ///   - memory: limit in bytes, at least `leastMemory`.
  ///   - temporaryDirectory: where tokens go beyond that.
  package convenience init(memory: Int, temporaryDirectory: String) {
    self.init(TokenMemory(memory: max(memory, Self.leastMemory)), temporaryDirectory)
  }

  private init(_ memory: TokenMemory, _ temporaryDirectory: String) {
    self.memory = memory
    self.temporaryDirectory = temporaryDirectory
  }

  deinit {
    for index in ranges.indices { ranges[index].log.removeAll(memory) }
  }
}

/// The tokens from `start` up to the next range's, and what is known of them.
private struct TokenRange {
  let start: [UInt8]
  var log = TokenLog()
  /// Where in the temporary file more of its entries are.
  var extents: [Range<Int>] = []
}

// MARK: - Adding

extension TokenTable {
  /// Adds the tokens of `run`, whose bytes are `bytes`.
  /// - Parameter counts: whether their times do.
  package func add(_ run: RecordRun, in bytes: RawSpan, counts: Bool) throws {
    let end = run.start + run.count * run.stride
    try bytes.extracting(run.start..<end).withUnsafeBytes { records in
      guard var header = records.baseAddress else { return }
      for _ in 0..<run.count {
        let time = UInt32(bigEndian: header.loadUnaligned(as: UInt32.self))
        try add(
          TokenEntry(time: time, length: run.tokenLength, flags: run.flags, counts: counts),
          UnsafeRawBufferPointer(start: header + run.headerLength, count: run.tokenLength))
        header += run.stride
      }
    }
  }

  /// Adds a token that one record names.
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - counts: whether it does.
  package func add(_ token: RawSpan, time: UInt32, flags: RecordFlags, counts: Bool) throws {
    try token.withUnsafeBytes {
      try add(TokenEntry(time: time, length: $0.count, flags: flags, counts: counts), $0)
    }
  }

  /// Adds the tokens of `run`, whose bytes are `bytes`, with the origin of each.
  /// - Parameter origin: of the first one.
  package func add(_ run: RecordRun, in bytes: RawSpan, counts: Bool, from origin: TokenOrigin) throws {
    var origin = origin
    for index in 0..<run.count {
      let start = run.start + index * run.stride
      let token = bytes.extracting(start + run.headerLength..<start + run.stride)
      try add(
        token, time: bytes.bigEndianUInt32(at: start), flags: run.flags, counts: counts, from: origin)
      origin.offset += UInt64(run.stride)
    }
  }

  /// Adds a token that one record names, with its origin.
  package func add(
    _ token: RawSpan, time: UInt32, flags: RecordFlags, counts: Bool, from origin: TokenOrigin
  ) throws {
    try withUnsafeTemporaryAllocation(byteCount: TokenOrigin.size + token.byteCount + 8, alignment: 8) {
      memory in
      guard let start = memory.baseAddress else { return }
      // Tokens are read in words of eight bytes.
      (start + TokenOrigin.size + token.byteCount).storeBytes(of: 0, as: UInt64.self)
      origin.store(to: start)
      token.withUnsafeBytes {
        if let bytes = $0.baseAddress {
          (start + TokenOrigin.size).copyMemory(from: bytes, byteCount: $0.count)
        }
      }
      try add(
        TokenEntry(time: time, length: token.byteCount, flags: flags, counts: counts, hasOrigin: true),
        UnsafeRawBufferPointer(start: start + TokenOrigin.size, count: token.byteCount))
    }
  }

  @inline(__always)
  private func add(_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) throws {
    var index = range(of: token)
    if ranges[index].log.byteCount &+ entry.size > memory.logLimit {
      try reduce(index)
      index = range(of: token)
    }
    try ranges[index].log.append(entry, token, from: memory)
    if memory.used > memory.limit { try makeRoom() }
  }

  /// Index of the range that has `token`.
  @inline(__always)
  private func range(of token: UnsafeRawBufferPointer) -> Int {
    let prefix = TokenOrder.prefix(of: token)
    let bucket = Int(prefix &>> Self.bucketShift)
    let index = Self.last(from: Int(buckets[bucket]), to: Int(buckets[bucket &+ 1])) {
      prefixes[$0] <= prefix
    }
    if index == 0 || prefixes[index] != prefix { return index }
    return Self.last(from: 0, to: ranges.count &- 1) { index in
      ranges[index].start.withUnsafeBytes { TokenOrder.compare($0, token) <= 0 }
    }
  }

  /// The last of the indices from `first` to `last` for which `isBefore` is true; it is for the first, and up to another one.
  @inline(__always)
  private static func last(from first: Int, to last: Int, where isBefore: (Int) -> Bool) -> Int {
    var first = first
    var last = last
    while first < last {
      let middle = (first &+ last &+ 1) &>> 1
      if isBefore(middle) { first = middle } else { last = middle &- 1 }
    }
    return first
  }
}

// MARK: - Making room

extension TokenTable {
  /// Replaces the log of a range by its distinct tokens, in several ranges if they are many.
  private func reduce(_ index: Int) throws {
    var old = ranges[index].log
    ranges[index].log = TokenLog()
    defer { old.removeAll(memory) }
    memory.distinct.find(in: old)
    let isFull = memory.distinct.byteCount > memory.logLimit / 2
    // What is in the file can no longer be divided.
    if isFull, ranges[index].extents.isEmpty { split(index) }
    for token in memory.distinct.tokens {
      try ranges[range(of: token.bytes)].log.append(token.entry, token.bytes, from: memory)
    }
    if isFull, !ranges[index].extents.isEmpty { try write(index) }
  }

  /// Puts ranges after one, of about as many of the tokens found each. The sample is random: whoever chose the tokens does
  /// not choose how they are divided.
  private func split(_ index: Int) {
    let tokens = memory.distinct.tokens
    var sample = (0..<Self.fanOut * Self.sampleLength).map { _ in tokens[Int.random(in: tokens.indices)] }
    sample.sort(by: DistinctTokens.Token.precedes)
    var starts = [sample[0]]
    for place in stride(from: Self.sampleLength, to: sample.count, by: Self.sampleLength) {
      if DistinctTokens.Token.precedes(starts[starts.count - 1], sample[place]) {
        starts.append(sample[place])
      }
    }
    insert(starts.dropFirst(), at: index + 1)
  }

  private func insert(_ starts: ArraySlice<DistinctTokens.Token>, at index: Int) {
    ranges.insert(contentsOf: starts.map { TokenRange(start: Array($0.bytes)) }, at: index)
    prefixes.insert(contentsOf: starts.map(\.prefix), at: index)
    var range = 0
    for bucket in buckets.indices {
      while range + 1 < prefixes.count, prefixes[range + 1] &>> Self.bucketShift < bucket { range += 1 }
      buckets[bucket] = Int32(range)
    }
  }

  /// Has less in memory: the distinct tokens, or none if those take more than half of it.
  private func makeRoom() throws {
    for index in ranges.indices.reversed() { try reduce(index) }
    if memory.used > memory.limit / 2 { try writeAll() }
  }

  private func writeAll() throws {
    for index in ranges.indices { try write(index) }
  }

  /// Moves the log of a range to the temporary file.
  private func write(_ index: Int) throws {
    guard ranges[index].log.count > 0 else { return }
    let file = try self.file ?? TemporaryFile(directory: temporaryDirectory)
    self.file = file
    let start = file.size
    try ranges[index].log.visitChunks { try file.append($0) }
    ranges[index].log.removeAll(memory)
    ranges[index].extents.append(start..<file.size)
  }
}

// MARK: - Answers

extension TokenTable {
  /// How many distinct tokens were added.
  package func distinctCount() throws -> Int {
    var count = 0
    try visitRanges { tokens in count += tokens.tokens.count }
    return count
  }

  /// Calls `body` once for each distinct token, in the order of their bytes; a token comes before its
  /// extensions.
  package func visit(_ body: (_ token: RawSpan, _ verdict: TokenVerdict) throws -> Void) throws {
    try visitRanges { distinct in
      distinct.sort()
      try distinct.visit(body)
    }
  }

  /// The same in any order, which costs no sorting.
  package func visitInAnyOrder(
    _ body: (_ token: RawSpan, _ verdict: TokenVerdict) throws -> Void
  ) throws {
    try visitRanges { try $0.visit(body) }
  }

  /// Calls `body` with the distinct tokens of each range, in the order of the ranges.
  private func visitRanges(_ body: (inout DistinctTokens) throws -> Void) throws {
    // A table that reads a range back has all of the memory.
    if file != nil { try writeAll() }
    for range in ranges {
      if let file, !range.extents.isEmpty {
        try table(of: range, in: file).visitRanges(body)
      } else {
        memory.distinct.find(in: range.log)
        try body(&memory.distinct)
      }
    }
  }

  /// A table of what was written of a range, which divides it again. The order is random, so that what comes first is like the
  /// rest, of an input that was sorted too, and the ranges become alike.
  private func table(of range: TokenRange, in file: TemporaryFile) throws -> TokenTable {
    let table = TokenTable(memory, temporaryDirectory)
    for extent in range.extents.shuffled() {
      let entries = try memory.take(extent.count)
      defer { memory.giveBack(entries) }
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: entries[..<extent.count]), at: extent.lowerBound)
      try TokenEntry.visit(UnsafeRawBufferPointer(rebasing: entries[..<count])) { try table.add($0, $1) }
    }
    return table
  }
}
