import APNsWire
import TestSupport
import Testing

@Suite("Laws of the feedback decoder, on damaged streams") struct DecoderLawTests {
  @Test("it says the same, however the run is cut", arguments: FeedbackLimits.variety.indices)
  func chunks(_ index: Int) throws { try cut(streams: 150, index) }

  /// Of `scripts/test --soak`.
  @Test("the same of many more streams", arguments: FeedbackLimits.variety.indices)
  func manyStreams(_ index: Int) throws { try cut(streams: 600, index) }

  /// - Parameter streams: for each set of limits; ten times as much for the defaults.
  private func cut(streams: Int, _ index: Int) throws {
    let (name, limits) = FeedbackLimits.variety[index]
    let rules = try #require(limits.rules)
    var source = DamagedStreams(seed: UInt64(index), limits)
    for number in 0..<(index == 0 ? 10 * streams : streams) {
      let bytes = source.next()
      let beginsStream = !source.generator.chance(3)
      let offset = source.generator.pick([0, 0, 1, 4_294_967_295, 1 << 40])
      let error = Chunking.error(&source.generator, everySize: number % 25 == 0) {
        WatchedDecoding(
          feedback: bytes, rules: rules, offset: offset, beginsStream: beginsStream, chunkLength: $0)
      }
      try #require(error == nil, "\(name), stream \(number) of \(bytes.count) bytes: \(error ?? "")")
    }
  }

  @Test("the hold-back is reached if necessary, and never exceeded") func holdBack() throws {
    let rules = FeedbackRules.standard
    #expect([FeedbackDecoder(rules: rules).holdBack, TupleSpacing.reach(rules)] == [324, 34_116])
    let sound = (0..<100).flatMap { _ in Tuples.one() }
    let decoding = WatchedDecoding(feedback: sound, rules: rules) { 1 }
    #expect(decoding.breach == nil)
    #expect(decoding.mostCarried == rules.holdBack - 1)
    let noise = [UInt8](repeating: 0xff, count: 100_000)
    #expect(WatchedDecoding(feedback: noise, rules: rules) { 1 }.mostCarried == rules.holdBack - 1)
  }

  @Test("an undamaged dump gives one run per chunk, not one call per record") func runs() {
    let bytes = (0..<10_000).flatMap { _ in Tuples.one() }
    var decoder = FeedbackDecoder(rules: .standard)
    guard case .record(let run) = decoder.next(in: bytes.span.bytes) else {
      Issue.record("no records at the beginning")
      return
    }
    #expect(run.start == 0 && run.count > 9980)
    #expect(decoder.next(in: bytes.span.bytes) == nil)
  }
}
