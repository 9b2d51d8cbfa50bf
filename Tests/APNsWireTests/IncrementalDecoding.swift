import APNsWire
import Basics

/// Decodes a run in chunks with the library's decoder, and checks the laws at each step.
struct IncrementalDecoding {
  private(set) var evidence: [Evidence] = []
  /// The first breach of a law of docs/spec/decoding-rules.md#laws; nil if there is none.
  private(set) var breach: String?
  /// The most undecided bytes between two chunks.
  private(set) var mostCarried = 0

  private var decoder: FeedbackDecoder
  /// Offset in the stream after all steps so far.
  private var covered: Int

  /// - Parameter chunkLength: gives the length of each chunk; below 1, the chunk is empty.
  init(
    _ bytes: [UInt8], rules: FeedbackRules, offset: Int = 0, beginsStream: Bool = true, isDump: Bool = false,
    chunkLength: () -> Int
  ) {
    decoder = FeedbackDecoder(rules: rules, offset: offset, beginsStream: beginsStream, isDump: isDump)
    covered = offset
    evidence.reserveCapacity(bytes.count / 38)
    var start = 0
    while start < bytes.count, breach == nil {
      let end = min(bytes.count, start + max(0, chunkLength()))
      take(bytes.span.bytes.extracting(start..<end))
      start = end
    }
    finish()
    if covered != offset + bytes.count { breach = breach ?? "accounting: ends at \(covered)" }
  }

  private mutating func take(_ chunk: RawSpan) {
    while breach == nil, let step = decoder.next(in: chunk) { add(step, chunk) }
    let carried = decoder.carry?.count ?? 0
    mostCarried = max(mostCarried, carried)
    if carried > decoder.holdBack { breach = "hold-back: \(carried) bytes" }
    if (decoder.pendingSkip ?? decoder.undecidedOffset) != covered { breach = "lost track at \(covered)" }
  }

  private mutating func finish() {
    decoder.finish()
    while breach == nil, let step = decoder.next(in: RawSpan()) { add(step, RawSpan()) }
    if decoder.next(in: RawSpan()) != nil { breach = breach ?? "finished is not final" }
  }

  /// Every step must begin where the previous one ended, and cover at least one byte.
  private mutating func add(_ step: DecoderStep<RecordRun>, _ chunk: RawSpan) {
    switch step {
    case .record(let run):
      check(run.offset, run.count * run.stride)
      if let carry = decoder.carry { add(run, in: carry.span.bytes) } else { add(run, in: chunk) }
    case .skipped(let offset, let length):
      check(offset, length)
      evidence.append(.skipped(offset: offset, length: length))
    case .between(let offset, let length):
      check(offset, length)
      evidence.append(.between(offset: offset, length: length))
    case .truncated(let offset, let length):
      check(offset, length)
      evidence.append(.truncated(offset: offset, length: length))
    case .undecodable: breach = "a tuple has no command"
    }
  }

  private mutating func check(_ offset: Int, _ length: Int) {
    if offset != covered { breach = "accounting: \(offset) follows \(covered)" }
    if length <= 0 { breach = "progress: an empty step at \(offset)" }
    covered += length
  }

  private mutating func add(_ run: RecordRun, in bytes: RawSpan) {
    let flags = run.flags.codes
    for index in 0..<run.count {
      let record = run.slice(from: index, count: 1)
      let header = bytes.extracting(record.start..<(record.start + record.stride))
      let time = (0..<4).reduce(0) { $0 << 8 | Int(header.byte(at: $1)) }
      let token = header.extracting(droppingFirst: 6).withUnsafeBytes { Array($0) }
      evidence.append(.record(offset: record.offset, time: time, token: token, flags: flags))
    }
  }
}
