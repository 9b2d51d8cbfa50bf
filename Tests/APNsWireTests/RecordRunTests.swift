import APNsWire
import Basics
import TestSupport
import Testing

@Suite("Runs of records, and what decoders begin with") struct RecordRunTests {
  private static let times: [UInt32] = [1_400_000_500, 1_400_000_100, 1_400_000_900]
  private static let bytes = times.enumerated().flatMap { Tuples.one(time: $1, fill: UInt8(0x10 + $0)) }

  @Test("a run has the bounds of its times, and each record its own") func fields() throws {
    var decoder = FeedbackDecoder(rules: .standard, offset: 1000)
    var runs: [RecordRun] = []
    decoder.decode(whole: (Self.bytes + Tuples.one()).span.bytes) { step, window in
      guard case .record(let run) = step else { return }
      runs.append(run)
      for index in 0..<run.count {
        let record = (run.offset + index * 38 - 1000) / 38
        guard record < 3 else { continue }
        #expect(run.time(of: index, in: window) == Self.times[record])
        #expect(run.token(of: index).count == 32)
        #expect(window.byte(at: run.token(of: index).lowerBound) == UInt8(0x10 + record))
        #expect(window.byte(at: run.token(of: index).upperBound - 1) == UInt8(0x10 + record))
      }
    }
    // Before the end, the last one is not followed by a length.
    let first = try #require(runs.first)
    #expect(first.count == 3 && first.offset == 1000 && first.start == 0 && first.flags == [])
    #expect(first.stride == 38 && first.tokenLength == 32)
    #expect(first.earliest == 1_400_000_100 && first.latest == 1_400_000_900)
    #expect(runs.map(\.count) == [3, 1])
    #expect(runs.last.map { ($0.earliest, $0.latest) } ?? (0, 0) == (Tuples.time, Tuples.time))
  }

  @Test("a slice of a run") func slice() {
    let run = RecordRun.sample(start: 7, offset: 1000, tokenLength: 32, count: 9, times: 5...8)
    let slice = run.slice(from: 2, count: 3)
    #expect(slice.start == 7 + 2 * 38 && slice.offset == 1000 + 2 * 38 && slice.count == 3)
    #expect(slice.earliest == 5 && slice.latest == 8 && slice.tokenLength == 32)
    #expect(slice.token(of: 1) == 7 + 3 * 38 + 6..<7 + 4 * 38)
  }

  @Test("eight zero bytes in a row are flagged anywhere in a token, seven are not", arguments: 0...24)
  func zeros(_ first: Int) {
    for (count, isFlagged) in [(7, false), (8, true)] {
      let token = (0..<32).map { UInt8((first..<first + count).contains($0) ? 0 : 0x10 + $0) }
      let tuple = Tuples.of(token, time: Tuples.time)
      var flags: [RecordFlags] = []
      var decoder = FeedbackDecoder(rules: .standard)
      decoder.decode(whole: tuple.span.bytes) { step, _ in
        if case .record(let run) = step { flags.append(run.flags) }
      }
      #expect(flags == [isFlagged ? .zeroFilledToken : []], "\(count) from \(first) on")
    }
  }

  @Test("between two chunks, undecided bytes are carried over") func carry() {
    var decoder = FeedbackDecoder(rules: .standard)
    let part = Array(Tuples.one().prefix(20))
    #expect(decoder.carry == nil)
    #expect(decoder.next(in: part.span.bytes) == nil && decoder.carry == part)
    #expect(decoder.undecidedOffset == 0)
  }

  private func expectNoSteps(_ decoder: some RunDecoder) {
    var decoder = decoder
    for hasEnded in [false, true] {
      if hasEnded { decoder.finish() }
      for _ in 1...2 { #expect(decoder.next(in: RawSpan()) == nil) }
    }
  }

  @Test("empty chunks and empty runs give no steps", arguments: [true, false])
  func emptiness(_ beginsStream: Bool) {
    expectNoSteps(FeedbackDecoder(rules: .standard, offset: 9, beginsStream: beginsStream))
    expectNoSteps(RequestDecoder(rules: .standard, offset: 9, beginsStream: beginsStream))
    expectNoSteps(ResponseDecoder(offset: 9, beginsStream: beginsStream))
  }

  private func begins(_ decoder: some RunDecoder) -> Bool {
    decoder.undecidedOffset == 0 && decoder.pendingSkip == nil
  }

  @Test("decoders begin at the beginning of a stream, unless they are set otherwise") func defaults() {
    #expect(begins(FeedbackDecoder(rules: .standard)) && begins(RequestDecoder(rules: .standard)))
    #expect(begins(ResponseDecoder()) && begins(FrameDecoder(.client)))
    #expect(FeedbackDecoder(rules: .standard, offset: 5, beginsStream: false).pendingSkip == 5)
    #expect(FrameDecoder(.server, offset: 5, beginsStream: false).pendingSkip == 5)
  }
}
