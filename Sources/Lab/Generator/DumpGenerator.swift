/// Generates a dump of one direction, optionally damaged, and its truth. Memory does not depend on the size.
struct DumpGenerator {
  private var records: SentRecords
  private let response: GeneratedResponse?
  private var dump: BufferedOutput
  private var truth: TruthWriter
  private var count = 0

  /// - Parameter source: the name of the dump as `export` will get it.
  init(
    _ records: RecordSource, source: String, to output: any GeneratorOutput, truth: any GeneratorOutput
  ) {
    self.records = SentRecords(records, records.scenario)
    response = records.response
    dump = BufferedOutput(output)
    self.truth = TruthWriter(truth, source: source, isOfDamaged: records.scenario.isDamaged)
  }

  /// - Parameter responses: the output for the error response, if there can be one.
  mutating func run(responses: (any GeneratorOutput)? = nil) throws -> Int {
    let stream = TruthWriter.Stream()
    var requestOffset = 0
    while let sent = records.next() {
      if response?.request == count { requestOffset = sent.offset }
      count += 1
      try records.writeDamage(of: stream, from: 0, to: &truth)
      try truth.record(sent, .whole, of: stream, at: sent.offset, nil)
      try dump.append(sent.bytes)
    }
    var totals = TruthWriter.StreamTotals(protocolName: records.isFromServer ? "feedback" : "gateway")
    totals.bytes[records.isFromServer] = dump.count
    totals.records = count
    var answer = responses.map { BufferedOutput($0) }
    if let response {
      try truth.response(response, to: requestOffset, of: stream, nil)
      try answer?.append(response.bytes)
      totals.bytes.server = response.bytes.count
      totals.records += 1
    }
    try truth.stream(stream, totals)
    try answer?.flush()
    try dump.flush()
    try truth.finish()
    return dump.count
  }
}

/// Damage of one record of a capture file: of the packet or its header.
struct FileDamage: Sendable {
  /// Index in the record of the first missing or changed byte.
  var index: Int
  /// The number of missing bytes.
  var lost = 0
  /// Nonzero masks for XOR with the bytes from `index` on.
  var changes: [UInt8] = []

  var kind: String { changes.isEmpty ? "file-lost-bytes" : "file-flipped-bytes" }

  func applied(to record: [UInt8]) -> [UInt8] {
    var damaged = record
    for (number, change) in changes.enumerated() where index + number < damaged.count {
      damaged[index + number] ^= change
    }
    damaged.removeSubrange(index..<min(index + lost, damaged.count))
    return damaged
  }
}

/// Draws damage for one record after another.
struct FileDamageSource {
  /// The number of acknowledgements before and after a damaged packet: a reader checks the records next to a
  /// record, and may have to skip some.
  static let cushion = (before: 2, after: 6)
  /// The shortest packets of 40 bytes (raw IPv4), with the shorter record header of 16 bytes.
  private static let cushionLength = cushion.after * 56
  /// No reader accepts longer records.
  private static let longestClaim = 1 << 25

  /// Whether a record of `length` bytes that claims to have `claim` bytes covers no other records but the
  /// acknowledgements. If it ended exactly at the beginning of another record, no reader could detect the damage.
  static func isContained(_ claim: Int, length: Int) -> Bool {
    claim <= length + cushionLength || claim > longestClaim
  }

  private let rates: FileDamageRates
  private var numbers: RandomNumbers

  init(_ scenario: Scenario) {
    rates = scenario.fileDamage
    numbers = RandomNumbers(seed: scenario.seed, .fileDamage)
  }

  /// Damage for a record of `length` bytes; nil for none.
  /// - Parameter endpoints: the indices of addresses and ports, which are not changed: otherwise, the packet would
  ///   belong to another connection, which may be spared.
  mutating func next(length: Int, endpoints: Range<Int>) -> FileDamage? {
    if numbers.happens(rates.lostBytes) {
      return FileDamage(index: numbers.below(length), lost: numbers.within(1...20))
    }
    guard numbers.happens(rates.flippedBytes) else { return nil }
    let count = numbers.within(1...3)
    var index = numbers.below(length)
    if (index..<index + count).overlaps(endpoints) { index = endpoints.upperBound }
    return FileDamage(
      index: index, changes: (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.within(1...255)) })
  }

  /// The number of bytes to keep of the last record, of `length` bytes, which is cut off.
  mutating func tail(length: Int) -> Int { numbers.within(1...max(1, length - 1)) }
}
