import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("Recorded streams")
struct StreamRecorderTests {
  /// A recorder, and the streams that have ended.
  private final class Recording {
    private(set) var ended: [RecordedStream] = []
    /// Memory of the result for each stream.
    var made = 0

    func start(budget: Int = 1 << 20, _ contents: StreamRecorder.Contents, wanted: Int? = nil)
      -> StreamRecorder
    {
      let recorder = StreamRecorder(budget: budget, contents: contents, wanted: wanted) { stream, _, _ in
        self.ended.append(stream)
        return self.made
      }
      recorder.inputBegan("input")
      return recorder
    }
  }

  private func add(
    _ bytes: [UInt8], at offset: Int = 0, packet: Int? = nil, stream: Int = 0, _ side: Side = .second,
    content: DirectionContent? = .feedback, isDecided: Bool = true, to recorder: StreamRecorder
  ) {
    let origin = SourceExtent(
      streamOffset: offset, fileOffset: 100 + offset, stride: 1,
      packet: packet.map { PacketReference(number: $0) })
    recorder.bytes(
      bytes.span.bytes,
      of: DirectionState(stream: stream, side: side, content: content, isDecided: isDecided),
      origins: [origin].span)
  }

  private func end(_ number: Int, _ recorder: StreamRecorder) throws {
    try recorder.stream(
      StreamSummary(source: "input", number: number, streamProtocol: .feedback), report: StreamReport(.dump))
  }

  @Test("bytes, and where packets begin in them")
  func bytes() throws {
    let recording = Recording()
    let recorder = recording.start(.records)
    add([1, 2], packet: 4, to: recorder)
    add([3], at: 2, packet: 4, to: recorder)
    add([4], at: 3, packet: 7, to: recorder)
    add([9], .first, content: nil, isDecided: false, to: recorder)
    try end(0, recorder)
    let stream = try #require(recording.ended.first)
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
    let recording = Recording()
    let recorder = recording.start(contents)
    add([1], packet: 1, .first, content: nil, isDecided: false, to: recorder)
    add([2], at: 1, packet: 2, .first, content: content, to: recorder)
    try end(0, recorder)
    let side = try #require(recording.ended.first)[.first]
    #expect(side.bytes.isEmpty && side.end == 2)
    #expect(side.arrivals.map(\.packet.number) == (keepsPackets ? [1, 2] : []))
  }

  @Test("a gap ends the bytes of its direction", arguments: [StreamRecorder.Contents.records, .packets])
  func gap(_ contents: StreamRecorder.Contents) throws {
    let recording = Recording()
    let recorder = recording.start(contents)
    add([1], packet: 1, to: recorder)
    add([2], packet: 1, .first, to: recorder)
    recorder.gap(
      StreamGap(offset: 1, length: 5, fileOffset: nil),
      in: DirectionState(stream: 0, side: .second, content: .feedback, isDecided: true))
    add([3], at: 6, packet: 3, to: recorder)
    try end(0, recorder)
    let stream = try #require(recording.ended.first)
    #expect(stream[.second].bytes.isEmpty && stream[.first].bytes == [2])
    #expect(stream[.second].arrivals.map(\.packet.number) == (contents == .packets ? [1, 3] : []))
  }

  @Test("a stream that exceeds the budget is not recorded, and others are")
  func budget() throws {
    let recording = Recording()
    let recorder = recording.start(budget: 100, .records)
    add([UInt8](repeating: 1, count: 60), stream: 1, to: recorder)
    add([UInt8](repeating: 2, count: 60), stream: 2, to: recorder)
    add([UInt8](repeating: 3, count: 40), at: 60, stream: 1, to: recorder)
    for number in 1...2 { try end(number, recorder) }
    #expect(recording.ended.map(\.isOverBudget) == [false, true])
    #expect(recording.ended.map { $0[.second].bytes.count } == [100, 0])
  }

  @Test("the result for a stream counts against the budget")
  func made() throws {
    let recording = Recording()
    let recorder = recording.start(budget: 100, .packets)
    for number in 1...3 {
      recording.made = 45
      add([UInt8](repeating: 1, count: 50), stream: number, to: recorder)
      try end(number, recorder)
    }
    #expect(recording.ended.map(\.isOverBudget) == [false, false, true])
  }

  @Test("only the requested stream is recorded")
  func wanted() throws {
    let recording = Recording()
    let recorder = recording.start(.packets, wanted: 2)
    for number in 1...3 {
      add([UInt8(number)], stream: number, to: recorder)
      try end(number, recorder)
    }
    #expect(recording.ended.map { $0[.second].bytes } == [[2]])
  }

  @Test("tuples in a row are one run, and findings say who sent what")
  func records() throws {
    let two = Tuples.one() + Tuples.one()
    let dump = two + Tuples.one(54) + Tuples.one() + [0xff, 0xff] + two
    let recording = Recording()
    let recorder = recording.start(.records)
    let analyzer = Analyzer(sinks: [recorder])
    try analyzer.log.begin(source: "dump")
    try analyzer.opened(.dump)
    for (offset, byte) in dump.enumerated() {
      let origin = SourceExtent(streamOffset: offset, fileOffset: offset, stride: 1)
      try analyzer.bytes([byte].span.bytes, of: .dump, origins: [origin])
    }
    try analyzer.closed(StreamReport(.dump))
    let stream = try #require(recording.ended.first)
    #expect(stream[.first].bytes == dump && stream.feedbackSender == .server && stream.input == 2)
    #expect(stream.tuples.map(\.offset) == [0, 76, 136, 176] && stream.tuples.map(\.count) == [2, 1, 1, 2])
    #expect(stream.skippedOf == [.server] && stream.midstreamOf.isEmpty)
  }
}
