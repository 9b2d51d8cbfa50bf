/// Generates a dump of one direction, damaged or not, and its truth. Memory does not grow with it.
struct DumpGenerator<Source: RecordSource> {
  private let scenario: Scenario
  private var records: DamagedRecords<Source>
  private let verdict: GatewayVerdict?
  private var dump: OutputPieces
  private var truth: TruthWriter
  private var count = 0

  /// - Parameters:
  ///   - source: the dump, as `export` will be told its name.
  ///   - verdict: what the other side answers.
  init(
    _ records: Source, _ scenario: Scenario, verdict: GatewayVerdict? = nil, source: String,
    to output: any GeneratorOutput, truth: any GeneratorOutput
  ) {
    self.scenario = scenario
    self.records = DamagedRecords(records, scenario)
    self.verdict = verdict
    dump = OutputPieces(output)
    self.truth = TruthWriter(truth, source: source, isOfDamaged: scenario.isDamaged)
  }

  /// - Parameter responses: gets what the other side answers, if it can answer at all.
  mutating func run(responses: (any GeneratorOutput)? = nil) throws -> GeneratedCounts {
    let stream = TruthWriter.Stream()
    var requestOffset = 0
    while records.advance() {
      count += 1
      if verdict?.request == count - 1 { requestOffset = records.offset }
      try records.tellDamage(of: stream, from: 0, to: &truth)
      try records.tell(.whole, of: stream, at: records.offset, nil, to: &truth)
      try dump.append(records.bytes)
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
    if Source.isFromServer {
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
