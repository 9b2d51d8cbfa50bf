import APNsWire
import TestSupport
import Testing

/// More than 1 MiB with damage everywhere gives the same result for all chunk sizes.
@Suite("A long damaged stream")
struct LongStreamTests {
  static let bytes: [UInt8] = {
    var source = DamagedStreams(seed: 2196, .init())
    return source.long(length: 1 << 20 + 1, distance: 400)
  }()
  static let whole = WatchedDecoding(feedback: bytes) { .max / 2 }.evidence

  @Test("is damaged everywhere")
  func isDamaged() {
    #expect(Self.bytes.count > 1 << 20)
    let findings = Self.whole.count { if case .record = $0 { false } else { true } }
    #expect(findings > 1000)
    let flagged = Self.whole.count {
      if case .record(_, _, _, let flags) = $0 { !flags.isEmpty } else { false }
    }
    #expect(flagged > 1000)
  }

  @Test("in chunks of every size from 1 to 80", arguments: 1...80)
  func everySize(_ size: Int) {
    WatchedDecoding(feedback: Self.bytes) { size }.expect(Self.whole)
  }

  @Test("in random chunks", arguments: [10, 400, 70_000, 300_000])
  func randomSizes(_ most: Int) {
    var generator = SeededGenerator(seed: UInt64(most))
    WatchedDecoding(feedback: Self.bytes) { generator.pick(1...most) }.expect(Self.whole)
  }

  @Test("with tokens of up to 65535 bytes, so that most of 196,629 bytes are carried over")
  func longTokens() throws {
    let limits = FeedbackLimits(allowed: [32, 20_000, 65_535])
    let rules = try #require(limits.rules)
    var source = DamagedStreams(seed: 5, limits)
    var bytes = source.long(length: 200_000, distance: 4000)
    for length in [20_000, 65_535, 65_534, 65_535, 20_000] {
      bytes += Tuples.of(source.generator.bytes(length)) + source.long(length: 60_000, distance: 4000)
    }
    let whole = WatchedDecoding(feedback: bytes, rules: rules) { .max / 2 }
    #expect(whole.breach == nil)
    for most in [5000, 70_000, 300_000] {
      let decoding = WatchedDecoding(feedback: bytes, rules: rules) { source.generator.pick(1...most) }
      decoding.expect(whole.evidence)
      #expect(decoding.mostCarried > 190_000 || most > 5000)
    }
  }
}
