import CaptureWriting
import Generator
import Testing

/// The effects of damage options on the bytes of generated captures, with an independent parser of packets.
@Suite("Damage of generated captures")
struct CaptureDamageGenerationTests {
  private func generate(
    _ kind: Generator.Kind = .capture, _ change: (inout Scenario) -> Void
  ) throws -> (file: [UInt8], truth: String) {
    var scenario = Scenario()
    scenario.seed = 21
    scenario.tuples = 400
    scenario.capture.link = .raw
    change(&scenario)
    let (file, truth) = (GeneratorTupleTests.Collected(), GeneratorTupleTests.Collected())
    _ = try Generator.generate(kind, scenario, source: "generated", to: file, truth: truth)
    return (file.bytes, String(decoding: truth.bytes, as: UTF8.self))
  }

  private struct Packet {
    var bytes: ArraySlice<UInt8>
    var sentLength: Int

    func number(_ index: Int) -> Int {
      Int(bytes[bytes.startIndex + index]) << 8 | Int(bytes[bytes.startIndex + index + 1])
    }
    var flags: UInt8 { bytes[bytes.startIndex + 33] }
    /// The bytes after an IPv4 header of 20 bytes and the TCP header, whose length in words is in its 13th byte.
    var payload: ArraySlice<UInt8> { bytes.dropFirst(20 + Int(bytes[bytes.startIndex + 32] >> 4) * 4) }
  }

  /// The packets of a little-endian pcap file with IPv4 packets.
  private func packets(_ file: [UInt8]) -> [Packet] {
    var packets: [Packet] = []
    var index = 24
    func word(_ index: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[index + $1]) << (8 * $1) } }
    while index + 16 <= file.count {
      let length = word(index + 8)
      packets.append(Packet(bytes: file[(index + 16)...].prefix(length), sentLength: word(index + 12)))
      index += 16 + length
    }
    #expect(index == file.count)
    return packets
  }

  private func lines(_ truth: String, _ prefix: String) -> [Substring] {
    truth.split(separator: "\n").filter { $0.hasPrefix(prefix) }
  }

  @Test("no packet has more bytes than the snap length, and each says how many it had")
  func snapLength() throws {
    let (file, truth) = try generate(.capture) { $0.capture.snapLength = 120 }
    let cut = packets(file).filter { $0.bytes.count != $0.sentLength }
    #expect(cut.allSatisfy { $0.bytes.count == 120 && $0.sentLength > 120 } && cut.count > 5)
    #expect(packets(file).allSatisfy { $0.sentLength == $0.number(2) })
    #expect(lines(truth, "{\"type\":\"finding\"").count { $0.contains("truncated-packet") } == cut.count)
  }

  @Test("connections end with one RST or with two FINs", arguments: [0, 1000])
  func resets(_ rate: Int) throws {
    let packets = packets(
      try generate(.capture) {
        $0.capture.resets = rate
        $0.capture.connections = 10
      }.file)
    #expect(packets.count { $0.flags & 4 != 0 } == rate / 100)
    #expect(packets.count { $0.flags & 1 != 0 } == (rate == 0 ? 20 : 0))
  }

  @Test("fragments have the bytes of the segments that they are made of", arguments: [1, 2, 3])
  func fragments(_ seed: UInt64) throws {
    func change(_ scenario: inout Scenario) {
      scenario.seed = seed
      scenario.capture.segmentSizes = 60...700
    }
    let whole = packets(try generate(.capture, change).file).map { Array($0.bytes.dropFirst(20)) }
    let parts = packets(
      try generate(.capture) {
        change(&$0)
        $0.capture.fragments = 600
      }.file)
    var datagrams: [[UInt8]] = []
    var fragments: [(offset: Int, bytes: [UInt8])] = []
    var identification = 0
    func join() {
      let sorted = fragments.sorted { $0.offset < $1.offset }
      if !sorted.isEmpty { datagrams.append(sorted.flatMap(\.bytes)) }
      fragments = []
    }
    for packet in parts {
      if packet.number(4) != identification { join() }
      identification = packet.number(4)
      fragments.append((packet.number(6) & 0x1fff, Array(packet.bytes.dropFirst(20))))
    }
    join()
    #expect(datagrams == whole)
    #expect(parts.count > whole.count + 10)
  }

  @Test("damage of the stream is in the payloads, at the offsets of the truth")
  func streamDamage() throws {
    func payload(_ file: [UInt8]) -> [UInt8] {
      packets(file).filter { $0.number(20) == 2196 }.flatMap(\.payload)
    }
    let sound = payload(try generate(.capture) { _ in }.file)
    let (file, truth) = try generate(.capture) { $0.damage.flippedBytes = 50 }
    let damaged = payload(file)
    let reported = lines(truth, "{\"type\":\"damage\"").flatMap { line -> [Int] in
      func number(_ name: String) -> Int {
        Int(line.split(separator: "\"\(name)\":")[1].prefix { $0.isNumber }) ?? -1
      }
      return Array(number("offset")..<number("offset") + number("length"))
    }
    #expect(sound.indices.filter { sound[$0] != damaged[$0] } == reported && !reported.isEmpty)
  }

  @Test("damage of the file spares about half of the connections")
  func fileDamage() throws {
    func change(_ scenario: inout Scenario) {
      scenario.capture.connections = 40
      scenario.capture.segmentSizes = 20...90
    }
    let (file, truth) = try generate(.capture) {
      change(&$0)
      $0.fileDamage.flippedBytes = 100
      $0.fileDamage.lostBytes = 100
    }
    let damages = lines(truth, "{\"type\":\"damage\"")
    #expect(damages.count > 10 && damages.allSatisfy { $0.contains("\"stream\":null") })
    let spared = Set(
      lines(truth, "{\"type\":\"feedback\"").map { $0.split(separator: "\"client\":")[1].prefix(20) })
    #expect((10...30).contains(spared.count))
    #expect(file.count > 1000)
  }

  @Test("a pair has the requests in one dump and the answer in the other")
  func pair() throws {
    let (requests, responses, truth) = (
      GeneratorTupleTests.Collected(), GeneratorTupleTests.Collected(), GeneratorTupleTests.Collected()
    )
    var scenario = Scenario()
    scenario.tuples = 50
    scenario.responses = 1000
    _ = try Generator.generate(
      .pair, scenario, source: "generated", to: requests, responses: responses, truth: truth)
    #expect(responses.bytes.count == 6 && responses.bytes[0] == 8)
    let text = String(decoding: truth.bytes, as: UTF8.self)
    #expect(lines(text, "{\"type\":\"request\"").count == 50)
    #expect(lines(text, "{\"type\":\"response\"").count == 1)
  }
}
