import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("Recorded streams")
struct StreamRecorderTests {
  private final class Results {
    var ended: [RecordedStream] = []
    /// Memory of the result for each stream.
    var made = 0
  }

  /// A recorder, and what came of the streams that have ended.
  private struct Recording {
    let recorder: StreamRecorder
    let results = Results()

    init(_ contents: StreamRecorder.Contents, budget: Int = 1 << 20, wanted: Int? = nil) {
      recorder = StreamRecorder(budget: budget, contents: contents, wanted: wanted) {
        [results] stream, _, _ in
        results.ended.append(stream)
        return results.made
      }
      recorder.inputBegan("input")
    }

    func add(
      _ bytes: [UInt8], at offset: Int = 0, packet: Int? = nil, stream: Int = 0, _ side: Side = .second,
      content: DirectionContent? = .feedback, isDecided: Bool = true
    ) {
      let origin = SourceExtent(
        streamOffset: offset, fileOffset: 100 + offset, stride: 1,
        packet: packet.map { PacketReference(number: $0) })
      let state = DirectionState(stream: stream, side: side, content: content, isDecided: isDecided)
      recorder.bytes(bytes.span.bytes, of: state, origins: [origin].span)
    }

    func end(_ number: Int) throws {
      let summary = StreamSummary(source: "input", number: number, streamProtocol: .feedback)
      try recorder.stream(summary, report: StreamReport(.dump))
    }
  }

  @Test("bytes, and where packets begin in them")
  func bytes() throws {
    let recording = Recording(.records)
    recording.add([1, 2], packet: 4)
    recording.add([3], at: 2, packet: 4)
    recording.add([4], at: 3, packet: 7)
    recording.add([9], .first, content: nil, isDecided: false)
    try recording.end(0)
    let stream = try #require(recording.results.ended.first)
    #expect(stream[.second].bytes == [1, 2, 3, 4] && stream[.first].bytes == [9])
    #expect(stream[.second].arrivals.map(\.offset) == [0, 3] && stream[.second].chunkEnds == [3])
    #expect(stream[.second].end == 4 && stream[.first].chunkEnds == nil && stream.input == 1)
  }

  /// Contents, what a direction has, and whether its packets are kept.
  static let dropCases: [(StreamRecorder.Contents, DirectionContent?, Bool)] = [
    (.records, .requests, false), (.packets, .requests, true), (.packets, nil, false),
  ]

  @Test("does not keep bytes that no server sends", arguments: dropCases)
  func drops(_ contents: StreamRecorder.Contents, _ content: DirectionContent?, _ keepsPackets: Bool) throws {
    let recording = Recording(contents)
    recording.add([1], packet: 1, .first, content: nil, isDecided: false)
    recording.add([2], at: 1, packet: 2, .first, content: content)
    try recording.end(0)
    let side = try #require(recording.results.ended.first)[.first]
    #expect(side.bytes.isEmpty && side.end == 2)
    #expect(side.arrivals.map(\.packet.number) == (keepsPackets ? [1, 2] : []))
  }

  @Test("a gap ends the bytes of its direction", arguments: [StreamRecorder.Contents.records, .packets])
  func gap(_ contents: StreamRecorder.Contents) throws {
    let recording = Recording(contents)
    recording.add([1], packet: 1)
    recording.add([2], packet: 1, .first)
    recording.recorder.gap(
      StreamGap(offset: 1, length: 5, fileOffset: nil),
      in: DirectionState(stream: 0, side: .second, content: .feedback, isDecided: true))
    recording.add([3], at: 6, packet: 3)
    try recording.end(0)
    let stream = try #require(recording.results.ended.first)
    #expect(stream[.second].bytes.isEmpty && stream[.first].bytes == [2])
    #expect(stream[.second].arrivals.map(\.packet.number) == (contents == .packets ? [1, 3] : []))
  }

  @Test("a stream that exceeds the budget is not recorded, and others are")
  func budget() throws {
    let recording = Recording(.records, budget: 100)
    recording.add([UInt8](repeating: 1, count: 60), stream: 1)
    recording.add([UInt8](repeating: 2, count: 60), stream: 2)
    recording.add([UInt8](repeating: 3, count: 40), at: 60, stream: 1)
    for number in 1...2 { try recording.end(number) }
    #expect(recording.results.ended.map(\.isOverBudget) == [false, true])
    #expect(recording.results.ended.map { $0[.second].bytes.count } == [100, 0])
  }

  @Test("the result for a stream counts against the budget")
  func made() throws {
    let recording = Recording(.packets, budget: 100)
    for number in 1...3 {
      recording.results.made = 45
      recording.add([UInt8](repeating: 1, count: 50), stream: number)
      try recording.end(number)
    }
    #expect(recording.results.ended.map(\.isOverBudget) == [false, false, true])
  }

  @Test("only the requested stream is recorded")
  func wanted() throws {
    let recording = Recording(.packets, wanted: 2)
    for number in 1...3 {
      recording.add([UInt8(number)], stream: number)
      try recording.end(number)
    }
    #expect(recording.results.ended.map { $0[.second].bytes } == [[2]])
  }

  @Test("tuples in a row are one run, and findings say who sent what")
  func records() throws {
    let two = Tuples.one() + Tuples.one()
    let dump = two + Tuples.one(54) + Tuples.one() + [0xff, 0xff] + two
    let recording = Recording(.records)
    try Analyzer(sinks: [recording.recorder]).analyse { analyzer in
      for (offset, byte) in dump.enumerated() { try analyzer.bytes([byte], at: offset) }
    }
    let stream = try #require(recording.results.ended.first)
    #expect(stream[.first].bytes == dump && stream.feedbackSender == .server && stream.input == 2)
    #expect(stream.tuples.map(\.offset) == [0, 76, 136, 176] && stream.tuples.map(\.count) == [2, 1, 1, 2])
    #expect(stream.skippedOf == [.server] && stream.midstreamOf.isEmpty)
  }
}
