import APNsWire
import Analysis
import PacketCapture
import Reports

/// Records that a search found next to each other: a chain, a connection, or all lines of logs in an input.
package struct RecoveredChain: Sendable {
  /// That of the first record.
  package var location: RecordLocation
  package var form: Carving.CarvedForm
  package var counts = RecordCounts()
  /// The earliest and the latest time of its tuples, seconds since 1970; nil without tuples, and in a redacted report.
  package var times: ClosedRange<UInt32>?
  package var confidence: [Confidence: Int] = [:]

  package init(_ form: Carving.CarvedForm, at location: RecordLocation) {
    (self.form, self.location) = (form, location)
  }

  mutating func add(_ run: RecordRun, _ confidence: Confidence?) {
    let known = times ?? run.earliest...run.latest
    times = min(known.lowerBound, run.earliest)...max(known.upperBound, run.latest)
    if let confidence { self.confidence[confidence, default: 0] += run.count }
  }
}

/// Counts the chains of a search and the records that have no other flag, and keeps some chains of each input.
struct RecoveredChains {
  private var sample: FairSample<RecoveredChain>
  /// Chains whose streams have not ended, by stream.
  private var open: [Int: RecoveredChain] = [:]
  private(set) var chainCount = 0
  /// Records whose only flag is that they were carved.
  private(set) var counts = RecordCounts()

  init(capacity: Int) { sample = FairSample(capacity: capacity) }

  var chains: [RecoveredChain] { sample.chosen }

  /// Adds records to the chain of their stream, if a search found it.
  mutating func add(
    _ kind: ExportedKind, _ count: Int, _ flags: RecordFlags, _ labels: StreamLabels,
    _ location: @autoclosure () -> RecordLocation, complete: (inout RecoveredChain) -> Void = { _ in }
  ) {
    guard let form = labels.carving?.form else { return }
    if flags == .carved { counts[kind] &+= count }
    func update(_ chain: inout RecoveredChain) {
      chain.counts[kind] &+= count
      complete(&chain)
    }
    update(&open[labels.stream, default: RecoveredChain(form, at: location())])
  }

  mutating func end(_ stream: Int, input: Int) {
    guard let chain = open.removeValue(forKey: stream) else { return }
    chainCount += 1
    sample.add(chain, input: input, at: (stream, 0))
  }
}
