import APNsWire
import Basics
import PacketCapture

/// The distinct tokens of any number of records, with the latest time of each; exact, in bounded memory.
///
/// Tokens are partitioned into ordered ranges. Each range has a log of entries. A full log is reduced to distinct
/// tokens; if they still fill half of it, the range is split. So each log fits in the processor's cache while its
/// tokens are compared. When the memory is full, all logs are written to a temporary file. A written range is read
/// back into a separate table.
package final class TokenTable {
  /// The minimum memory in bytes; smaller limits are raised to it.
  package static let minimumMemory = 1 << 20
  /// The number of ranges that a range is split into, and the number of sampled tokens for each.
  private static let fanOut = 8
  private static let sampleLength = 16

  private let memory: TokenMemory
  private let temporaryDirectory: String
  private var file: TemporaryFile?
  @exclusivity(unchecked) private var ranges = [TokenRange(start: [])]
  /// The first eight bytes of each range's start, which decide nearly every lookup.
  @exclusivity(unchecked) private var prefixes: [UInt64] = [0]
  /// For each value of a token's first 12 bits, the last range that starts before it; one more entry for the last
  /// range. This leaves one or two candidates. A binary search over all ranges would take longer, because half of
  /// its branches are mispredicted.
  @exclusivity(unchecked) private var buckets = [Int32](repeating: 0, count: (1 << 12) + 1)
  private static let bucketShift: UInt64 = 52

  /// - Parameters:
  ///   - memory: limit in bytes, at least `minimumMemory`.
  ///   - temporaryDirectory: the directory for the temporary file, if the tokens need more memory.
  package convenience init(memory: Int, temporaryDirectory: String = TemporaryDirectory.path) {
    self.init(TokenMemory(memory: max(memory, Self.minimumMemory)), temporaryDirectory)
  }

  private init(_ memory: TokenMemory, _ temporaryDirectory: String) {
    self.memory = memory
    self.temporaryDirectory = temporaryDirectory
  }

  deinit { for index in ranges.indices { ranges[index].log.removeAll(memory) } }
}

/// The tokens from `start` up to the start of the next range, and their entries.
private struct TokenRange {
  let start: [UInt8]
  var log = TokenLog()
  /// The parts of the temporary file with more entries of the range.
  var extents: [Range<Int>] = []
}

// MARK: - Adding

extension TokenTable {
  /// Adds the tokens of `run`, whose window is `bytes`.
  /// - Parameter counts: whether the times of the records count.
  package func add(_ run: RecordRun, in bytes: RawSpan, counts: Bool) throws {
    let end = run.start + run.count * run.stride
    try bytes.extracting(run.start..<end).withUnsafeBytes { records in
      guard var header = records.baseAddress else { return }
      for _ in 0..<run.count {
        let time = UInt32(bigEndian: header.loadUnaligned(as: UInt32.self))
        try add(
          TokenEntry(at: (time, 0), length: run.tokenLength, flags: run.flags, counts: counts),
          UnsafeRawBufferPointer(start: header + run.headerLength, count: run.tokenLength), nil)
        header += run.stride
      }
    }
  }

  /// Adds the tokens of `run`, whose window is `bytes`, with their origins.
  /// - Parameters:
  ///   - origin: the origin of the first record.
  ///   - extent: the extent of the file with all of them.
  package func add(
    _ run: RecordRun, in bytes: RawSpan, counts: Bool, from origin: TokenOrigin, in extent: SourceExtent
  ) throws {
    var origin = origin
    origin.packet = UInt32(clamping: extent.packet?.number ?? 0)
    for index in 0..<run.count {
      let start = run.start + index * run.stride
      let token = bytes.extracting(start + run.headerLength..<start + run.stride)
      origin.fileOffset = UInt64(clamping: extent.fileOffset(of: Int(clamping: origin.offset)))
      try add(
        token, at: (bytes.bigEndianUInt32(at: start), 0), flags: run.flags, counts: counts, from: origin)
      origin.offset += UInt64(run.stride)
    }
  }

  /// Adds the token of one record.
  /// - Parameters:
  ///   - time: seconds since 1970, and milliseconds from 0 to 999.
  ///   - counts: whether `time` counts.
  ///   - origin: nil if the table keeps no origins.
  package func add(
    _ token: RawSpan, at time: (seconds: UInt32, milliseconds: UInt16), flags: RecordFlags, counts: Bool,
    from origin: TokenOrigin? = nil
  ) throws {
    let entry = TokenEntry(
      at: time, length: token.byteCount, flags: flags, counts: counts, hasOrigin: origin != nil)
    guard var origin else { return try token.withUnsafeBytes { try add(entry, $0, nil) } }
    origin.time = counts ? time.seconds : .max
    try withUnsafeBytes(of: origin) { origin in
      try token.withUnsafeBytes { try add(entry, $0, origin.baseAddress.map { ($0, $0) }) }
    }
  }

  /// Marks a token of which a push was accepted later than the answers that invalidate it. It need not be in the table.
  /// - Parameter hasOrigin: whether the table keeps origins.
  package func markAccepted(_ token: RawSpan, hasOrigin: Bool) throws {
    let origin = hasOrigin ? TokenOrigin(input: 0, stream: 0, offset: 0) : nil
    try add(token, at: (0, 0), flags: .acceptedAgain, counts: false, from: origin)
  }

  @inline(__always)
  private func add(
    _ entry: TokenEntry, _ token: UnsafeRawBufferPointer, _ origins: TokenOrigin.Pair?
  ) throws {
    var index = range(of: token)
    if ranges[index].log.byteCount &+ entry.size > memory.logLimit {
      try reduce(index)
      index = range(of: token)
    }
    try ranges[index].log.append(entry, token, origins, from: memory)
    if memory.used > memory.limit { try makeRoom() }
  }

  /// Index of the range for `token`.
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

  /// Binary search for the last index from `first` to `last` for which `isBefore` is true. It is true for `first`.
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

  // MARK: - Memory limit

  /// Replaces the log of a range by its distinct tokens, and splits the range if there are many.
  private func reduce(_ index: Int) throws {
    var old = ranges[index].log
    ranges[index].log = TokenLog()
    defer { old.removeAll(memory) }
    memory.distinct.find(in: old)
    let isFull = memory.distinct.byteCount > memory.logLimit / 2
    // A range with entries in the file can no longer be split.
    if isFull, ranges[index].extents.isEmpty { split(index) }
    for token in memory.distinct.tokens {
      try ranges[range(of: token.bytes)].log.append(
        token.entry, token.bytes, (token.first, token.start - TokenOrigin.size), from: memory)
    }
    if isFull, !ranges[index].extents.isEmpty { try write(index) }
  }

  /// Splits a range into ranges with about equally many of its tokens. The sample is random, so that untrusted
  /// tokens cannot be chosen to unbalance the ranges.
  private func split(_ index: Int) {
    let tokens = memory.distinct.tokens
    var sample = (0..<Self.fanOut * Self.sampleLength).map { _ in tokens[Int.random(in: tokens.indices)] }
    sample.sort(by: DistinctTokens.Token.precedes)
    var starts = [sample[0]]
    for index in stride(from: Self.sampleLength, to: sample.count, by: Self.sampleLength) {
      if DistinctTokens.Token.precedes(starts[starts.count - 1], sample[index]) {
        starts.append(sample[index])
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

  /// Reduces all logs to distinct tokens, and writes them to the file if they still fill half of the memory.
  private func makeRoom() throws {
    for index in ranges.indices.reversed() { try reduce(index) }
    if memory.used > memory.limit / 2 { try writeAll() }
  }

  private func writeAll() throws { for index in ranges.indices { try write(index) } }

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

  // MARK: - Results

  package func distinctCount() throws -> Int {
    var count = 0
    try visitRanges { tokens in count += tokens.tokens.count }
    return count
  }

  /// Calls `body` once for each distinct token, in bytewise order; a prefix comes before longer tokens.
  /// - Parameter inAnyOrder: saves the time to sort them.
  package func visit(
    inAnyOrder: Bool = false, _ body: (_ token: RawSpan, _ verdict: TokenSummary) throws -> Void
  ) throws {
    try visitRanges { distinct in
      if !inAnyOrder { distinct.sort() }
      try distinct.visit(body)
    }
  }

  /// Calls `body` with the distinct tokens of each range, in the order of the ranges.
  private func visitRanges(_ body: (inout DistinctTokens) throws -> Void) throws {
    // The tables that read ranges back need all of the memory.
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

  /// Reads the written entries of a range into a table, which splits them again. The random order makes the first
  /// entries representative, even for sorted input, so that the ranges become balanced.
  private func table(of range: TokenRange, in file: TemporaryFile) throws -> TokenTable {
    let table = TokenTable(memory, temporaryDirectory)
    for extent in range.extents.shuffled() {
      let entries = try memory.take(extent.count)
      defer { memory.giveBack(entries) }
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: entries[..<extent.count]), at: extent.lowerBound)
      try TokenEntry.visit(UnsafeRawBufferPointer(rebasing: entries[..<count])) {
        try table.add($0, $1, $1.baseAddress.map($0.origins))
      }
    }
    return table
  }
}
