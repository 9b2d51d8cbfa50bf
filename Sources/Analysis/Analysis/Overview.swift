import APNsWire
import PacketCapture

/// A short summary for the user: the first streams, the histogram of times, and the first findings of each code.
package final class Overview: EvidenceSink {
  /// The maximum number of findings kept of each code.
  package static let examplesPerCode = 3
  /// The maximum number of streams kept; the others are only counted.
  package static let maxStreams = 1000

  package private(set) var streams: [StreamSummary] = []
  package private(set) var streamsLeftOut = 0
  private var examples: [FindingCode: FairSample<Finding>] = [:]
  private var inputCount = 0
  private var findingCount = 0
  package private(set) var times = TimeHistogram()

  package init() {}

  /// The first findings of a code: one of every input before a second of any.
  package func examples(of code: FindingCode) -> [Finding] { examples[code]?.chosen ?? [] }

  package func inputBegan(_ source: String) { inputCount += 1 }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    guard !records.run.flags.contains(.implausibleTimestamp) else { return }
    times.count(records.run, in: bytes)
  }

  package func finding(_ finding: Finding) {
    findingCount += 1
    examples[finding.code, default: FairSample(capacity: Self.examplesPerCode)]
      .add(finding, input: inputCount, at: (0, findingCount))
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) {
    if streams.count < Self.maxStreams { streams.append(stream) } else { streamsLeftOut += 1 }
  }
}
