import APNsWire
import PacketCapture
import WireBytes

/// What a sink can ask for beside records of feedback, findings and streams. What no sink asks for is not made.
package struct EvidenceNeeds: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The bytes and gaps of all streams.
  package static let bytes = EvidenceNeeds(rawValue: 1)
  /// Requests and responses of gateways: their bytes are kept until their outcome is known.
  package static let gatewayRecords = EvidenceNeeds(rawValue: 2)
}

/// A direction of an open stream, and what is known of it by now.
package struct DirectionState {
  package var stream: Int
  package var side: Side
  /// What it carries; nil while that is not known, and where it is nothing that can be decoded.
  package var content: DirectionContent?
  /// Whether it is known what it carries, if anything.
  package var isDecided: Bool

  package init(stream: Int, side: Side, content: DirectionContent?, isDecided: Bool) {
    self.stream = stream
    self.side = side
    self.content = content
    self.isDecided = isDecided
  }
}

/// Takes what an analysis finds, as it finds it. Within a direction, evidence comes in the order of its offsets; bytes
/// and gaps come after what is decided by then.
package protocol EvidenceSink: AnyObject {
  var needs: EvidenceNeeds { get }
  /// The streams that come next are of the input that reports call `source`.
  func inputBegan(_ source: String) throws
  /// A direction's next bytes.
  /// - Parameters:
  ///   - bytes: are valid until it returns.
  ///   - origins: where they are in the file; the first one begins at the first byte.
  func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<ByteOrigin>) throws
  func gap(_ gap: StreamGap, in direction: DirectionState) throws
  /// Records of feedback.
  /// - Parameter bytes: hold the records, and are valid until it returns.
  func records(_ records: FeedbackRecords, in bytes: RawSpan) throws
  /// - Parameter bytes: likewise.
  func requests(_ requests: RequestRecords, in bytes: RawSpan) throws
  func response(_ response: ResponseRecord) throws
  func finding(_ finding: Finding) throws
  /// One of the first findings of each code, with the bytes around it: comes when those have come.
  func excerpt(_ excerpt: Excerpt) throws
  /// A stream has ended.
  /// - Parameter report: what its source says of it.
  func stream(_ stream: StreamSummary, report: StreamReport) throws
}

extension EvidenceSink {
  package var needs: EvidenceNeeds { [] }
  package func inputBegan(_ source: String) throws {}
  package func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<ByteOrigin>) throws {}
  package func gap(_ gap: StreamGap, in direction: DirectionState) throws {}
  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {}
  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {}
  package func response(_ response: ResponseRecord) throws {}
  package func finding(_ finding: Finding) throws {}
  package func excerpt(_ excerpt: Excerpt) throws {}
  package func stream(_ stream: StreamSummary, report: StreamReport) throws {}
}
