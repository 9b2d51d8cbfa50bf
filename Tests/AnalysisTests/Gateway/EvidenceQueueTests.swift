import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("Queues of waiting evidence")
struct EvidenceQueueTests {
  /// A frame of a decoder with another offset: only a decoder makes frames.
  private static let sample: (frame: RequestFrame, bytes: [UInt8])? = {
    let bytes = GatewayBytes.request(1)
    var decoder = RequestDecoder(rules: .standard)
    _ = decoder.next(in: bytes.span.bytes)
    decoder.finish()
    guard case .record(let frame) = decoder.next(in: RawSpan()) else { return nil }
    return (frame, bytes)
  }()

  private struct Entry: Equatable {
    var position: Int
    var offset: Int
    var body: [UInt8]
  }

  /// A queue and its expected entries.
  private struct Modelled {
    var queue: EvidenceQueue
    var entries: [Entry] = []
    var nextOffset = 0
  }

  @Test("entries, in memory or in a file, are removed once and in order, and can be looked up until then")
  func model() throws {
    let files = TemporaryFiles()
    var generator = SeededGenerator(seed: 1302)
    var sample = try #require(Self.sample).frame
    for _ in 0..<40 {
      var limits = GatewayLimits()
      limits.memory = generator.pick([0, 300, 70_000, 300_000, 1 << 30])
      limits.temporaryDirectory = files.path
      let memory = GatewayBudget(limits)
      var queues = (0..<generator.pick(1...3)).map { _ in Modelled(queue: EvidenceQueue(memory: memory)) }
      for _ in 0..<generator.pick(1...400) {
        let chosen = generator.pick(Array(queues.indices))
        if generator.chance(12) {
          try takeOff(&queues[chosen])
          continue
        }
        sample.offset = queues[chosen].nextOffset
        let payload = generator.bytes(generator.pick([0, 1, 60, generator.pick(0...6000)]))
        let body = [0, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
        sample.fields = RequestFields(body.indices, in: body.span.bytes)
        let origin = SourceExtent(
          streamOffset: 0, fileOffset: 9, stride: 1, packet: PacketReference(number: chosen + 1))
        let position = try queues[chosen].queue.append(
          QueuedEvidence(request: sample, origin: origin), body: body.span.bytes)
        queues[chosen].entries.append(Entry(position: position, offset: sample.offset, body: body))
        queues[chosen].nextOffset += body.count
        try lookUp(queues[chosen], packet: chosen + 1, &generator)
      }
      for index in queues.indices {
        while !queues[index].queue.isEmpty { try takeOff(&queues[index]) }
        #expect(queues[index].entries.isEmpty && queues[index].queue.firstBlockEnd == nil)
      }
    }
  }

  private func lookUp(_ modelled: Modelled, packet: Int, _ generator: inout SeededGenerator) throws {
    let entry = generator.pick(modelled.entries)
    let found = try #require(try modelled.queue.evidence(at: entry.position))
    #expect(found.body == entry.body && found.evidence.offset == entry.offset)
    #expect(found.evidence.origin?.number == packet)
    if let first = modelled.entries.first, first.position > 0 {
      let gone = try modelled.queue.evidence(at: 0)
      #expect(gone?.body == nil)
    }
  }

  /// The first block must consist of the first entries.
  private func takeOff(_ modelled: inout Modelled) throws {
    let end = modelled.queue.firstBlockEnd
    guard let block = try modelled.queue.removeFirst() else {
      #expect(modelled.entries.isEmpty && end == nil)
      return
    }
    var position = 0
    while position < block.count {
      let evidence = EvidenceQueue.head(at: position, in: block.span.bytes)
      let body = Array(block[(position + QueuedEvidence.headLength)..<(position + evidence.length)])
      let entry = modelled.entries.removeFirst()
      #expect(entry.offset == evidence.offset && entry.body == body)
      position += evidence.length
      if position == block.count { #expect(entry.position + evidence.length == end) }
    }
  }
}

@Suite("Requests that a response may name")
struct PendingRequestsTests {
  @Test("the requests with an identifier agree with a plain search")
  func model() throws {
    var generator = SeededGenerator(seed: 1303)
    for _ in 0..<300 {
      var pending = PendingRequests()
      var plain: [(number: Int, order: Int, identifier: UInt32?)] = []
      var left: [UInt32] = []
      var appended = 0
      for _ in 0..<generator.pick(0...60) {
        if !plain.isEmpty, generator.chance(3) {
          pending.dropFirst()
          if let identifier = plain.removeFirst().identifier { left.append(identifier) }
        } else {
          let identifier = generator.chance(5) ? nil : UInt32(generator.pick(0...4))
          let order = generator.pick(0...30)
          pending.append(
            PendingRequest(offset: appended, captureOrder: order, queuePosition: 0, identifier: identifier))
          plain.append((appended, order, identifier))
          appended += 1
        }
      }
      #expect(
        pending.count == plain.count && pending.end == appended && pending.first == appended - plain.count)
      for identifier in 0...5 as ClosedRange<UInt32> {
        let isWithin = identifier >= left.min() ?? .max && identifier <= left.max() ?? 0
        #expect(pending.mayHaveLeft(identifier) == isWithin)
      }
      for entry in plain { #expect(pending[entry.number].offset == entry.number) }
      let carriers = pending.carriers(of: [0, 1, 3, 9])
      for identifier in [0, 1, 3, 9] as [UInt32] {
        for order in [0, 5, 17, 31] {
          let before = plain.filter { $0.identifier == identifier && $0.order < order }.map(\.number)
          let found = carriers[identifier]?.candidates(before: order)
          #expect(found?.numbers.lowerBound == before.min() && found?.numbers.upperBound == before.max())
          #expect(found?.isSingle == (before.isEmpty ? nil : before.count == 1))
        }
      }
      #expect(carriers.keys.sorted() == [0, 1, 3, 9])
    }
  }

  /// Which of two requests with one identifier, these tokens and other payloads status 8 names.
  private func named(_ tokens: [UInt8]...) -> Int? {
    var pending = PendingRequests()
    for (number, token) in tokens.enumerated() {
      let payload = String(repeating: "1", count: number + 1)
      let bytes = GatewayBytes.request(7, token: token, payload: payload)
      var request = PendingRequest(offset: 0, captureOrder: 0, queuePosition: 0, identifier: 7)
      request.note(RequestFields(bytes.indices, in: bytes.span.bytes), in: bytes.span.bytes)
      pending.append(request)
    }
    return pending.carriers(of: [7])[7]?.candidates(before: 1)?.named(by: 8)
  }

  @Test("tokens are the same if all of their bytes are", arguments: 0...40)
  func tokens(_ length: Int) {
    let token = (0..<length).map { UInt8($0) }
    #expect(named(token, token) == 0 && named(token, token + [0]) == nil)
    for index in token.indices {
      var other = token
      other[index] ^= 1
      #expect(named(token, other) == nil)
    }
  }

  @Test("the oldest requests leave in linear time")
  func linearTime() {
    var pending = PendingRequests()
    for offset in 0..<100_000 {
      pending.append(PendingRequest(offset: offset, captureOrder: 0, queuePosition: 0, identifier: nil))
    }
    for _ in 0..<100_000 { pending.dropFirst() }
    #expect(pending.first == 100_000 && pending.count == 0)
  }
}
