import Generator
import Testing

/// The bytes of generated streams. That a decoder finds the truth in files of any kind, `scripts/cross-check generated` says.
@Suite("Generated tuples") struct GeneratorTupleTests {
  /// The tuples of an undamaged dump.
  private func tuples(_ dump: [UInt8]) -> [(time: UInt32, token: [UInt8])] {
    var tuples: [(UInt32, [UInt8])] = []
    var index = 0
    while index + 6 <= dump.count {
      let time = dump[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
      let length = Int(dump[index + 4]) << 8 | Int(dump[index + 5])
      tuples.append((time, Array(dump[(index + 6)...].prefix(length))))
      index += 6 + length
    }
    #expect(index == dump.count)
    return tuples
  }

  @Test(
    "only the beginning of a tuple has a length of 0 to 100 at its fifth byte",
    arguments: [[32], [32, 54], [1], [1, 2, 3], Array(1...100)]) func unambiguous(_ lengths: [Int]) throws
  {
    for seed in 0..<20 {
      let dump = try Generated(.dump) { ($0.seed, $0.tokenLengths, $0.tuples) = (UInt64(seed), lengths, 500) }
      var starts = Set([0])
      for tuple in tuples(dump.bytes) { starts.insert((starts.max() ?? 0) + 6 + tuple.token.count) }
      let bytes = dump.bytes
      let alike = (0..<bytes.count - 5).filter { bytes[$0 + 4] == 0 && bytes[$0 + 5] <= 100 }
      #expect(Set(alike) == starts.subtracting([bytes.count]) && dump.count == bytes.count)
    }
  }

  @Test("no bytes look like the head of a TLS record") func ciphertext() throws {
    let dump = try Generated(.dump) { $0.tuples = 200_000 }.bytes
    let heads = (0..<dump.count - 2).filter {
      (0x14...0x17).contains(dump[$0]) && dump[$0 + 1] == 3 && dump[$0 + 2] <= 4
    }
    #expect(heads == [])
  }

  @Test("numbers of tuples, distinct tokens and their lengths, and the span of times, are those asked for")
  func options() throws {
    let times: ClosedRange<UInt32> = 1_400_000_000...1_400_086_400
    let made = tuples(
      try Generated(.dump) {
        ($0.tuples, $0.tokens, $0.tokenLengths, $0.times) = (5000, 70, [32, 54], times)
      }.bytes)
    #expect(made.count == 5000 && Set(made.map(\.token)).count == 70)
    #expect(Set(made.map(\.token.count)) == [32, 54])
    #expect(made.allSatisfy { times.contains($0.time) } && Set(made.map(\.time)).count > 4000)
  }

  @Test("all connections have all tuples between them, in any order, with the same tokens as a dump")
  func shares() throws {
    let dump = try Generated(.dump) { $0.tuples = 101 }.truth.compactMap { member("token", $0) }
    let capture = try Generated(.capture) { ($0.tuples, $0.capture.connections) = (101, 7) }
    #expect(dump.count == 101)
    #expect(dump.sorted() == capture.truth.compactMap { member("token", $0) }.sorted())
  }

  @Test("lost and changed bytes are exactly those of the truth") func damage() throws {
    func dump(_ flipped: Int, _ lost: Int) throws -> Generated {
      try Generated(.dump) {
        ($0.tuples, $0.seed, $0.damage.flippedBytes, $0.damage.lostBytes) = (300, 11, flipped, lost)
      }
    }
    let (sound, flipped, lost) = (try dump(0, 0).bytes, try dump(50, 0), try dump(0, 50))
    let reported = flipped.lines("damage").flatMap { line in
      Array(number("offset", line)..<number("offset", line) + number("length", line))
    }
    #expect(sound.indices.filter { sound[$0] != flipped.bytes[$0] } == reported && !reported.isEmpty)
    // What is lost comes from the sound bytes.
    var restored: [UInt8] = []
    var index = 0
    for line in lost.lines("damage") {
      restored += lost.bytes[index..<number("offset", line)]
      restored += sound[restored.count..<restored.count + number("lost", line)]
      index = number("offset", line)
    }
    #expect(restored + lost.bytes[index...] == sound && index > 0)
  }

  @Test("damage of the file spares about half of the connections") func fileDamage() throws {
    let damaged = try Generated(.capture) {
      ($0.seed, $0.tuples, $0.capture.connections, $0.capture.segmentSizes) = (21, 400, 40, 20...90)
      ($0.fileDamage.flippedBytes, $0.fileDamage.lostBytes) = (100, 100)
    }
    let damages = damaged.lines("damage")
    #expect(damages.count > 10 && damages.allSatisfy { member("stream", $0) == nil })
    #expect((10...30).contains(Set(damaged.lines("feedback").map { member("client", $0) }).count))
  }

  @Test("a pair has the requests in one dump and the answer in the other") func pair() throws {
    let pair = try Generated(.pair) { ($0.tuples, $0.responses) = (50, 1000) }
    #expect(pair.responses.count == 6 && pair.responses[0] == 8)
    #expect(pair.lines("request").count == 50 && pair.lines("response").count == 1)
  }

  @Test("a client counts from any number of 32 bits, at times beyond the last one") func identifiers() throws
  {
    let gateway = try Generated(.gateway) {
      ($0.seed, $0.tuples, $0.responses, $0.capture.connections) = (12, 800, 1000, 40)
    }
    let connections = Dictionary(grouping: gateway.lines("request")) { number("stream", $0) }.values.map {
      $0.map { member("identifier", $0).flatMap { UInt32($0) } }
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

  @Test("outcomes of pushes have about the rates asked for") func rates() throws {
    let log = try Generated(.pushLog) {
      ($0.tuples, $0.pushes.invalidated, $0.pushes.badTokens) = (10_000, 300, 100)
      ($0.pushes.throttled, $0.pushes.otherErrors, $0.pushes.streamResets) = (50, 0, 0)
    }
    func count(_ status: String) -> Int { log.truth.count { member("status", $0) == status } }
    #expect((2850...3150).contains(count("410")))
    // Of the rest.
    #expect((620...780).contains(count("400")) && (250...380).contains(count("429")))
    #expect(count("200") + count("410") + count("400") + count("429") == 10_000)
  }

  @Test("a connection that ends with a GOAWAY or a RST leaves pushes without an answer") func endings() throws
  {
    func pushes(_ goaways: Int, _ resets: Int, _ flags: String) throws -> [Substring] {
      try Generated(.pushes) {
        ($0.seed, $0.tuples, $0.capture.connections) = (5, 300, 6)
        ($0.pushes.goaways, $0.capture.resets, $0.pushes.streamResets) = (goaways, resets, 0)
      }.truth.filter { $0.contains(#""flags":[\#(flags)]"#) }
    }
    let excluded = try pushes(1000, 0, #""goaway","no-response""#)
    #expect(Set(excluded.map { number("stream", $0) }).count == 6)
    let silent = try pushes(0, 1000, #""no-response""#)
    #expect(silent.count >= 6 && silent.allSatisfy { member("outcome", $0) == "unknown" })
  }

  @Test("lost packets change no push, but what is certain of those after them") func loss() throws {
    func truth(_ loss: Int, midstream: Bool = false) throws -> [Substring] {
      try Generated(.pushes) {
        ($0.seed, $0.tuples, $0.capture.connections) = (5, 300, midstream ? 4 : 6)
        ($0.capture.loss, $0.capture.beginsMidstream) = (loss, midstream)
      }.truth.filter { member("type", $0)?.hasPrefix("push") == true }
    }
    func said(_ lines: [Substring]) -> [String] {
      lines.map { "\(member("token", $0) ?? "") \(member("status", $0) ?? "")" }.sorted()
    }
    let lossy = try truth(30)
    #expect(try said(lossy) == said(truth(0)))
    let types = Dictionary(lossy.map { (member("type", $0) ?? "", 1) }, uniquingKeysWith: +)
    #expect(Set(types.keys) == ["push", "push-near-damage", "push-damaged"])
    #expect(types.values.allSatisfy { $0 > 5 })
    let without = try truth(0, midstream: true)
    #expect(without.count == 300 && !without.contains { member("type", $0) == "push" })
  }
}
