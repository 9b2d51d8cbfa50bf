import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("Contents of an overview")
struct OverviewTests {
  @Test("the first findings of each code, of every input before a second one of any")
  func findings() {
    let overview = Overview()
    overview.inputBegan("a")
    for offset in 0..<10 {
      overview.finding(Finding(source: "a", offset: offset, code: .skippedBytes, message: .verbatim("")))
    }
    overview.finding(Finding(source: "a", offset: 99, code: .streamGap, message: .verbatim("")))
    #expect(overview.examples(of: .skippedBytes).compactMap(\.offset) == [0, 1, 2])
    #expect(overview.examples(of: .streamGap).compactMap(\.offset) == [99])
    overview.inputBegan("b")
    overview.finding(Finding(source: "b", offset: 7, code: .skippedBytes, message: .verbatim("")))
    #expect(overview.examples(of: .skippedBytes).compactMap(\.offset) == [0, 1, 7])
  }

  @Test("a thousand streams, and how many more there are")
  func streams() {
    let overview = Overview()
    for number in 0..<1003 {
      overview.stream(
        StreamSummary(source: "a", number: number, streamProtocol: .feedback), report: StreamReport(.dump))
    }
    #expect(overview.streams.count == Overview.maxStreams && overview.streamsLeftOut == 3)
  }

  @Test("times of records that are not implausible")
  func times() {
    let overview = Overview()
    let bytes = Tuples.one()
    for flags in [[], .resynchronised, .implausibleTimestamp] as [RecordFlags] {
      let run = RecordRun.sample(tokenLength: 32, flags: flags)
      let origin = SourceExtent(streamOffset: 0, fileOffset: 0, stride: 1)
      overview.records(
        FeedbackRecords(
          labels: StreamLabels(source: "a", stream: 0), direction: .server, run: run, origin: origin),
        in: bytes.span.bytes)
    }
    #expect(overview.times.bins.map(\.count) == [2])
  }
}
