import APNsWire
import PacketCapture
import WireBytes

/// A short summary for the user: the first streams, the histogram of times, and the first findings of each code.
package final class Overview: EvidenceSink {
  /// The maximum number of findings kept of each code.
  package static let examplesPerCode = 3
  /// The maximum number of streams kept; the others are only counted.
  package static let maxStreams = 1000

  package private(set) var streams: [StreamSummary] = []
  package private(set) var streamsLeftOut = 0
  /// The first findings of each code.
  package private(set) var examples: [FindingCode: [Finding]] = [:]
  package private(set) var times = TimeHistogram()

  package init() {}

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    guard !records.run.flags.contains(.implausibleTimestamp) else { return }
    times.count(records.run, in: bytes)
  }

  package func finding(_ finding: Finding) {
    if examples[finding.code, default: []].count < Self.examplesPerCode {
      examples[finding.code, default: []].append(finding)
    }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) {
    if streams.count < Self.maxStreams {
      streams.append(stream)
    } else {
      streamsLeftOut += 1
    }
  }
}
