/// Takes what an analysis finds, as it finds it. Calls are per run of records, never per record.
package protocol EvidenceSink: AnyObject {
  /// - Parameter bytes: hold the records; they are the sink's until it returns.
  func records(_ records: FeedbackRecords, in bytes: RawSpan) throws
  func finding(_ finding: Finding) throws
  func stream(_ stream: StreamSummary) throws
}

extension EvidenceSink {
  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {}
  package func finding(_ finding: Finding) throws {}
  package func stream(_ stream: StreamSummary) throws {}
}
