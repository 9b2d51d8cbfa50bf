/// Generates a dump of one direction, damaged or not, and its truth. Memory does not grow with it.
struct DumpGenerator {
  private let scenario: Scenario
  private var records: SentRecords
  private let verdict: GatewayVerdict?
  private var dump: OutputPieces
  private var truth: TruthWriter
  private var count = 0

  /// - Parameters:
  ///   - source: the dump, as `export` will be told its name.
  ///   - verdict: what the other side answers.
  init(
    _ records: RecordSource, _ scenario: Scenario, verdict: GatewayVerdict? = nil, source: String,
    to output: any GeneratorOutput, truth: any GeneratorOutput
  ) {
    self.scenario = scenario
    self.records = SentRecords(records, scenario)
    self.verdict = verdict
    dump = OutputPieces(output)
    self.truth = TruthWriter(truth, source: source, isOfDamaged: scenario.isDamaged)
  }

  /// - Parameter responses: gets what the other side answers, if it can answer at all.
  mutating func run(responses: (any GeneratorOutput)? = nil) throws -> GeneratedCounts {
    let stream = TruthWriter.Stream()
    var requestOffset = 0
    while let sent = records.next() {
      if verdict?.request == count { requestOffset = sent.offset }
      count += 1
      try records.writeDamage(of: stream, from: 0, to: &truth)
      try truth.record(sent, .whole, of: stream, at: sent.offset, nil)
      try dump.append(sent.bytes)
    }
    var answer = responses.map { OutputPieces($0) }
    if let verdict {
      try truth.response(verdict, to: requestOffset, of: stream, nil)
      try answer?.append(verdict.bytes)
    }
    try truth.stream(stream, totals)
    try answer?.flush()
    try dump.flush()
    try truth.finish()
    return GeneratedCounts(bytes: dump.count)
  }

  private var totals: TruthWriter.StreamTotals {
    var totals = TruthWriter.StreamTotals()
    if records.isFromServer {
      totals.serverBytes = dump.count
    } else {
      totals.protocolName = "gateway"
      totals.clientBytes = dump.count
      totals.serverBytes = verdict?.bytes.count ?? 0
    }
    totals.records = count + (verdict == nil ? 0 : 1)
    return totals
  }
}

/// What is wrong with one record of a capture file: with the packet, or with what the file says of it.
struct FileDamage: Sendable {
  /// Index in the record of the first byte that is missing or another one.
  var place: Int
  /// How many bytes are missing.
  var lost = 0
  /// What turns bytes from `place` on into others.
  var changes: [UInt8] = []

  var kind: StaticString { changes.isEmpty ? "file-lost-bytes" : "file-flipped-bytes" }

  /// The record that is left.
  func applied(to record: [UInt8]) -> [UInt8] {
    var damaged = record
    for (index, change) in changes.enumerated() where place + index < damaged.count {
      damaged[place + index] ^= change
    }
    damaged.removeSubrange(place..<min(place + lost, damaged.count))
    return damaged
  }
}

/// Draws damage for record after record.
struct FileDamageSource {
  /// So many acknowledgements of its connection stand before and behind a packet that is damaged: a reader believes a
  /// record by those next to it, and may have to pass some over.
  static let cushion = (before: 2, behind: 6)
  /// Their shortest packets, by IPv4 alone, have 40 bytes, with the shorter record header of 16.
  private static let cushionLength = cushion.behind * 56
  /// No reader believes in longer records.
  private static let longestClaim = 1 << 25

  /// Whether a record of `length` bytes that claims to have `claim` swallows no others but those acknowledgements:
  /// where one ends at another one's beginning by chance, nobody sees that anything is wrong.
  static func isContained(_ claim: Int, length: Int) -> Bool {
    claim <= length + cushionLength || claim > longestClaim
  }

  private let rates: FileDamageRates
  private var numbers: RandomNumbers

  init(_ scenario: Scenario) {
    rates = scenario.fileDamage
    numbers = RandomNumbers(seed: scenario.seed, .fileDamage)
  }

  /// Damage of a record of `length` bytes.
  /// - Parameter endpoints: where in it addresses and ports lie. No byte of these changes: the packet would be another
  ///   connection's, which was to be spared.
  mutating func next(length: Int, endpoints: Range<Int>) -> FileDamage? {
    if numbers.happens(rates.lostBytes) {
      return FileDamage(place: numbers.below(length), lost: numbers.within(1...20))
    }
    guard numbers.happens(rates.flippedBytes) else { return nil }
    let count = numbers.within(1...3)
    var place = numbers.below(length)
    if (place..<place + count).overlaps(endpoints) { place = endpoints.upperBound }
    return FileDamage(
      place: place, changes: (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.within(1...255)) })
  }

  /// How many bytes are left of a record of `length` that is the last and is cut off.
  mutating func tail(length: Int) -> Int { numbers.within(1...max(1, length - 1)) }
}
