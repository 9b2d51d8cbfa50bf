import Basics
import PacketCapture
import StreamTestSupport
import Testing

/// docs/spec/captures.md#retransmissions-and-overlaps: batches wait for other copies until `--reorder-window` more
/// packets were read, or a quarter of `--total-buffer` of the file. Here each packet makes a batch.
@Suite("Batches that wait for copies") struct HeldBatchesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// After a SYN.
    var script: [ScriptedSegment]
    var window = 4096
    var total = 1 << 20
    /// What is in doubt, as `offset+length`.
    var doubts: [String]
    /// Whether each conflict came too late.
    var late: [Bool]
    /// Batches that still wait at the end.
    var waiting: Int
  }

  /// 10 bytes, the number-th from 0 on.
  private static func part(_ number: UInt32, _ text: String = "abcdefghij") -> ScriptedSegment {
    .client(100 + 10 * number, text)
  }
  /// Copies of 40 bytes, each with another byte that differs.
  private static func copies(_ count: Int) -> [ScriptedSegment] {
    let bytes = [UInt8](repeating: 0x61, count: 40)
    return [ScriptedSegment(sequence: 100, payload: bytes)]
      + (0..<count).map {
        ScriptedSegment(sequence: 100, payload: bytes[..<$0] + [0x58] + bytes[($0 + 1)...])
      }
  }

  static let cases = [
    Case(
      testDescription: "3 packets later, 4 later, and 3 later after batches were passed on",
      script: [
        part(0), part(1), part(2), part(0, "abcXefghij"), part(3), part(1, "Xbcdefghij"), part(4), part(5),
        part(6), part(4, "abcdefghiX"),
      ], window: 4, doubts: ["3+1", "49+1"], late: [false, true, false], waiting: 4),
    Case(
      testDescription: "90 bytes later, 100 later, and 10 later after batches were passed on",
      script: (0..<9).map { part($0) } + [
        part(0, "abcXefghij"), part(9), part(1, "Xbcdefghij"), part(10), part(10, "abcdefghiX"),
      ], total: 400, doubts: ["3+1", "109+1"], late: [false, true, false], waiting: 10),
    Case(
      testDescription: "32 of them", script: copies(32), doubts: (0..<32).map { "\($0)+1" },
      late: Array(repeating: false, count: 32), waiting: 34),
    Case(
      testDescription: "33 of them put all bytes in doubt", script: copies(33), doubts: ["0+40"],
      late: Array(repeating: false, count: 33), waiting: 35),
  ]

  @Test("what copies show of bytes", arguments: cases) func doubts(_ test: Case) throws {
    let options = CaptureOptions.with { ($0.reorderWindow, $0.totalBuffer) = (test.window, test.total) }
    let (held, history) = (HeldBatches(options), CaptureHistory(capacity: 1 << 20))
    var reassembler = Reassembler(options: options, held: held)
    reassembler.use(history)
    var (playback, batch, fileOffset) = (Playback(StreamRecording()), EventBatch(), 0)
    var doubts: [String] = []
    /// Returns the number of batches.
    func pass(isEnd: Bool) -> Int {
      var count = 0
      while let due = held.removeDue(isEnd: isEnd) {
        for case .uncertain(_, _, let offset, let count) in due.events { doubts.append("\(offset)+\(count)") }
        for case .bytes(let event) in due.events where event.count == 0 { doubts.append("no bytes") }
        playback.play(due, window: due.window.span.bytes)
        count += 1
      }
      return count
    }
    for (index, step) in ([.client(99, "", .syn)] + test.script).enumerated() {
      reassembler.swapEvents(with: &batch)
      step.payload.withUnsafeBytes { history.append($0) }
      reassembler.segment(
        step.segment, in: step.payload.span.bytes, fileOffset: fileOffset,
        packet: PacketReference(number: index + 1))
      fileOffset += step.payload.count
      reassembler.packetRead()
      reassembler.swapEvents(with: &batch)
      (held.offset, batch.window) = (fileOffset, step.payload)
      held.add(&batch)
      _ = pass(isEnd: false)
    }
    #expect(pass(isEnd: true) == test.waiting)
    #expect(doubts == test.doubts && playback.misuse + playback.recorder.misuse == [])
    #expect(playback.recorder.findings.map(\.isLate) == test.late)
  }
}
