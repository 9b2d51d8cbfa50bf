import APNsWire
import PacketCapture
import WireBytes

/// What a person wants to know first: streams, times and findings, of each no more than fits a screen or
/// two.
package final class Overview: EvidenceSink {
  /// Places remembered of each kind of finding.
  package static let placesPerCode = 3
  /// Streams remembered; of the rest only the number is.
  package static let maxStreams = 1000

  package private(set) var streams: [StreamSummary] = []
  package private(set) var streamsLeftOut = 0
  /// The first places of each code.
  package private(set) var places: [FindingCode: [Finding]] = [:]
  package private(set) var times = TimeHistogram()

  package init() {}

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    guard !records.run.flags.contains(.implausibleTimestamp) else { return }
    times.count(records.run, in: bytes)
  }

  package func finding(_ finding: Finding) {
    if places[finding.code, default: []].count < Self.placesPerCode {
      places[finding.code, default: []].append(finding)
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
