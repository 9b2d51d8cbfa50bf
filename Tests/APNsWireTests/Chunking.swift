import TestSupport

/// A run that was decoded in chunks.
protocol ChunkedDecoding {
  associatedtype Found: Equatable & CustomStringConvertible
  var evidence: [Found] { get }
  var breach: String? { get }
}

extension IncrementalDecoding: ChunkedDecoding {}
extension WatchedDecoding: ChunkedDecoding {}

/// Compares a decoder with a plain one, for many chunk sizes.
enum Chunking {
  /// A description of the first difference for any chunk sizes; nil if there is none.
  static func error<Decoding: ChunkedDecoding>(
    _ plain: [Decoding.Found], _ generator: inout SeededGenerator, everySize: Bool,
    _ decode: (_ chunkLength: () -> Int) -> Decoding
  ) -> String? {
    for size in (everySize ? Array(1...80) : [1, 2, 3, 7, 37, 38, 39]) + [Int.max / 2] {
      if let error = compare(decode { size }, plain) { return "chunks of \(size): \(error)" }
    }
    for most in [5, 100, 700] {
      let decoding = decode { generator.pick(0...most) }
      if let error = compare(decoding, plain) { return "random chunks up to \(most): \(error)" }
    }
    return nil
  }

  private static func compare<Decoding: ChunkedDecoding>(_ decoding: Decoding, _ plain: [Decoding.Found])
    -> String?
  {
    if let breach = decoding.breach { return breach }
    if decoding.evidence == plain { return nil }
    let index = zip(decoding.evidence, plain).enumerated().first { $1.0 != $1.1 }?.offset
    let start = index ?? min(decoding.evidence.count, plain.count)
    let here = decoding.evidence.dropFirst(start).prefix(2).map(\.description)
    return "it says \(here), the plain decoder \(plain.dropFirst(start).prefix(2).map(\.description))"
  }
}
