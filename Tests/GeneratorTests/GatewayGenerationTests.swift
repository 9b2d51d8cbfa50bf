import Generator
import Testing

/// Identifiers and error responses of generated gateway connections, with a reader of packets that shares no code with
/// the generator.
@Suite("Generated gateway connections")
struct GatewayGenerationTests {
  private static let connections = 40

  private func generate(
    _ segments: ClosedRange<Int> = 1400...1400
  ) throws -> (file: [UInt8], truth: [Substring]) {
    var scenario = Scenario()
    scenario.seed = 12
    scenario.tuples = 800
    scenario.responses = 1000
    scenario.capture.connections = Self.connections
    scenario.capture.link = .raw
    scenario.capture.segmentSizes = segments
    let (file, truth) = (GeneratorTupleTests.Collected(), GeneratorTupleTests.Collected())
    _ = try Generator.generate(.gateway, scenario, source: "generated", to: file, truth: truth)
    return (file.bytes, String(decoding: truth.bytes, as: UTF8.self).split(separator: "\n"))
  }

  private func number(_ name: String, _ line: Substring) -> Int? {
    Int(line.split(separator: "\"\(name)\":", maxSplits: 1)[1].prefix { $0.isNumber })
  }

  /// The payloads of the server's segments by client port: of a little-endian pcap file with IPv4 packets.
  private func answers(_ file: [UInt8]) -> [Int: [[UInt8]]] {
    var answers: [Int: [[UInt8]]] = [:]
    var index = 24
    while index + 16 <= file.count {
      let length = (0..<4).reduce(0) { $0 | Int(file[index + 8 + $1]) << (8 * $1) }
      let packet = Array(file[(index + 16)...].prefix(length))
      func port(_ index: Int) -> Int { Int(packet[index]) << 8 | Int(packet[index + 1]) }
      let payload = packet.dropFirst(20 + Int(packet[32] >> 4) * 4)
      if port(20) == 2195, !payload.isEmpty { answers[port(22), default: []].append(Array(payload)) }
      index += 16 + length
    }
    return answers
  }

  static let cuts: [(segments: ClosedRange<Int>, parts: Set<[Int]>)] = [
    (1400...1400, [[6]]), (6...6, [[6]]), (5...5, [[5, 1]]), (4...4, [[4, 2]]),
    (1...1, [[1, 1, 1, 1, 1, 1]]), (2...3, [[2, 2, 2], [2, 3, 1], [3, 2, 1], [3, 3]]),
  ]

  @Test("an error response is cut like all bytes, and says what the truth says", arguments: cuts)
  func parts(_ segments: ClosedRange<Int>, _ parts: Set<[Int]>) throws {
    let (file, truth) = try generate(segments)
    let answers = answers(file).values
    #expect(answers.count == Self.connections)
    #expect(Set(answers.map { $0.map(\.count) }) == parts)
    let said = truth.filter { $0.hasPrefix("{\"type\":\"response\"") }.map { line -> [UInt8] in
      let identifier = number("identifier", line) ?? -1
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier >> $0) }
      return [8, UInt8(number("status", line) ?? -1)] + bytes
    }
    #expect(Set(answers.map { Array($0.joined()) }) == Set(said) && said.count == Self.connections)
  }

  @Test("a client counts from any number of 32 bits, at times beyond the last one")
  func identifiers() throws {
    let requests = try generate().truth.filter { $0.hasPrefix("{\"type\":\"request\"") }
    let connections = Dictionary(grouping: requests) { number("stream", $0) }.values.map { lines in
      lines.map { number("identifier", $0).map(UInt32.init) }
    }
    let firsts = connections.map { identifiers in
      Set(identifiers.enumerated().compactMap { index, identifier in identifier.map { $0 &- UInt32(index) } })
    }
    #expect(firsts.allSatisfy { $0.count == 1 } && Set(firsts).count > 30)
    #expect((10...30).contains(firsts.joined().count { $0 > UInt32.max / 2 }))
    let wrapping = connections.map { $0.compactMap(\.self) }.filter { identifiers in
      identifiers.contains { $0 < 20 } && identifiers.contains { $0 > UInt32.max - 20 }
    }
    #expect((2...20).contains(wrapping.count))
  }
}
