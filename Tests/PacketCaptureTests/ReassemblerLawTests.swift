import PacketCapture
import TestSupport
import Testing

/// Random connections against the plain reassembly of all that was captured.
@Suite("Laws of reassembly")
struct ReassemblerLawTests {
  private func options(window: Int) -> CaptureOptions { .with { $0.reorderWindow = window } }

  // MARK: - In any order

  @Test("any order within the window gives the same streams", arguments: 0..<10)
  func anyOrder(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(1000 + seed))
    for number in 0..<2000 {
      let plan = SegmentPlan(using: &generator)
      let recording = reassemble(plan.script, options: options(window: 200))
      let wrong = recording.differences(from: PlainConnection(plan), stream: 0, plan)
      #expect(wrong == [], "seed \(seed), script \(number): \(plan)")
      #expect(recording.reports.count == 1)
      if !wrong.isEmpty { return }
    }
  }

  @Test("a window that is just wide enough loses nothing", arguments: 0..<4)
  func exactWindow(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(2000 + seed))
    // An ended connection is closed after a window: later retransmissions do not matter here.
    let hazards = SegmentPlan.Hazards(endsInFIN: false, isReset: false)
    for number in 0..<1500 {
      let plan = SegmentPlan(hazards: hazards, using: &generator)
      let plain = PlainConnection(plan)
      let recording = reassemble(plan.script, options: options(window: plain.patience))
      let wrong = recording.differences(from: plain, stream: 0, plan)
      #expect(wrong == [], "seed \(seed), script \(number), window \(plain.patience): \(plan)")
      #expect(recording.findings.allSatisfy { $0.code != .lateSegment })
      if !wrong.isEmpty { return }
    }
  }

  @Test("a window that is too narrow invents nothing, and reports lost bytes", arguments: 0..<4)
  func narrowWindow(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(3000 + seed))
    let hazards = SegmentPlan.Hazards(endsInFIN: false, isReset: false, isCut: false, isCorrupted: false)
    for number in 0..<1500 {
      let plan = SegmentPlan(hazards: hazards, using: &generator)
      let plain = PlainConnection(plan)
      let window = generator.pick(0...max(0, plain.patience - 1))
      let recording = reassemble(plan.script, options: options(window: window))
      let clientSide: Side = plan.segments.first?.isFromServer == true ? .second : .first
      for (side, direction) in [(clientSide, plain.client), (clientSide.other, plain.server)] {
        let half = recording.half(0, side)
        let expected = direction.bytes.map { $0?.value }
        // A beginning that arrived too late is skipped; the ends agree.
        let common = expected.suffix(half.bytes.count)
        #expect(half.bytes.count <= expected.count, "seed \(seed), script \(number)")
        #expect(
          zip(half.bytes, common).allSatisfy { $0 == nil || $0 == $1 }, "seed \(seed), script \(number)")
        let lost = half.bytes.count { $0 != nil } < expected.count { $0 != nil }
        let isTold = recording.findings.contains { $0.code == .lateSegment && $0.side == side }
        #expect(isTold == lost, "seed \(seed), script \(number), window \(window): \(plan)")
      }
      #expect(recording.misuse == [])
    }
  }

  // MARK: - Several connections

  @Test("ports that are used again, and connections side by side, do not touch each other", arguments: 0..<4)
  func connections(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(4000 + seed))
    for number in 0..<1000 {
      let first = SegmentPlan(using: &generator)
      var second = SegmentPlan(using: &generator)
      // A SYN of the same connection is up to 2^24 before its bytes.
      second.clientStart = first.clientStart &+ (1 << 30) &+ second.clientStart % (1 << 30)
      second.serverStart = first.serverStart &+ (1 << 30) &+ second.serverStart % (1 << 30)
      second.segments.insert(SegmentPlan.Segment(flags: .syn), at: 0)
      let isReuse = generator.chance(2)
      if !isReuse { second.clientPort += 1 }
      let recording = reassemble(first.script + second.script, options: options(window: 200))
      let position = first.segments.reduce(0) { $0 + $1.payload.count }
      let plain = PlainConnection(second, packet: first.segments.count + 1, fileOffset: position)
      let wrong =
        recording.differences(from: PlainConnection(first), stream: 0, first)
        + recording.differences(from: plain, stream: 1, second)
      #expect(wrong == [], "seed \(seed), script \(number), reuse \(isReuse): \(first) \(second)")
      #expect(recording.reports.count == 2)
      if !wrong.isEmpty { return }
    }
  }

  @Test("a SYN begins another connection after one with acknowledgements alone")
  func reuseBehindAcknowledgements() throws {
    let recording = reassemble([
      .server(500, "one"), .client(77), .client(900_000_000, "", .syn), .server(7, "", [.syn, .ack]),
      .server(8, "two"), .client(900_000_001, "three"),
    ])
    #expect(recording.half(0, .first).text == "one")
    #expect(recording.half(1, .first).text == "three" && recording.half(1, .second).text == "two")
    #expect(recording.findingTexts == ["midstreamStart 0+0"])
    #expect(recording.reports.map { $0.firstPacket?.number } == [1, 3])
  }

  // MARK: - Headers alone

  @Test("a direction without SYN begins with the first byte that was sent, even if its packet was cut off")
  func cutBeginning() throws {
    let recording = reassemble([.client(108, "ij"), .client(100, "", missing: 5)])
    #expect(recording.half().text == "<8>ij")
    #expect(recording.findingTexts == ["midstreamStart 0+0", "truncatedPacket 0+5"])
  }

  // MARK: - Without memory

  @Test("if bytes cannot be read again the streams are the same, and copies are reported as not compared")
  func forgetful() throws {
    var generator = SeededGenerator(seed: 5000)
    var unknown = 0
    for number in 0..<2000 {
      let plan = SegmentPlan(using: &generator)
      let plain = PlainConnection(plan)
      let recording = reassemble(plan.script, options: options(window: 200), kept: nil)
      let wrong = recording.differences(from: plain, stream: 0, plan, comparesCopies: false)
      #expect(wrong == [], "script \(number): \(plan)")
      let found = recording.reports.reduce(0) { $0 + $1.first.conflictingBytes + $1.second.conflictingBytes }
      let isTold = recording.findings.contains { $0.code == .unverifiedRetransmission }
      let isComplete = found == plain.client.conflictingBytes + plain.server.conflictingBytes
      #expect(isComplete || isTold, "script \(number): \(plan)")
      unknown += isTold ? 1 : 0
      if !wrong.isEmpty { return }
    }
    #expect(unknown > 500)
  }
}
