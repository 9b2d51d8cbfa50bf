import Basics

/// Adjacent true tuples with tokens of equal length, by the offset of the first in a stream, in bytes from 0.
package typealias TupleRun = (offset: Int, tokenLength: Int, count: Int)

/// The true records of a feedback stream, to judge readers by: those of the decoding rules in their order, except for
/// those with an empty token (docs/spec/readers.md#judgement). Created once per stream, for all readers and chunkings.
///
/// Memory: the stream, and 40 to 56 bytes per tuple.
package struct TrueRecords: Sendable {
  struct TrueTuple {
    /// Offset in the stream, in bytes from 0.
    var offset: Int
    var time: UInt32
    var tokenLength: UInt16
  }

  package let bytes: [UInt8]
  let tuples: [TrueTuple]
  /// Offsets of the excluded records, ascending.
  let emptyTokens: [Int]
  let index: TruthIndex
  /// Earliest and latest true time. A reader that lost alignment mostly reports other times, which need no look-up: 80
  /// chunkings of a stream take a quarter of the time.
  private let times: ClosedRange<Int64>

  package var count: Int { tuples.count }

  package var hasEmptyTokens: Bool { !emptyTokens.isEmpty }
  package var hasRepeats: Bool { index.copies.contains { $0 > 1 } }
  package var latest: Int64 { times.upperBound }
  package var ranges: [Range<Int>] { tuples.map { $0.offset..<$0.token.upperBound } }

  /// - Parameter runs: in stream order; every tuple is completely in `bytes`.
  package init(bytes: [UInt8], runs: [TupleRun]) {
    var tuples: [TrueTuple] = []
    var emptyTokens: [Int] = []
    tuples.reserveCapacity(runs.reduce(0) { $0 + $1.count })
    for run in runs {
      for number in 0..<run.count {
        let offset = run.offset + number * (Self.header + run.tokenLength)
        if run.tokenLength == 0 {
          emptyTokens.append(offset)
        } else {
          tuples.append(Self.tuple(in: bytes, at: offset, tokenLength: run.tokenLength))
        }
      }
    }
    (self.bytes, self.tuples, self.emptyTokens) = (bytes, tuples, emptyTokens)
    index = TruthIndex(of: tuples, in: bytes)
    let earliest = tuples.lazy.map(\.time).min() ?? 0
    let latest = tuples.lazy.map(\.time).max() ?? 0
    times = Int64(earliest)...Int64(latest)
  }

  /// Bytes of time and token length (docs/spec/protocol.md#feedback-tuples).
  package static let header = 6

  private static func tuple(in bytes: [UInt8], at offset: Int, tokenLength: Int) -> TrueTuple {
    precondition(
      offset >= 0 && offset + header + tokenLength <= bytes.count && tokenLength <= UInt16.max,
      "a true tuple is completely in its stream")
    let time = bytes.span.bytes.bigEndianUInt32(at: offset)
    return TrueTuple(offset: offset, time: time, tokenLength: UInt16(tokenLength))
  }

  /// Index of the first equal true tuple; nil if there is none.
  @inline(__always)
  func firstAlike(_ time: Int64, _ token: RawSpan) -> Int? {
    guard times.contains(time) else { return nil }
    return index.find(hash: TruthIndex.hash(time, token)) { tuples[$0].says(time, token, in: bytes) }
  }
}

extension TrueRecords.TrueTuple {
  /// Offsets of the token in the stream.
  var token: Range<Int> {
    let start = offset &+ TrueRecords.header
    return start..<(start &+ Int(tokenLength))
  }

  @inline(__always)
  func says(_ time: Int64, _ token: RawSpan, in bytes: [UInt8]) -> Bool {
    guard Int64(self.time) == time, Int(tokenLength) == token.byteCount else { return false }
    return bytes.withUnsafeBytes { stream in
      token.withUnsafeBytes { emitted in
        guard let stream = stream.baseAddress, let emitted = emitted.baseAddress else { return false }
        return memcmp(stream + self.token.lowerBound, emitted, Int(tokenLength)) == 0
      }
    }
  }
}
