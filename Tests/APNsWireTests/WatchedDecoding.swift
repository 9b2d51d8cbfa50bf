import APNsWire
import Basics

/// A decoder whose records are converted to evidence.
protocol WatchedDecoder: RunDecoder {
  static func evidence(_ record: Record, in bytes: RawSpan) -> [Evidence]
}

extension WatchedDecoder {
  /// The next step as evidence; nil as of `next(in:)`.
  fileprivate mutating func evidence(in chunk: RawSpan) -> [Evidence]? {
    switch next(in: chunk) {
    case .record(let record):
      if let carry { Self.evidence(record, in: carry.span.bytes) } else { Self.evidence(record, in: chunk) }
    case .undecodable(let offset, let command): [.undecodable(offset: offset, command: Int(command))]
    case .skipped(let offset, let length): [.skipped(offset: offset, length: length)]
    case .between(let offset, let length): [.between(offset: offset, length: length)]
    case .truncated(let offset, let length): [.truncated(offset: offset, length: length)]
    case nil: nil
    }
  }
}

/// Decodes a run in chunks, and checks the laws at each step.
struct WatchedDecoding<Decoder: WatchedDecoder> {
  private(set) var evidence: [Evidence] = []
  /// The first breach of a law of docs/spec/decoding-rules.md#laws; nil if there is none.
  private(set) var breach: String?
  /// The most undecided bytes between two chunks.
  private(set) var mostCarried = 0

  private var decoder: Decoder
  /// Offset in the stream after all steps so far.
  private var covered: Int

  /// - Parameters:
  ///   - offset: the offset with which `decoder` was created.
  ///   - chunkLength: gives the length of each chunk; below 1, the chunk is empty.
  init(_ bytes: [UInt8], _ decoder: Decoder, offset: Int = 0, holdBack: Int, chunkLength: () -> Int) {
    self.decoder = decoder
    covered = offset
    var start = 0
    while start < bytes.count, breach == nil {
      let end = min(bytes.count, start + max(0, chunkLength()))
      take(bytes.span.bytes.extracting(start..<end))
      start = end
      // Exactly the undecided bytes are carried over.
      let carried = max(offset + start - self.decoder.undecidedOffset, self.decoder.carry?.count ?? 0)
      mostCarried = max(mostCarried, carried)
      if carried > holdBack { breach = breach ?? "hold-back: \(carried) bytes" }
    }
    finish()
    if covered != offset + bytes.count { breach = breach ?? "accounting: ends at \(covered)" }
  }

  private mutating func take(_ chunk: RawSpan) {
    takeSteps(chunk)
    if (decoder.pendingSkip ?? decoder.undecidedOffset) != covered {
      breach = breach ?? "lost track at \(covered)"
    }
  }

  private mutating func takeSteps(_ chunk: RawSpan) {
    while breach == nil, let found = decoder.evidence(in: chunk) {
      if found.isEmpty { breach = "progress: a step without records" }
      for one in found { add(one) }
    }
  }

  private mutating func finish() {
    decoder.finish()
    takeSteps(RawSpan())
    if decoder.next(in: RawSpan()) != nil { breach = breach ?? "finished is not final" }
  }

  /// Every step must begin where the previous one ended, and cover at least one byte. `undecodable` is about the first
  /// byte of the skipped range that must follow it.
  private mutating func add(_ found: Evidence) {
    if found.offset != covered { breach = "accounting: \(found) follows \(covered)" }
    let isSkip = if case .skipped = found { true } else { false }
    if case .undecodable = evidence.last, !isSkip {
      breach = "accounting: \(found) follows an undecodable byte"
    }
    if case .undecodable = found {
      if Decoder.self == FeedbackDecoder.self { breach = "a tuple has no command" }
    } else if found.length <= 0 {
      breach = "progress: \(found)"
    }
    covered += found.length
    evidence.append(found)
  }
}
