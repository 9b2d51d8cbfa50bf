import APNsWire
import Basics
import PacketCapture
import ProviderLogs

/// Reads lists of tokens with the times at which they became invalid, as feedback tuples
/// (docs/spec/text-lines.md#lists).
struct FeedbackList: TextDecoder {
  /// The most bytes that are read before the output may be drained.
  private static let most = 32 << 10

  private let decoder: LogDecoder
  /// The flags of the streams so far: each set has one.
  private var streams: Set<UInt32> = []
  /// Lines without a token and a time, and the first of them.
  private var others: (count: Int, first: TextPosition)?

  init(_ options: LogOptions) { decoder = LogDecoder(options.ofLists) }

  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    var index = start
    while index < text.byteCount, !output.isFull {
      let end = min(text.byteCount, index &+ Self.most)
      readSteps(text.extracting(index..<end), into: &output)
      index = end
    }
    return index
  }

  mutating func finish(into output: inout DecodedText) -> Bool {
    decoder.finish()
    readSteps(RawSpan(), into: &output)
    if let others {
      output.error("\(Count.of(others.count, "line")) without a token and its time", at: others.first)
    }
    output.closeErrors()
    return true
  }

  private mutating func readSteps(_ text: RawSpan, into output: inout DecodedText) {
    while let step = decoder.next(in: text) {
      switch step {
      case .record(.push(let offset, _)): emit(at: offset, into: &output)
      case .record(.skipped(let skip)): note(skip, into: &output)
      case .truncated(let offset, _):
        output.error(
          "the last line is cut off", at: TextPosition(fileOffset: offset, line: decoder.lastLine, column: 1))
      case .record(.passed), .between, .undecodable, .skipped: break
      }
    }
  }

  private mutating func note(_ skip: LogSkip, into output: inout DecodedText) {
    let position = TextPosition(fileOffset: skip.offset, line: skip.firstLine, column: 1)
    guard let finding = skip.finding else {
      others = ((others?.count ?? 0) &+ skip.lines, others?.first ?? position)
      return
    }
    let more = skip.lines > 1 ? Message(", and \(Count.of(skip.lines - 1, "line")) after it") : ""
    output.error("\(finding.message(found: decoder.findingText))\(more); line skipped", at: position)
  }

  private mutating func emit(at offset: Int, into output: inout DecodedText) {
    guard let report = decoder.report, let token = decoder.fields[.token] else { return }
    let flags = report.flags.rawValue
    let key = Int(flags)
    if streams.insert(flags).inserted {
      output.beginConnection(ExportConnection(server: .first, feedbackFlags: flags), key: key)
    }
    output.beginSegment(.first, key: key)
    decoder.withTexts { texts in
      _ = output.append(upTo: 6 &+ token.count, at: offset, spacing: Stride(stride: 0)) { bytes in
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: report.time &>> shift)) }
        for shift in [8, 0] { bytes.append(UInt8(truncatingIfNeeded: token.count &>> shift)) }
        for index in token { bytes.append(texts.byte(at: index)) }
      }
    }
  }

  /// Whether a text is a list: each line has a token and its time, by names that say so.
  /// - Parameter isWhole: whether no text follows.
  static func recognises(_ head: [UInt8], isWhole: Bool, _ options: LogOptions) -> Bool {
    let decoder = LogDecoder(options.ofLists)
    var rows = 0
    while let step = decoder.next(inHead: head.span.bytes, isWhole: isWhole) {
      switch step {
      case .record(.push):
        if decoder.isTable, decoder.hasAnswers || !decoder.hasOthers { return !decoder.hasAnswers }
        guard decoder.report?.isNamed == true || options.mapping.namesTime else { return false }
        if decoder.isTable { return true }
        rows += 1
      case .record(.passed): break
      case .record(.skipped), .between, .undecodable, .skipped, .truncated: return false
      }
    }
    return rows > 0
  }
}
