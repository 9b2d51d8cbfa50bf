import Generator
import TestSupport
import Testing

/// The bytes of generated streams.
@Suite("Generated tuples")
struct GeneratorTupleTests {
  final class Collected: GeneratorOutput {
    var bytes: [UInt8] = []

    func write(_ bytes: RawSpan) throws { bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) } }
  }

  private func generate(
    _ kind: Generator.Kind = .dump, _ change: (inout Scenario) -> Void
  ) throws -> (bytes: [UInt8], truth: String) {
    var scenario = Scenario()
    change(&scenario)
    let (file, truth) = (Collected(), Collected())
    let count = try Generator.generate(kind, scenario, source: "generated", to: file, truth: truth)
    #expect(count == file.bytes.count)
    return (file.bytes, String(decoding: truth.bytes, as: UTF8.self))
  }

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

  static let lengths: [[Int]] = [[32], [32, 54], [1], [1, 2, 3], Array(1...100)]

  @Test("only the beginning of a tuple has a length of 0 to 100 at its fifth byte", arguments: lengths)
  func unambiguous(_ lengths: [Int]) throws {
    for seed in 0..<20 {
      let dump = try generate {
        $0.seed = UInt64(seed)
        $0.tokenLengths = lengths
        $0.tuples = 500
      }.bytes
      var starts = Set<Int>()
      var index = 0
      for tuple in tuples(dump) {
        starts.insert(index)
        index += 6 + tuple.token.count
      }
      let alike = (0..<dump.count - 5).filter { dump[$0 + 4] == 0 && dump[$0 + 5] <= 100 }
      #expect(Set(alike) == starts)
    }
  }

  @Test("no bytes look like the head of a TLS record")
  func ciphertext() throws {
    let dump = try generate { $0.tuples = 200_000 }.bytes
    let heads = (0..<dump.count - 2).filter {
      (0x14...0x17).contains(dump[$0]) && dump[$0 + 1] == 3 && dump[$0 + 2] <= 4
    }
    #expect(heads == [])
  }

  @Test("numbers of tuples, distinct tokens and their lengths, and the span of times, are those asked for")
  func options() throws {
    let made = tuples(
      try generate {
        $0.tuples = 5000
        $0.tokens = 70
        $0.tokenLengths = [32, 54]
        $0.times = 1_400_000_000...1_400_086_400
      }.bytes)
    #expect(made.count == 5000)
    #expect(Set(made.map(\.token)).count == 70)
    #expect(Set(made.map(\.token.count)) == [32, 54])
    #expect(made.allSatisfy { (1_400_000_000...1_400_086_400).contains($0.time) })
    #expect(Set(made.map(\.time)).count > 4000)
  }

  @Test("all connections have all tuples between them, in any order, with the same tokens as a dump")
  func shares() throws {
    func tokens(_ truth: String) -> [String] {
      truth.split(separator: "\n").compactMap { line in
        line.split(separator: "\"token\":\"").dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
      }.sorted()
    }
    let dump = try generate { $0.tuples = 101 }.truth
    let capture = try generate(.capture) {
      $0.tuples = 101
      $0.capture.connections = 7
    }.truth
    #expect(tokens(dump).count == 101 && tokens(dump) == tokens(capture))
  }

  @Test("lost and changed bytes are exactly those of the truth")
  func damage() throws {
    func change(_ scenario: inout Scenario) {
      scenario.tuples = 300
      scenario.seed = 11
    }
    let sound = try generate(.dump, change).bytes
    let flipped = try generate {
      change(&$0)
      $0.damage.flippedBytes = 50
    }
    let differing = sound.indices.filter { sound[$0] != flipped.bytes[$0] }
    let reported = damagedRanges(flipped.truth).flatMap { Array($0.range) }
    #expect(differing == reported && !reported.isEmpty)

    let lost = try generate {
      change(&$0)
      $0.damage.lostBytes = 50
    }
    let missing = damagedRanges(lost.truth)
    #expect(sound.count - lost.bytes.count == missing.reduce(0) { $0 + $1.lost } && !missing.isEmpty)
    #expect(restored(lost.bytes, missing, from: sound) == sound)
  }

  /// Restores the bytes that are lost according to `missing` from `sound`.
  private func restored(
    _ dump: [UInt8], _ missing: [(range: Range<Int>, lost: Int)], from sound: [UInt8]
  ) -> [UInt8] {
    var restored: [UInt8] = []
    var index = 0
    for damage in missing {
      restored += dump[index..<damage.range.lowerBound]
      restored += sound[restored.count..<restored.count + damage.lost]
      index = damage.range.lowerBound
    }
    return restored + dump[index...]
  }

  /// The damage in the truth, in the order of the file.
  private func damagedRanges(_ truth: String) -> [(range: Range<Int>, lost: Int)] {
    truth.split(separator: "\n").filter { $0.hasPrefix("{\"type\":\"damage\"") }.map { line in
      func number(_ name: String) -> Int {
        let value = line.split(separator: "\"\(name)\":").dropFirst().first?.prefix { $0.isNumber } ?? ""
        return Int(value) ?? -1
      }
      let start = number("offset")
      return (start..<start + number("length"), number("lost"))
    }
  }
}
