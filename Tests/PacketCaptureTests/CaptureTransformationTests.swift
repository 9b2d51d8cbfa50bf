import CaptureWriting
import TestSupport
import Testing

/// A transformation that keeps the content must keep the result of a plain reassembly.
@Suite("Changes to conversations that keep the content")
struct CaptureTransformationTests {
  typealias Change = @Sendable ([Segment]) -> [Segment]

  static let changes: [(name: String, change: Change)] = [
    ("nothing", { $0 }),
    (
      "shuffled",
      {
        var generator = SeededGenerator(seed: 2)
        return $0.shuffled(within: 40, using: &generator)
      }
    ),
    (
      "duplicated",
      {
        var generator = SeededGenerator(seed: 3)
        return $0.duplicated(oneIn: 3, within: 20, using: &generator)
      }
    ),
    ("reversed", { $0.reversed() }),
    ("sent again at once", { $0.retransmitting(everyNth: 3, after: 0) }),
    ("sent again later", { $0.retransmitting(everyNth: 2, after: 9) }),
    ("sent again at the end", { $0.retransmitting(everyNth: 1, after: 1000) }),
    ("cut at each byte", { $0.recut(every: 1) }),
    ("cut at 13 bytes, 5 of them again", { $0.recut(every: 13, overlap: 5) }),
    ("payload in SYN", { $0.withPayloadInSYN }),
    ("keep-alives", { $0.withKeepAlives() }),
    ("zero-window probes", { $0.withZeroWindowProbes }),
    ("without handshake", { $0.withoutHandshake }),
  ]

  @Test(
    "both directions stay the same", arguments: 0..<changes.count, [UInt32(77), 0xffff_fffe, 0xffff_ff00])
  func same(_ number: Int, _ start: UInt32) throws {
    var generator = SeededGenerator(seed: 4)
    var conversation = Conversation([
      .init(.client, generator.bytes(300)), .init(.server, generator.bytes(2000)),
      .init(.client, generator.bytes(41)),
    ])
    conversation.segmentSizes = [100, 37, 1]
    conversation.clientStart = start
    conversation.serverStart = start &+ 5
    let (name, change) = Self.changes[number]
    let segments = change(conversation.segments())
    let client = reassembled(segments.only(from: conversation.client), from: conversation.clientStart &+ 1)
    let server = reassembled(segments.only(from: conversation.server), from: conversation.serverStart &+ 1)
    #expect(client == conversation.bytes(of: .client), "\(name)")
    #expect(server == conversation.bytes(of: .server), "\(name)")
  }

  @Test("a shuffle moves nothing as far as its window", arguments: [1, 2, 7, 100])
  func window(_ window: Int) {
    var generator = SeededGenerator(seed: 5)
    let shuffled = Array(0..<1000).shuffled(within: window, using: &generator)
    #expect(shuffled.sorted() == Array(0..<1000))
    #expect(shuffled.enumerated().allSatisfy { abs($0.offset - $0.element) < window })
    #expect((shuffled == shuffled.sorted()) == (window == 1))
  }

  @Test("a conflicting copy differs at the requested bytes")
  func contradiction() throws {
    let conversation = Conversation(serverSends: [1, 2, 3, 4, 5, 6])
    let segments = conversation.segments()
    let position = try #require(segments.dataIndices.first)
    let changed = segments.contradicting(position, at: 2, with: [9, 9])
    #expect(changed[position] == segments[position])
    #expect(changed[position + 1].payload == [1, 2, 9, 9, 5, 6])
    #expect(changed.count == segments.count + 1)
  }

  /// The bytes by position, the first copy of each, up to the first missing one.
  private func reassembled(_ segments: [Segment], from start: UInt32) -> [UInt8] {
    var bytes: [UInt32: UInt8] = [:]
    for segment in segments {
      for (index, byte) in segment.payload.enumerated() {
        let position = segment.payloadSequence &- start &+ UInt32(index)
        if bytes[position] == nil { bytes[position] = byte }
      }
    }
    return (0..<UInt32(bytes.count)).compactMap { bytes[$0] }
  }
}
