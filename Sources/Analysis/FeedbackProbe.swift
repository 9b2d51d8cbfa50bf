import APNsWire
import StreamSources
import WireBytes

/// Tells whether raw bytes are a feedback stream, for files whose format is recognised by content.
package enum FeedbackProbe {
  /// One byte in so many must be a record's where the head does not begin with one.
  private static let recordShare = 4

  /// A probe for dumps that decode by `rules`: TLS ciphertext, or a head that begins with a record or
  /// consists of records to a fair part.
  package static func probe(rules: FeedbackRules) -> FormatProbe {
    FormatProbe(.dump(.raw)) { head, _ in
      Ciphertext.begins(head) || isFeedback(head, rules: rules)
    }
  }

  /// The head is decoded as if nothing came behind it: rules with long tokens hold back more than it has.
  static func isFeedback(_ head: [UInt8], rules: FeedbackRules) -> Bool {
    var decoder = FeedbackDecoder(rules: rules)
    var recordBytes = 0
    var beginsWithRecord = false
    func count(_ step: FeedbackDecoder.Step) {
      guard case .records(let run) = step else { return }
      // One tuple whose length alone is plausible is no evidence: random bytes are that now and then.
      if run.offset == 0, run.count > 1 || run.flags.isEmpty { beginsWithRecord = true }
      recordBytes += run.count * run.stride
    }
    let bytes = head.span.bytes
    while case let step = decoder.next(in: bytes), step != .needsBytes { count(step) }
    decoder.finish()
    while case let step = decoder.next(in: RawSpan()), step != .finished { count(step) }
    return beginsWithRecord || (recordBytes > 0 && recordBytes * recordShare >= head.count)
  }
}
