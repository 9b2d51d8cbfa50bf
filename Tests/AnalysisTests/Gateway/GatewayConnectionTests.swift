import APNsWire
import Analysis
import Basics
import PacketCapture
import TestSupport
import Testing

/// The record in one packet.
private struct Word {
  enum Kind {
    case request(UInt32?)
    case response(status: UInt8, identifier: UInt32)
  }

  /// The number of its packet in the capture, from 1.
  var packet: Int
  var kind: Kind

  /// Three tokens, so that requests share them.
  var token: [UInt8] { [UInt8](repeating: UInt8(1 + packet % 3), count: 32) }

  var isRequest: Bool { if case .request = kind { true } else { false } }

  var bytes: [UInt8] {
    switch kind {
    case .request(let identifier): GatewayBytes.request(identifier, token: token)
    case .response(let status, let identifier): GatewayBytes.response(status, identifier)
    }
  }
}

@Suite("Correlation over the events of streams")
struct GatewayConnectionTests {
  /// Passes the words to an analyzer: each side in the order of its stream, both sides in the order of `turns`
  /// (true is the client), which may differ from that of the capture.
  private func analyse(
    _ words: [Word], turns: [Bool], maxPending: Int, slack: Int = 100, memory: Int = 1 << 30
  ) throws -> GatewayRecording {
    let recording = GatewayRecording()
    var options = AnalysisOptions()
    options.choice.named = .requests
    options.gateway.maxPending = maxPending
    options.gateway.slack = slack
    options.gateway.memory = memory
    let analyzer = Analyzer(options, sinks: [recording])
    let identity = StreamIdentity(number: 0, server: .second, serverEvidence: .handshake)
    var rest = [true: words.filter(\.isRequest)[...], false: words.filter { !$0.isRequest }[...]]
    var offsets = [true: 0, false: 0]
    try analyzer.analyse(identity) { analyzer in
      for isClient in turns {
        guard let word = rest[isClient]?.popFirst(), let offset = offsets[isClient] else { continue }
        try analyzer.bytes(
          word.bytes, of: StreamDirection(stream: 0, side: isClient ? .first : .second), at: offset,
          fileOffset: word.packet * 1000, packet: word.packet)
        offsets[isClient] = offset + word.bytes.count
      }
    }
    for outcome in RequestOutcome.allCases {
      let count = recording.requests.count { $0.outcome == outcome }
      #expect(analyzer.log.summary.gateway[outcome] == count)
    }
    return recording
  }

  private func randomWords(_ generator: inout SeededGenerator) -> [Word] {
    // Few identifiers, so that they occur again, byte-swapped, and as palindromes.
    let identifiers: [UInt32] = [0, 1, 0x0100_0000, 2, 0x0200_0000, 0x1234_3412, 7, 0xffff_ffff]
    let responses = generator.pick(0...3)
    return (1...generator.pick(1...14)).map { packet in
      if generator.chance(5), responses > 0 {
        let status = generator.pick([8, 8, 8, 1, 10, 0, 255, 99] as [UInt8])
        return Word(packet: packet, kind: .response(status: status, identifier: generator.pick(identifiers)))
      }
      return Word(packet: packet, kind: .request(generator.chance(6) ? nil : generator.pick(identifiers)))
    }
  }

  @Test("the order in which the directions arrive, and the memory, change nothing")
  func anyOrder() throws {
    var generator = SeededGenerator(seed: 1301)
    for round in 0..<3000 {
      let words = randomWords(&generator)
      let maxPending = generator.chance(3) ? generator.pick(0...5) : 1_000_000
      let expected = try analyse(words, turns: words.map(\.isRequest), maxPending: maxPending)
      let recording = try analyse(
        words, turns: words.map(\.isRequest).shuffled(using: &generator), maxPending: maxPending,
        memory: generator.pick([1, 200, 1 << 20]))
      let requests = words.filter(\.isRequest)
      let offsets = requests.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.bytes.count) }
      #expect(recording.requests == expected.requests, "round \(round): \(words), \(maxPending)")
      #expect(recording.requests.map(\.offset) == Array(offsets.dropLast()))
      #expect(recording.requests.map(\.bytes) == requests.map(\.bytes))
      #expect(recording.requests.map(\.packet) == requests.map(\.packet))
      #expect(recording.responses.map(\.flags) == expected.responses.map(\.flags), "round \(round): \(words)")
      #expect(recording.responses.map(\.request?.offset) == expected.responses.map(\.request?.offset))
      for request in recording.responses.compactMap(\.request) {
        #expect(request.token == offsets.firstIndex(of: request.offset).map { requests[$0].token })
      }
      #expect(recording.findings.map(\.code) == expected.findings.map(\.code))
      // In the order of the capture, no request need be kept above the limit.
      let bounded = try analyse(
        words, turns: words.map(\.isRequest), maxPending: maxPending, slack: generator.pick(0...2))
      #expect(bounded.requests == expected.requests, "round \(round): \(words), \(maxPending)")
      #expect(bounded.responses.first?.flags == expected.responses.first?.flags)
      #expect(bounded.findings.map(\.code) == expected.findings.map(\.code))
    }
  }

  @Test("if too many responses and findings wait, all are correlated; a finding waits for responses only")
  func responsesThatWait() throws {
    #expect((GatewayLimits().slack, GatewayLimits().maxWaiting) == (131_072, 262_144))
    let recording = GatewayRecording()
    var options = AnalysisOptions()
    options.choice.named = .requests
    options.gateway.maxWaiting = 3
    let analyzer = Analyzer(options, sinks: [recording])
    try analyzer.analyse(.pair) { analyzer in
      var offset = 0
      for (isFinding, count) in [
        (false, 0), (false, 0), (true, 0), (false, 4), (true, 5), (false, 5), (false, 5), (false, 5),
        (false, 9),
      ] {
        if isFinding {
          try analyzer.finding(
            StreamFinding(.lateSegment, stream: 0, side: .second, offset: offset - 1, message: ""))
        } else {
          let response = GatewayBytes.response(8, 1)
          try analyzer.bytes(response, of: StreamDirection(stream: 0, side: .second), at: offset)
          offset += response.count
        }
        #expect(recording.offsets[.server]?.count == count)
      }
    }
  }

  @Test(
    "the counts are the same without sinks for requests, and evidence is in the order of its offsets",
    arguments: [1_000_000, 2], [[], .gatewayRecords] as [EvidenceNeeds])
  func order(_ maxPending: Int, _ needs: EvidenceNeeds) throws {
    let requests = (0..<10).flatMap { GatewayBytes.request(UInt32($0) + 5) + ($0 == 7 ? [9] : []) }
    let recording = GatewayRecording(needs: needs)
    var options = AnalysisOptions()
    options.gateway.maxPending = maxPending
    let analyzer = Analyzer(options, sinks: [recording])
    try analyzer.analyse(.pair) { analyzer in
      try analyzer.bytes(requests, of: StreamDirection(stream: 0, side: .first))
      // The first byte of another one is left over.
      let responses = GatewayBytes.response(8, 14) + [8]
      try analyzer.bytes(responses, of: StreamDirection(stream: 0, side: .second))
    }
    let counts = analyzer.log.summary.gateway
    #expect(counts.requests == 10 && counts.responses == 1 && counts.rejected == 1)
    #expect(counts.unknown == (maxPending == 2 ? 8 : 0) && counts.accepted == (maxPending == 2 ? 1 : 9))
    let offsets = recording.offsets[.client] ?? []
    #expect(offsets == offsets.sorted())
    #expect(offsets.count == (maxPending == 2 ? 3 : 2) + (needs.isEmpty ? 0 : 10))
    #expect(recording.offsets[.server] == (needs.isEmpty ? [6] : [0, 6]))
  }
}
