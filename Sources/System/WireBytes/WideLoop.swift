internal import WideBytes

/// Loops in C, for what nearly all inputs have much of.
package enum WideLoop {
  /// Counts feedback tuples with tokens of 32 bytes, in blocks of eight up to the first with a doubtful one: each has a
  /// time in `plausible` and the same length after it, and no eight zero bytes in a row.
  /// - Parameter count: the number of tuples at `start` that a header follows.
  package static func plainTuples(
    in bytes: RawSpan, from start: Int, count: Int, plausible: (earliest: UInt32, latest: UInt32)
  ) -> (count: Int, times: (earliest: UInt32, latest: UInt32)) {
    var found = TimeBounds(earliest: .max, latest: 0)
    let plausible = TimeBounds(earliest: plausible.earliest, latest: plausible.latest)
    let length = Int(PLAIN_TUPLE) &* count &+ Int(TUPLE_HEADER)
    let plain = bytes.extracting(start..<start &+ length).withUnsafeBytes { tuples in
      tuples.baseAddress.map { count_plain_tuples($0, count, plausible, &found) } ?? 0
    }
    return (plain, (found.earliest, found.latest))
  }

  /// Counts times, `stride` bytes apart, in whole blocks of eight; returns how many. One is in the bin
  /// `(time / 4 * reciprocal) >> bits`.
  /// - Parameter pages: the indices in `counts` of the first of `1 << pageBits` bins. Those of all times must be there.
  package static func count(
    timesIn bytes: RawSpan, from start: Int, stride: Int, count: Int, reciprocal: UInt32, bits: UInt32,
    pages: [Int32], pageBits: Int, counts: inout [Int]
  ) -> Int {
    bytes.extracting(start..<start &+ count &* stride).withUnsafeBytes { times in
      pages.withUnsafeBufferPointer { pages in
        counts.withUnsafeMutableBufferPointer { counts in
          var bins = TimeBins(
            reciprocal: reciprocal, bits: bits, page_bits: UInt32(pageBits), pages: pages.baseAddress,
            counts: counts.baseAddress)
          return times.baseAddress.map { count_times($0, stride, count, &bins) } ?? 0
        }
      }
    }
  }

  /// Copies text with the escapes of JSON to `target`, which has room for six times the text; returns the end.
  package static func escape(
    _ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    text.baseAddress.flatMap { UnsafeMutableRawPointer(escape_json($0, text.count, target)) } ?? target
  }

  /// Writes UTF-8 as a field of CSV to `target`, which has room for twice the text and 17 bytes, quoted if it has the
  /// delimiter, a quote or a line end; returns the end of the field.
  /// - Parameter readable: how many bytes from the first on may be loaded.
  package static func writeField(
    _ text: UnsafeRawBufferPointer, readable: Int, delimiter: UInt8, to target: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    text.baseAddress.flatMap { write_field($0, text.count, readable, delimiter, target) }
      .map { UnsafeMutableRawPointer($0) } ?? target
  }
}
