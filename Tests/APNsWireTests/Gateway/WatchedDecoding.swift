import APNsWire
import WireBytes

/// A decoder of a run that comes in chunks, in the words of `GatewayEvidence`.
protocol WatchedDecoder {
  var undecidedOffset: Int { get }
  var pendingSkip: Int? { get }
  mutating func finish()
  mutating func say(in chunk: RawSpan) -> Said
}

enum Said: Equatable {
  case evidence(GatewayEvidence)
  case needsBytes, finished
}

/// What a decoder made of a run that was handed over in chunks, with the laws watched on the way.
struct WatchedDecoding<Decoder: WatchedDecoder> {
  private(set) var evidence: [GatewayEvidence] = []
  /// The first breach of a law of docs/spec/decoding-rules.md#laws; nil where all held.
  private(set) var breach: String?
  /// The most bytes that were held back between two chunks.
  private(set) var mostHeld = 0

  private var decoder: Decoder
  /// Offset in the stream behind everything that was said.
  private var covered: Int

  /// - Parameters:
  ///   - offset: the one that `decoder` was made with.
  ///   - chunkLength: asked for the length of each chunk; less than 1 counts as an empty chunk.
  init(_ bytes: [UInt8], _ decoder: Decoder, offset: Int = 0, holdBack: Int, chunkLength: () -> Int) {
    self.decoder = decoder
    covered = offset
    var start = 0
    while start < bytes.count, breach == nil {
      let end = min(bytes.count, start + max(0, chunkLength()))
      take(bytes.span.bytes.extracting(start..<end))
      start = end
      // Whatever is not decided is held back, and nothing else.
      let held = offset + start - self.decoder.undecidedOffset
      mostHeld = max(mostHeld, held)
      if held > holdBack { breach = breach ?? "hold-back: \(held) bytes" }
    }
    finish()
    if covered != offset + bytes.count { breach = breach ?? "accounting: ends at \(covered)" }
  }

  private mutating func take(_ chunk: RawSpan) {
    while breach == nil {
      let said = decoder.say(in: chunk)
      if said == .needsBytes { break }
      add(said)
    }
    if (decoder.pendingSkip ?? decoder.undecidedOffset) != covered {
      breach = breach ?? "lost track at \(covered)"
    }
  }

  private mutating func finish() {
    decoder.finish()
    while breach == nil {
      let said = decoder.say(in: RawSpan())
      if said == .finished { break }
      add(said)
    }
    if decoder.say(in: RawSpan()) != .finished { breach = breach ?? "finished is not final" }
  }

  /// Every answer must go on where the last one ended, and cover something; but `undecodable` covers the first
  /// byte of the skipped range that must follow it.
  private mutating func add(_ said: Said) {
    guard case .evidence(let found) = said else {
      breach = "progress: \(said) out of turn"
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
