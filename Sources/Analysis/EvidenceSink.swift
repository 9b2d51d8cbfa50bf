/// Takes what an analysis finds, as it finds it. Calls are per run of records, never per record.
package protocol EvidenceSink: AnyObject {
  /// - Parameter bytes: hold the records; they are the sink's until it returns.
  func records(_ records: FeedbackRecords, in bytes: RawSpan) throws
  /// Whether it takes requests and responses: if no sink does, nobody keeps their bytes until their outcome
  /// is known.
  var takesGatewayRecords: Bool { get }
  /// - Parameter bytes: likewise.
  func requests(_ requests: RequestRecords, in bytes: RawSpan) throws
  func response(_ response: ResponseRecord) throws
  func finding(_ finding: Finding) throws
  /// Whether it wants to know of findings in streams as soon as they are made.
  var takesEarlyFindings: Bool { get }
  /// A finding in a stream that `finding` gets later, when all evidence of lower offsets has come: that of a
  /// gateway's requests waits for their outcome, and the bytes of the place are long gone then.
  func found(_ finding: Finding) throws
  func stream(_ stream: StreamSummary) throws
}

extension EvidenceSink {
  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {}
  package var takesGatewayRecords: Bool { false }
  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {}
  package func response(_ response: ResponseRecord) throws {}
  package func finding(_ finding: Finding) throws {}
  package var takesEarlyFindings: Bool { false }
  package func found(_ finding: Finding) throws {}
  package func stream(_ stream: StreamSummary) throws {}
}
