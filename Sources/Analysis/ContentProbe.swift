import APNsWire
import StreamInputs
import WireBytes

/// Tells by the first bytes of a direction, or of a file, what it carries. A head is decoded as if nothing came
/// after it.
package struct ContentProbe: Sendable {
  /// So many bytes of a direction's first run tell what it carries, and so many of a dump's.
  static let headLength = 512
  static let dumpHeadLength = FormatProbes.headLength
  /// One byte in so many must be a record's where the head does not begin with one.
  private static let recordShare = 4

  let feedback: FeedbackRules
  let requests: RequestRules

  package init(feedback: FeedbackRules, requests: RequestRules) {
    self.feedback = feedback
    self.requests = requests
  }

  /// A probe for dumps of one direction, TLS ciphertext included, for files whose format is recognised by content.
  package var formatProbe: FormatProbe {
    FormatProbe(.format(.dump(.raw))) { head, _ in
      Ciphertext.begins(head) || content(of: head.span.bytes) != nil
    }
  }

  /// Nil where the head is like nothing that is known.
  package func content(of head: RawSpan) -> DirectionContent? {
    if isFeedback(head) { return .feedback }
    if isRequests(head) { return .requests }
    return isResponses(head) ? .responses : nil
  }

  /// The head begins with a tuple, or consists of tuples to a fair part.
  func isFeedback(_ head: RawSpan) -> Bool {
    var decoder = FeedbackDecoder(rules: feedback)
    var recordBytes = 0
    var beginsWithRecord = false
    func count(_ step: FeedbackDecoder.Step) {
      guard case .records(let run) = step else { return }
      // One tuple whose length alone is plausible is no evidence: random bytes are that now and then.
      if run.offset == 0, run.count > 1 || run.flags.isEmpty { beginsWithRecord = true }
      recordBytes += run.count * run.stride
    }
    while case let step = decoder.next(in: head), step != .needsBytes { count(step) }
    decoder.finish()
    while case let step = decoder.next(in: RawSpan()), step != .finished { count(step) }
    return beginsWithRecord || (recordBytes > 0 && recordBytes * Self.recordShare >= head.byteCount)
  }

  /// The head begins with a request that has a payload of JSON, or with the beginning of one, or consists of such
  /// requests to a fair part.
  func isRequests(_ head: RawSpan) -> Bool {
    if requests.mayBeginRequest(head) { return true }
    var decoder = RequestDecoder(rules: requests)
    var recordBytes = 0
    func count(_ step: RequestDecoder.Step) {
      guard case .request(let frame) = step, frame.flags.isDisjoint(with: Self.doubts) else { return }
      recordBytes += frame.length
    }
    while case let step = decoder.next(in: head), step != .needsBytes { count(step) }
    decoder.finish()
    while case let step = decoder.next(in: RawSpan()), step != .finished { count(step) }
    return recordBytes > 0 && recordBytes * Self.recordShare >= head.byteCount
  }

  /// What no request has that is evidence of one.
  private static let doubts: RecordFlags = [
    .malformedItems, .payloadNotJSON, .unconfirmedBoundary, .unknownItem, .zeroFilledToken,
  ]

  /// The head is nothing but error responses with a known status, the last of which may be cut: they are short, and
  /// other protocols have messages that begin with an 8.
  func isResponses(_ head: RawSpan) -> Bool {
    guard head.byteCount >= ErrorResponse.length else { return false }
    for index in stride(from: 0, to: head.byteCount, by: ErrorResponse.length) {
      guard head.byte(at: index) == ErrorResponse.command else { return false }
      guard index + ErrorResponse.length <= head.byteCount else { break }
      if ErrorStatus(rawValue: ErrorResponse(at: index, in: head).status) == nil { return false }
    }
    return true
  }
}
