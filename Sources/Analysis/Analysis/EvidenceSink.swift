import PacketCapture

/// Evidence that a sink gets only on request, in addition to feedback records, findings and streams.
package struct EvidenceNeeds: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The bytes and gaps of all streams.
  package static let bytes = EvidenceNeeds(rawValue: 1)
  /// Requests and responses of gateways: their bytes are kept until their outcome is known.
  package static let gatewayRecords = EvidenceNeeds(rawValue: 2)
  /// The payloads of pushes.
  package static let payloads = EvidenceNeeds(rawValue: 4)
  /// A row for each file among the inputs, with its digests. Files that are skipped are read in full for them.
  package static let inventory = EvidenceNeeds(rawValue: 8)
  /// The windows of inputs whose bytes are decoded from text.
  package static let fileText = EvidenceNeeds(rawValue: 16)
  /// The extents of all feedback records: without it, `FeedbackRecords` have that of the first one.
  package static let extents = EvidenceNeeds(rawValue: 32)
  /// The files in disk images that carved records are in.
  package static let fileNames = EvidenceNeeds(rawValue: 64)
}

/// A direction of an open stream, and its content so far.
package struct DirectionState {
  package var stream: Int
  package var side: Side
  /// Nil while the content is not known, and if it cannot be decoded.
  package var content: DirectionContent?
  /// Whether `content` is final.
  package var isDecided: Bool
  /// Whether the bytes are what one read of the peer returned: a record of TLS.
  package var isRecord = false

  package init(stream: Int, side: Side, content: DirectionContent?, isDecided: Bool) {
    (self.stream, self.side, self.content, self.isDecided) = (stream, side, content, isDecided)
  }
}

/// Receives the evidence of an analysis as it is found. Within a direction, evidence is in the order of its
/// offsets; bytes and gaps follow the evidence decided before them.
package protocol EvidenceSink: AnyObject {
  var needs: EvidenceNeeds { get }
  /// The next streams are from the input with the name `source` in reports.
  func inputBegan(_ source: String) throws
  /// A file is done with, whatever became of it. Files in a joined capture come before its last records.
  func inputEnded(_ input: InputRecord) throws
  /// The next bytes of a direction.
  /// - Parameters:
  ///   - bytes: valid only during the call.
  ///   - origins: their extents in the file; the first begins at the first byte.
  func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<SourceExtent>) throws
  func gap(_ gap: StreamGap, in direction: DirectionState) throws
  /// Text of the file: the next evidence is from it or from the windows before it.
  /// - Parameter offsets: those in the file of the first bytes of `window`, which may have others after them.
  func text(_ window: [UInt8], at offsets: Range<Int>) throws
  /// Feedback records.
  /// - Parameter bytes: the buffer with the records; valid only during the call.
  func records(_ records: FeedbackRecords, in bytes: RawSpan) throws
  /// - Parameter bytes: the buffer with the requests; valid only during the call.
  func requests(_ requests: RequestRecords, in bytes: RawSpan) throws
  func response(_ response: ResponseRecord) throws
  /// - Parameter bytes: the texts of the pushes; valid only during the call.
  func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws
  /// Broadcasts, or requests for channels, which have no tokens.
  /// - Parameter bytes: as of pushes.
  func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) throws
  func finding(_ finding: Finding) throws
  /// One of the first findings of each code with the bytes around it, once those are complete.
  func excerpt(_ excerpt: Excerpt) throws
  /// A stream has ended.
  /// - Parameter report: the report of its source.
  func stream(_ stream: StreamSummary, report: StreamReport) throws
}

/// A sink that writes rows, each without regard to the others if possible, so that several threads may make them.
package protocol RowSink: EvidenceSink {
  /// A sink with the same rows that keeps them; nil if rows depend on those before them.
  func rowKeeper() -> Self?
  /// Writes the rows that `keeper` has kept, and drops them there.
  func write(rowsOf keeper: Self) throws
}

extension EvidenceSink {
  package var needs: EvidenceNeeds { [] }
  package func inputBegan(_ source: String) throws {}
  package func inputEnded(_ input: InputRecord) throws {}
  package func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<SourceExtent>) throws {}
  package func gap(_ gap: StreamGap, in direction: DirectionState) throws {}
  package func text(_ window: [UInt8], at offsets: Range<Int>) throws {}
  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {}
  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {}
  package func response(_ response: ResponseRecord) throws {}
  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {}
  package func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) throws {}
  package func finding(_ finding: Finding) throws {}
  package func excerpt(_ excerpt: Excerpt) throws {}
  package func stream(_ stream: StreamSummary, report: StreamReport) throws {}
}
