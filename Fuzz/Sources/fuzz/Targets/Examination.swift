import APNsWire
import Analysis
import Basics
import PacketCapture
import StreamInputs
import TLSDecryption

/// Whole inputs, from bytes to records and findings, with small limits.
extension Target {
  static let analysis = Target("analysis", optionCount: 3) { sample in
    var (wholeLines, wholeStreams): ([String], [StreamSummary]) = ([], [])
    for chunking in sample.chunkings(besides: [.short, .long]) {
      let evidence = Evidences()
      let summary = analyse(sample, sample.lengths(chunking), into: evidence)
      evidence.checkSums(summary)
      let lines = evidence.lines.sorted()
      let streams = evidence.streams.sorted { $0.number < $1.number }
      if chunking == .whole { (wholeLines, wholeStreams) = (lines, streams) }
      expectSame(lines, wholeLines, "evidence does not depend on windows, in chunks: \(chunking)")
      expectSame(streams, wholeStreams, "streams do not depend on windows, in chunks: \(chunking)")
    }
  }

  private static func analyse(
    _ sample: Sample, _ more: () -> Int, into evidence: Evidences
  ) -> Summary {
    let limits = sample.options[0]
    var capture = CaptureOptions.small
    if limits & 1 != 0 { capture.maxConnections = 1 }
    if limits & 2 != 0 { capture.totalBuffer = 1 }
    if limits & 4 != 0 { capture.reorderWindow = Int(limits >> 6) * 10 }
    if limits & 8 != 0 { capture.streamBuffer = 64 }
    capture.readsSecrets = true
    var options = AnalysisOptions()
    if limits & 16 != 0 { options.gateway.maxPending = 2 }
    if limits & 32 != 0 { options.excerptsPerCode = 3 }
    let protocols = sample.options[1]
    options.choice.named =
      switch protocols & 7 {
      case 1: .requests
      case 2: .feedback
      case 3: .responses
      case 4: .pushes
      default: nil
      }
    if protocols & 8 != 0 { options.choice.feedbackPorts = [] }
    if protocols & 16 != 0 { options.choice.gatewayPorts = [2196] }
    if protocols & 32 != 0 { options.gateway.memory = 200 }
    capture.serverPorts = options.choice.serverPorts
    evidence.needs = [.gatewayRecords, .extents, protocols & 64 == 0 ? .payloads : .bytes]
    let analyzer = Analyzer(options, sinks: [evidence])
    let decryption = DecryptionStage(
      StreamKeys(readsEmbedded: true, memory: 1 << 20), ports: options.choice.serverPorts)
    decryption.begin(source: "input")
    func consume(_ batch: EventBatch) {
      do { try analyzer.consume(decryption.process(batch)) } catch {
        fail("a sink that never fails: \(error)")
      }
    }
    do {
      try analyzer.log.begin(source: "input")
      read(sample, capture, options, more, consume)
      try analyzer.log.finish()
    } catch { fail("a sink that never fails: \(error)") }
    return analyzer.log.summary
  }

  /// Reads the sample in the format that the third option chooses.
  private static func read(
    _ sample: Sample, _ capture: CaptureOptions, _ options: AnalysisOptions, _ more: () -> Int,
    _ consume: (EventBatch) -> Void
  ) {
    let (bytes, format) = (sample.bytes, Int(sample.options[2] & 0x0f))
    switch format {
    case 0...7:
      guard let kind = CaptureRecords.recognises(bytes.span.bytes),
        var source = try? CaptureSource(options: capture)
      else { return }
      let history = CaptureHistory(capacity: bytes.count)
      source.begin(kind, input: 0, history: history, keyLogs: nil, isLast: true)
      _ = play(bytes, through: &source, history: history, more: more, consume: consume)
    case 8...10:
      consume(.opened(.dump))
      var source = DumpSource(
        DumpFormat.allCases[format - 8], side: .first, head: bytes, isWhole: true, maxExpansion: 1 << 12)
      _ = play(bytes, through: &source, more: more, consume: consume)
      consume(.closed(.dump))
    case 11, 12:
      let formats = ExportFormat.allCases
      var source = ExportSource(
        formats[Int(sample.options[2] >> 4) % formats.count], serverPorts: capture.serverPorts)
      _ = play(bytes, through: &source, more: more, consume: consume)
    case 13:
      consume(.opened(.log))
      var source = DumpSource()
      _ = play(bytes, through: &source, more: more, consume: consume)
      consume(.closed(.log))
    case 14:
      // The two dumps of a gateway connection: the first half of the bytes, and the second one.
      let middle = bytes.count / 2
      consume(.opened(.pair))
      for (side, half) in [(Side.first, Array(bytes[..<middle])), (.second, Array(bytes[middle...]))] {
        var source = DumpSource(.raw, side: side, head: half, isWhole: true, maxExpansion: 0)
        _ = play(half, through: &source, more: more, consume: consume)
      }
      consume(.closed(.pair))
    default:
      var source = CarveSource(CarvingOptions(), capture: capture)
      _ = play(bytes, through: &source, more: more, consume: consume)
    }
  }
}

extension EventBatch {
  fileprivate static func opened(_ identity: StreamIdentity) -> EventBatch {
    var batch = EventBatch()
    batch.opened(identity, slot: 0)
    return batch
  }

  fileprivate static func closed(_ identity: StreamIdentity) -> EventBatch {
    var batch = EventBatch()
    batch.closed(StreamReport(identity), slot: 0)
    return batch
  }
}

/// Keeps all evidence as lines, and the ranges of the streams that it covers.
final class Evidences: EvidenceSink {
  /// The offsets are those of the first frames.
  struct Push {
    var stream: UInt32
    var request, response: Int?
    var token: String
    var status: UInt16?
    var isInferred: Bool
  }

  var needs: EvidenceNeeds = []
  private(set) var lines: [String] = []
  private(set) var pushes: [Push] = []
  private var covered: [StreamSide: [Range<Int>]] = [:]
  private var ends: [StreamSide: Int] = [:]
  private(set) var streams: [StreamSummary] = []
  private var counts: [FindingCode: Int] = [:]
  private var feedback = 0
  private var requests = 0
  private var responses = 0
  private var exchanges = ByService(0)

  private struct StreamSide: Hashable {
    var stream: Int
    var direction: Direction
  }

  private func cover(_ stream: Int, _ direction: Direction, _ offset: Int, _ length: Int) {
    expect(length > 0 && offset >= 0, "what is found has bytes")
    covered[StreamSide(stream: stream, direction: direction), default: []].append(offset..<offset + length)
  }

  func records(_ records: FeedbackRecords, in bytes: RawSpan) { records.eachExtent { add($0, in: bytes) } }

  private func add(_ records: FeedbackRecords, in bytes: RawSpan) {
    feedback += records.run.count
    for index in 0..<records.run.count {
      let run = records.run.slice(from: index, count: 1)
      cover(records.labels.stream, records.direction, run.offset, run.stride)
      let token = bytes.extracting(run.token(of: 0)).withUnsafeBytes { Array($0) }
      lines.append(
        "feedback \(records.labels.stream) \(records.direction.rawValue) \(run.offset) \(run.time(of: 0, in: bytes)) \(Hex.string(token)) \(run.flags.rawValue) \(records.origin.fileOffset(of: run.offset)) \(records.origin.packet?.number ?? 0)"
      )
    }
  }

  func requests(_ requests: RequestRecords, in bytes: RawSpan) {
    self.requests += requests.records.count
    for record in requests.records {
      cover(requests.labels.stream, .client, record.offset, record.range.count)
      let content = bytes.extracting(record.range).withUnsafeBytes { Array($0) }
      lines.append(
        "request \(requests.labels.stream) \(record.offset) \(Hex.string(content)) \(record.flags.rawValue) \(record.outcome.rawValue) \(record.status ?? 0) \(record.fileOffset) \(record.packet?.number ?? 0)"
      )
    }
  }

  func response(_ response: ResponseRecord) {
    responses += 1
    cover(response.labels.stream, .server, response.offset, ErrorResponse.length)
    lines.append(
      "response \(response.labels.stream) \(response.offset) \(response.response.status) \(response.response.identifier) \(response.flags.rawValue) \(response.request?.offset ?? -1) \(response.fileOffset) \(response.packet?.number ?? 0)"
    )
  }

  func pushes(_ pushes: PushRecords, in bytes: RawSpan) { add(pushes, in: bytes) }

  func exchanges(_ exchanges: PushRecords, in bytes: RawSpan) {
    expect(
      exchanges.records.allSatisfy { $0.kind != .push && $0.fields[.token] == nil }, "they have no token")
    add(exchanges, in: bytes)
  }

  private func add(_ pushes: PushRecords, in bytes: RawSpan) {
    for push in pushes.records {
      exchanges[push.kind] += 1
      for field in PushFields.Text.allCases where field != .token {
        let isUTF8 = push.fields[field].map { UTF8Text.isValid($0, in: bytes) } ?? true
        expect(isUTF8, "texts are UTF-8: \(field) at \(push.offset)")
      }
      let texts = PushFields.Text.allCases.map { field in
        push.fields[field].map { bytes.extracting($0).withUnsafeBytes { Array($0) } } ?? []
      }
      let token = push.fields[.token].map { range in
        bytes.extracting(range).withUnsafeBytes { Hex.string(Array($0)) }
      }
      self.pushes.append(
        Push(
          stream: push.fields.http2Stream ?? 0, request: push.requestOffset,
          response: push.direction == .server ? push.offset : nil, token: token ?? "",
          status: push.fields.status, isInferred: push.fields.flags.contains(.statusInferred)))
      lines.append(
        "\(push.fields.service) \(pushes.labels.stream) \(push.direction.rawValue) \(push.offset) \(push.requestOffset ?? -1) \(push.fields.status ?? 0) \(push.fields.flags.rawValue) \(texts.map { Hex.string($0) }) \(push.fileOffset) \(push.packet?.number ?? 0)"
      )
    }
  }

  func finding(_ finding: Finding) {
    counts[finding.code, default: 0] += 1
    lines.append(
      "finding \(finding.code.rawValue) \(finding.stream ?? -1) \(finding.direction?.rawValue ?? "") \(finding.offset ?? -1) \(finding.length ?? -1) \(finding.fileOffset ?? -1) \(finding.packet ?? 0) \(finding.message.text)"
    )
    let isSpan = finding.code == .skippedBytes || finding.code == .truncatedRecord
    if isSpan, let stream = finding.stream, let direction = finding.direction, let offset = finding.offset {
      cover(stream, direction, offset, finding.length ?? 0)
    }
  }

  func stream(_ stream: StreamSummary, report: StreamReport) {
    streams.append(stream)
  }

  /// docs/spec/interface.md#sums.
  func checkSums(_ summary: Summary) {
    expect(
      summary.recordBytes + summary.skippedBytes + summary.truncatedBytes == summary.streamBytes,
      "the sums of \(summary)")
    expect(summary.findings == counts, "findings are counted: \(summary.findings), not \(counts)")
    expect(summary.feedback == feedback, "tuples are counted")
    expect(
      summary.gateway.requests == requests && summary.gateway.responses == responses, "requests are counted")
    for kind in ServiceRequest.Kind.allCases {
      expect(summary.requests[kind].counts.all == exchanges[kind], "each \(kind) is counted")
    }
    expect(summary.streams == streams.count, "streams are counted")
    var (decoded, all) = (0, 0)
    var isTiled = true
    for stream in streams {
      for (direction, bytes) in [(Direction.client, stream.clientBytes), (.server, stream.serverBytes)] {
        all += bytes
        let side = StreamSide(stream: stream.number, direction: direction)
        let ranges = (covered.removeValue(forKey: side) ?? []).sorted { $0.lowerBound < $1.lowerBound }
        for (range, next) in zip(ranges, ranges.dropFirst()) {
          expect(
            range.upperBound <= next.lowerBound,
            "no byte is in two records: \(range) and \(next) of \(stream)")
        }
        // Frames of HTTP/2 and lines of a log that are no pushes have no record of their own.
        if stream.pushes != nil {
          isTiled = false
          continue
        }
        let count = ranges.reduce(0) { $0 + $1.count }
        if ranges.isEmpty { continue }
        decoded += bytes
        // All separators of a dump are one finding, whose length is not that of a range.
        expect(
          count == bytes || count < bytes && counts[.separatingBytes] != nil,
          "a direction is decoded in full or not at all: \(count) of \(bytes) bytes, \(direction) of \(stream)"
        )
      }
    }
    expect(covered.isEmpty, "records are of streams: \(covered.keys)")
    expect(summary.streamBytes + summary.undecodedBytes == all, "the bytes of all streams: \(summary)")
    if isTiled {
      expect(summary.streamBytes == decoded, "decoded bytes are those of records and findings: \(summary)")
    }
  }
}
