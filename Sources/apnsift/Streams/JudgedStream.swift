import Analysis
import Corpus
import PacketCapture
import WireBytes

/// What readers of a stream are judged by.
extension RecordedStream {
  /// Which side sent the feedback.
  func feedbackSide(_ summary: StreamSummary) -> Side {
    feedbackSender == .server ? summary.serverSide : summary.serverSide.other
  }

  /// The bytes of a side, with the true tuples in them.
  func feedbackTruth(of side: Side) -> FeedbackTruth {
    FeedbackTruth(
      bytes: self[side].bytes,
      runs: tuples.map { TupleRun(offset: $0.offset, tokenLength: $0.tokenLength, count: $0.count) })
  }

  /// The bytes of a side, with the true error responses in them.
  func responseTruth(of side: Side) -> ResponseTruth {
    ResponseTruth(
      bytes: self[side].bytes,
      responses: responses.map {
        ResponseTruth.Response(
          offset: $0.offset, status: $0.response.status, identifier: $0.response.identifier)
      })
  }

  /// Whether this side sent bytes that are no records, cut tails left aside.
  func hasSkipped(of side: Side, _ summary: StreamSummary) -> Bool {
    skippedOf.contains(side == summary.serverSide ? .server : .client)
  }

  /// Why readers of this side cannot be judged, a sentence without its full stop; nil where they can be.
  /// - Parameter firstRecord: offset of the first true record; nil without any.
  func obstacle(
    _ summary: StreamSummary, _ side: Side, firstRecord: Int?, memory: Int, memoryOption: String = "--memory"
  ) -> String? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    if missing > 0 {
      return "the stream lacks \(Count.of(missing, "byte")), which the reader did receive"
    }
    if isOverBudget { return "the stream takes more than the \(ByteSize.text(memory)) of \(memoryOption)" }
    if midstreamOf.contains(isServer ? .server : .client), bytes > 0, firstRecord != 0 {
      return "the stream lacks its beginning, which the reader did receive"
    }
    return self[side].bytes.count == bytes ? nil : "what was sent could not be decoded"
  }
}
