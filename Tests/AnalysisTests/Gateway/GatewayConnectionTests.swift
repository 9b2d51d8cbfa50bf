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
  var tokenFill: UInt8 { UInt8(1 + packet % 3) }

  var isRequest: Bool { if case .request = kind { true } else { false } }

  var bytes: [UInt8] {
    switch kind {
    case .request(let identifier):
      GatewayBytes.request(identifier, tokenFill: tokenFill)
    case .response(let status, let identifier): GatewayBytes.response(status, identifier)
    }
  }
}

/// A slow second implementation of correlation, which compares every response with every request (docs/spec/decoding-rules.md#correlation,
/// "Correlation"). Packets of the client are in the order of its stream.
private struct PlainCorrelation {
  var outcomes = ""
  /// For each response the number of its request, and its flags.
  var responses: [(request: Int?, flags: RecordFlags)] = []
  var isOverLimit = false

  init(_ words: [Word], maxPending: Int) {
    let requests = words.filter(\.isRequest).compactMap {
      word -> (packet: Int, identifier: UInt32?, fill: UInt8)? in
      if case .request(let identifier) = word.kind { (word.packet, identifier, word.tokenFill) } else { nil }
    }
    let answers = words.compactMap { word -> (packet: Int, status: UInt8, identifier: UInt32)? in
      if case .response(let status, let identifier) = word.kind {
        (word.packet, status, identifier)
      } else {
        nil
      }
    }
    let first = answers.map(\.packet).min() ?? .max
    let left = max(0, requests.count { $0.packet < first } - maxPending)
    isOverLimit = left > 0
    var letters = requests.map { _ in Character("u") }
    for answer in answers {
      func all(_ identifier: UInt32) -> [Int] {
        requests.indices.filter {
          requests[$0].packet < answer.packet && requests[$0].identifier == identifier
        }
      }
      let lost = requests[..<left].compactMap(\.identifier)
      func mayBeLost(_ identifier: UInt32) -> Bool {
        lost.contains { $0 <= identifier } && lost.contains { $0 >= identifier }
      }
      var flags: RecordFlags = []
      var candidates: [Int] = []
      if mayBeLost(answer.identifier) {
      } else if !all(answer.identifier).isEmpty {
        candidates = all(answer.identifier)
        if answer.identifier == 0, candidates.count > 1 { candidates = [] }
      } else if !mayBeLost(answer.identifier.byteSwapped), !all(answer.identifier.byteSwapped).isEmpty {
        candidates = all(answer.identifier.byteSwapped)
        flags.insert(.identifierSwapped)
      }
      let areAlike = Set(candidates.map { requests[$0].fill }).count == 1 && (2...8).contains(answer.status)
      let found = candidates.count == 1 || areAlike ? candidates.first : nil
      if found == nil { flags.insert(.uncorrelated) }
      if ![0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255].contains(answer.status) { flags.insert(.unknownStatus) }
      if answer.packet != first {
        flags.insert(.afterClose)
      } else if let earliest = candidates.first, let latest = candidates.last, answer.status != 0 {
        for number in left..<requests.count {
          let isAfter = number > (answer.status == 10 ? latest : found ?? latest)
          let isBefore = number < earliest || number == earliest && answer.status == 10
          letters[number] =
            isBefore ? "a" : isAfter ? "d" : number == found && answer.status != 10 ? "r" : "u"
        }
      }
      responses.append((found, flags))
    }
    outcomes = String(letters)
  }
}

@Suite("Correlation over the events of streams")
struct GatewayConnectionTests {
  /// Passes the words to an analyzer: each side in the order of its stream, both sides in the order of `turns`
  /// (true is the client), which may differ from that of the capture.
  private func analyse(_ words: [Word], turns: [Bool], maxPending: Int, memory: Int = 1 << 30) throws
    -> GatewayRecording
  {
    let recording = GatewayRecording()
    var options = AnalysisOptions()
    options.choice.named = .requests
    options.gateway.maxPending = maxPending
    options.gateway.memory = memory
    let analyzer = Analyzer(options, sinks: [recording])
    try analyzer.log.begin(source: "events")
    let identity = StreamIdentity(number: 0, server: .second, serverEvidence: .handshake)
    try analyzer.opened(identity)
    var rest = [true: words.filter(\.isRequest)[...], false: words.filter { !$0.isRequest }[...]]
    var offsets = [true: 0, false: 0]
    for isClient in turns {
      guard let word = rest[isClient]?.popFirst(), let offset = offsets[isClient] else { continue }
      let bytes = word.bytes
      let origins = [
        SourceExtent(
          streamOffset: offset, fileOffset: word.packet * 1000, stride: 1,
          packet: PacketReference(number: word.packet))
      ]
      try analyzer.bytes(
        bytes.span.bytes, of: StreamDirection(stream: 0, side: isClient ? .first : .second),
        origins: origins)
      offsets[isClient] = offset + bytes.count
    }
    try analyzer.closed(StreamReport(identity))
    #expect(analyzer.log.summary.gateway.requests == words.count(where: \.isRequest))
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

  @Test("agrees with a plain model, for any order of the directions")
  func model() throws {
    var generator = SeededGenerator(seed: 1301)
    for round in 0..<3000 {
      let words = randomWords(&generator)
      let maxPending = generator.chance(3) ? generator.pick(0...5) : 1_000_000
      let expected = PlainCorrelation(words, maxPending: maxPending)
      let turns =
        generator.chance(2) ? words.map(\.isRequest) : words.map(\.isRequest).shuffled(using: &generator)
      let recording = try analyse(
        words, turns: turns, maxPending: maxPending, memory: generator.pick([1, 200, 1 << 20]))
      let requests = words.filter(\.isRequest)
      let offsets = requests.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.bytes.count) }
      #expect(recording.outcomes == expected.outcomes, "round \(round): \(words), \(maxPending)")
      #expect(recording.requests.map(\.offset) == Array(offsets.dropLast()))
      #expect(recording.requests.map(\.bytes) == requests.map(\.bytes))
      #expect(recording.requests.map(\.packet) == requests.map(\.packet))
      #expect(recording.responses.map(\.flags) == expected.responses.map(\.flags), "round \(round): \(words)")
      #expect(
        recording.responses.map { $0.request?.offset }
          == expected.responses.map { $0.request.map { offsets[$0] } })
      for (response, expectation) in zip(recording.responses, expected.responses) {
        let token = expectation.request.map { [UInt8](repeating: requests[$0].tokenFill, count: 32) }
        #expect(response.request?.token == token)
      }
      #expect(recording.findings.map(\.code) == (expected.isOverLimit ? [.pendingLimit] : []))
    }
  }

  @Test(
    "without sinks for requests, the counts are the same, and findings keep their order",
    arguments: [1_000_000, 2])
  func notKept(_ maxPending: Int) throws {
    let requests = (0..<10).flatMap { GatewayBytes.request(UInt32($0) + 5) + ($0 == 7 ? [9] : []) }
    let evidence = EvidenceRecording()
    var options = AnalysisOptions()
    options.gateway.maxPending = maxPending
    let analyzer = Analyzer(options, sinks: [evidence])
    try analyzer.log.begin(source: "pair")
    try analyzer.opened(.pair)
    for (side, bytes) in [(Side.first, requests), (.second, GatewayBytes.response(8, 14))] {
      let origins = [SourceExtent(streamOffset: 0, fileOffset: 0, stride: 1)]
      try analyzer.bytes(bytes.span.bytes, of: StreamDirection(stream: 0, side: side), origins: origins)
    }
    try analyzer.closed(StreamReport(.pair))
    let counts = analyzer.log.summary.gateway
    #expect(counts.requests == 10 && counts.responses == 1 && counts.rejected == 1)
    #expect(counts.unknown == (maxPending == 2 ? 8 : 0) && counts.accepted == (maxPending == 2 ? 1 : 9))
    let offsets = evidence.findings.filter { $0.direction == .client }.compactMap(\.offset)
    #expect(offsets == offsets.sorted() && offsets.count == (maxPending == 2 ? 3 : 2))
  }
}
