import APNsWire

/// Tuples as tests write them: byte by byte, without the library's encoder.
package enum Tuples {
  /// 2014-05-13T16:53:20Z, 53724e00 in hex.
  package static let time: UInt32 = 1_400_000_000

  package static func header(time: UInt32 = time, length: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) }
      + [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
  }

  /// A tuple whose token is `count` times `fill`.
  package static func one(_ count: Int = 32, time: UInt32 = time, fill: UInt8 = 0xaa) -> [UInt8] {
    of([UInt8](repeating: fill, count: count), time: time)
  }

  package static func of(_ token: [UInt8], time: UInt32 = time) -> [UInt8] {
    header(time: time, length: token.count) + token
  }
}

extension RecordRun {
  /// A run with the given fields. Only a decoder makes runs, so one is asked for a sample to change.
  package static func sample(
    start: Int = 0, offset: Int = 0, tokenLength: Int, count: Int = 1, flags: RecordFlags = [],
    times: ClosedRange<UInt32> = 0 ... .max
  ) -> RecordRun {
    var decoder = FeedbackDecoder(rules: .standard)
    let tuple = Tuples.one()
    _ = decoder.next(in: tuple.span.bytes)
    decoder.finish()
    guard case .record(var run) = decoder.next(in: tuple.span.bytes) else {
      preconditionFailure("a sound tuple is a record")
    }
    run.start = start
    run.offset = offset
    run.tokenLength = tokenLength
    run.count = count
    run.flags = flags
    (run.earliest, run.latest) = (times.lowerBound, times.upperBound)
    return run
  }
}
