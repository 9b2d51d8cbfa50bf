import TestSupport

/// Compares decodings of a run for many chunk sizes. Whether the whole is right says the oracle
/// (scripts/cross-check).
enum Chunking {
  /// A description of the first difference from the decoding in one chunk; nil if there is none.
  static func error<Decoder>(
    _ generator: inout SeededGenerator, everySize: Bool,
    _ decode: (_ chunkLength: () -> Int) -> WatchedDecoding<Decoder>
  ) -> String? {
    let whole = decode { Int.max / 2 }
    if let breach = whole.breach { return breach }
    for size in everySize ? Array(1...80) : [1, 2, 3, 7, 37, 38, 39] {
      if let error = compare(decode { size }, whole.evidence) { return "chunks of \(size): \(error)" }
    }
    for most in [5, 100, 700] {
      let decoding = decode { generator.pick(0...most) }
      if let error = compare(decoding, whole.evidence) { return "random chunks up to \(most): \(error)" }
    }
    return nil
  }

  private static func compare<Decoder>(
    _ decoding: WatchedDecoding<Decoder>, _ whole: [Evidence]
  ) -> String? {
    if let breach = decoding.breach { return breach }
    if decoding.evidence == whole { return nil }
    let index = zip(decoding.evidence, whole).enumerated().first { $1.0 != $1.1 }?.offset
    let start = index ?? min(decoding.evidence.count, whole.count)
    let here = decoding.evidence.dropFirst(start).prefix(2).map(\.description)
    return "it says \(here), in one chunk \(whole.dropFirst(start).prefix(2).map(\.description))"
  }
}
