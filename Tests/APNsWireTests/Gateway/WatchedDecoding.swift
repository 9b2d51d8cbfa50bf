import APNsWire
import Basics

/// A decoder whose steps are converted to `GatewayEvidence`.
protocol WatchedDecoder {
  var undecidedOffset: Int { get }
  var pendingSkip: Int? { get }
  mutating func finish()
  mutating func step(in chunk: RawSpan) -> WatchedStep
}

enum WatchedStep: Equatable {
  case evidence(GatewayEvidence)
  case needsBytes, finished
}

/// Decodes a run in chunks, and checks the laws at each step.
struct WatchedDecoding<Decoder: WatchedDecoder> {
  private(set) var evidence: [GatewayEvidence] = []
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
      let carried = offset + start - self.decoder.undecidedOffset
      mostCarried = max(mostCarried, carried)
      if carried > holdBack { breach = breach ?? "hold-back: \(carried) bytes" }
    }
    finish()
    if covered != offset + bytes.count { breach = breach ?? "accounting: ends at \(covered)" }
  }

  private mutating func take(_ chunk: RawSpan) {
    while breach == nil {
      let step = decoder.step(in: chunk)
      if step == .needsBytes { break }
      add(step)
    }
    if (decoder.pendingSkip ?? decoder.undecidedOffset) != covered {
      breach = breach ?? "lost track at \(covered)"
    }
  }

  private mutating func finish() {
    decoder.finish()
    while breach == nil {
      let step = decoder.step(in: RawSpan())
      if step == .finished { break }
      add(step)
    }
    if decoder.step(in: RawSpan()) != .finished { breach = breach ?? "finished is not final" }
  }

  /// Every step must begin where the previous one ended, and cover at least one byte. `undecodable` is about the first
  /// byte of the skipped range that must follow it.
  private mutating func add(_ step: WatchedStep) {
    guard case .evidence(let found) = step else {
      breach = "progress: \(step) out of turn"
      return
    }
    if found.offset != covered { breach = "accounting: \(found) follows \(covered)" }
    var isSkip = false
    if case .skipped = found { isSkip = true }
    if case .undecodable = evidence.last {
      if !isSkip { breach = "accounting: \(found) follows an undecodable byte" }
    }
    if case .undecodable = found {} else if found.length <= 0 { breach = "progress: \(found)" }
    covered += found.length
    evidence.append(found)
  }
}
