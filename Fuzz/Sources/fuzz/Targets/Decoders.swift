import APNsWire
import Basics
import APNsPushes
import ProviderLogs

/// The decoders of one direction: however the bytes are cut, the steps are the same, and every byte is in one.
extension Target {
  static let decoders = [
    Target("feedback") { sample in
      let rules = feedbackRules[Int(sample.options[0] & 0x3f) % feedbackRules.count]
      let (offset, beginsStream) = start(sample)
      checkChunks(sample) {
        WatchedDecoding(
          feedback: sample.bytes, rules: rules, offset: offset, beginsStream: beginsStream, chunkLength: $0)
      }
    },
    Target("requests") { sample in
      let rules = requestRules[Int(sample.options[0] & 0x3f) % requestRules.count]
      let (offset, beginsStream) = start(sample)
      checkChunks(sample) {
        WatchedDecoding(
          requests: sample.bytes, rules: rules, offset: offset, beginsStream: beginsStream, chunkLength: $0)
      }
    },
    Target("responses") { sample in
      let (offset, beginsStream) = start(sample)
      checkChunks(sample) {
        WatchedDecoding(
          responses: sample.bytes, offset: offset, beginsStream: beginsStream, chunkLength: $0)
      }
    },
    Target("http2", checkFrames),
    Target("logs", checkLog),
  ]

  private static let feedbackRules = FeedbackLimits.variety.compactMap(\.limits.rules)
  private static let requestRules = RequestLimits.variety.compactMap(\.limits.rules)

  private static func start(_ sample: Sample) -> (offset: Int, beginsStream: Bool) {
    (sample.options[0] & 0x40 == 0 ? 0 : 1 << 40, sample.options[0] & 0x80 == 0)
  }

  private static func checkChunks<Decoder>(
    _ sample: Sample, _ decode: (_ chunkLength: () -> Int) -> WatchedDecoding<Decoder>
  ) {
    var whole: [Evidence] = []
    for chunking in sample.chunkings() {
      let decoding = decode(sample.lengths(chunking))
      expect(decoding.breach == nil, decoding.breach ?? "")
      if chunking == .whole { whole = decoding.evidence }
      expectSame(decoding.evidence, whole, "steps do not depend on chunks, in chunks: \(chunking)")
    }
  }

  private static func checkFrames(_ sample: Sample) {
    let sender: Direction = sample.options[0] & 1 == 0 ? .client : .server
    let (offset, beginsStream) = start(sample)
    var whole: [FrameEvidence] = []
    for chunking in sample.chunkings() {
      let length = sample.lengths(chunking)
      var ends: [Int] = []
      while case let end = (ends.last ?? 0) + length(), end < sample.bytes.count { ends.append(end) }
      let steps = frameSteps(
        sample.bytes, sender, offset: offset, beginsStream: beginsStream, chunks: ends)
      if chunking == .whole { whole = steps }
      expectSame(steps, whole, "frames do not depend on chunks, in chunks: \(chunking)")
    }
    var end = offset
    for step in whole {
      let start =
        switch step {
        case .opening(let offset, _), .skipped(let offset, _), .truncated(let offset, _): offset
        case .frame(let numbers, _): numbers[3]
        }
      expect(start == end, "frames tile the run: \(step) after \(end)")
      end += step.length
    }
    expect(end == offset + sample.bytes.count, "frames tile the run up to its end, not \(end)")
    checkHeaders(whole, begins: beginsStream)
  }

  /// Header blocks, complete or not, are read in time.
  private static func checkHeaders(_ steps: [FrameEvidence], begins: Bool) {
    let table = HeaderTable()
    if begins { table.begin() }
    var fields = HeaderFields()
    for case .frame(let numbers, let payload) in steps where numbers[0] == Int(Frame.Kind.headers.rawValue) {
      _ = table.read(payload.span.bytes, into: &fields)
      expect(fields.bytes.count <= HeaderTable.longestList, "a header list is bounded")
    }
  }

  private static func checkLog(_ sample: Sample) {
    let mapping = sample.options[0] & 3 != 3 ? nil : "token=device.token,status=code,timestamp=at"
    var whole: [String] = []
    for chunking in sample.chunkings() {
      let length = sample.lengths(chunking)
      guard let log = try? DecodedLog(sample.bytes, mapping: mapping, chunk: length()) else { return }
      if chunking == .whole {
        whole = log.steps
        var end = 0
        // A push of a transcript has no bytes of its own: its lines were passed.
        for extent in log.extents where !extent.isEmpty {
          expect(extent.lowerBound == end, "steps tile the log: \(extent) after \(end)")
          end = extent.upperBound
        }
        expect(end == sample.bytes.count, "steps tile the log up to its end, not \(end)")
      }
      expectSame(log.steps, whole, "a log does not depend on chunks, in chunks: \(chunking)")
    }
  }
}
