import TestSupport
import Testing

/// `--from carve`: tuples planted in bytes that have none. The expected rows are what was planted.
@Suite("Carving of tuples")
struct CarveTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// Bytes with planted chains, and the rows that carving must write.
  private struct Blob {
    var bytes: [UInt8] = []
    var rows: [String] = []
    private var chains = 0

    /// Noise in which nothing is a tuple: no byte is 32.
    mutating func fill(_ count: Int, _ generator: inout SeededGenerator) {
      bytes += generator.bytes(count).map { $0 == 32 ? 33 : $0 }
    }

    mutating func plant(_ tuples: [[UInt8]]) {
      for (number, tuple) in tuples.enumerated() {
        let token = tuple.dropFirst(6).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        let flags = number == tuples.count - 1 ? "carved;unconfirmed-boundary" : "carved"
        rows.append("\(chains),\(38 * number),\(bytes.count),\(token),\(flags)")
        bytes += tuple
      }
      chains += 1
    }
  }

  private func tuples(_ count: Int, _ generator: inout SeededGenerator) -> [[UInt8]] {
    (0..<count).map { _ in
      Tuples.of(generator.bytes(32), time: UInt32(generator.pick(1_300_000_000...1_600_000_000)))
    }
  }

  private func carved(_ bytes: [UInt8], _ options: String..., isPiped: Bool = false) throws -> [String] {
    let columns = ["--columns", "stream,offset,file_offset,token,flags"]
    let outcome: Outcome
    if isPiped {
      outcome = try directory.apnsift(
        ["export", "--from", "carve", "-"] + columns + options, input: .bytes(bytes))
    } else {
      try directory.write(bytes, to: "disk.img")
      outcome = try directory.apnsift(["export", "--from", "carve", "disk.img"] + columns + options)
    }
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome.text.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("chains of all lengths, at any distance, are found whole", arguments: [1, 2, 3])
  func plants(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var blob = Blob()
    for _ in 0..<300 {
      blob.fill(generator.pick(1...3000), &generator)
      blob.plant(tuples(generator.pick(3...40), &generator))
    }
    blob.fill(500, &generator)
    #expect(try carved(blob.bytes) == blob.rows)
    #expect(try carved(blob.bytes, isPiped: true) == blob.rows)
  }

  @Test("the blocks of reading do not matter")
  func blocks() throws {
    var generator = SeededGenerator(seed: 4)
    for distance in stride(from: 0, through: 160, by: 1) {
      var blob = Blob()
      blob.fill((256 << 10) - distance, &generator)
      blob.plant(tuples(3, &generator))
      blob.fill(distance % 7, &generator)
      #expect(try carved(blob.bytes) == blob.rows, "\(distance) bytes before the end of the first block")
    }
  }

  @Test("a chain over many blocks is one stream")
  func longChain() throws {
    var generator = SeededGenerator(seed: 5)
    var blob = Blob()
    blob.fill(12_345, &generator)
    blob.plant(tuples(30_000, &generator))
    #expect(try carved(blob.bytes) == blob.rows)
  }

  @Test("coincidences are left out")
  func negatives() throws {
    var generator = SeededGenerator(seed: 6)
    var blob = Blob()
    // Pairs, times before the service, tables with a stride of 38, and tokens in text.
    for _ in 0..<50 {
      blob.fill(generator.pick(38...200), &generator)
      for tuple in tuples(2, &generator) { blob.bytes += tuple }
      blob.fill(38, &generator)
      for _ in 0..<9 { blob.bytes += Tuples.of(generator.bytes(32), time: 1_000_000_000) }
      blob.fill(38, &generator)
      for row in 0..<20 {
        blob.bytes += Tuples.of([UInt8](repeating: UInt8(row), count: 32), time: 1_400_000_000)
      }
      let digits = generator.bytes(32).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
      blob.bytes += Array("token \(digits)\n".utf8)
    }
    blob.fill(38, &generator)
    #expect(try carved(blob.bytes) == [])
    #expect(try carved(blob.bytes, "--min-chain", "2").count == 100)
  }

  @Test("carved records are replayed only on request")
  func replay() throws {
    var generator = SeededGenerator(seed: 7)
    var blob = Blob()
    blob.fill(100, &generator)
    let planted = tuples(5, &generator)
    blob.plant(planted)
    try directory.write(blob.bytes, to: "disk.img")
    let tokens = planted.map { $0.dropFirst(6).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() }
    let registered = "token,registered_at\n" + tokens.map { "\($0),1300000000\n" }.joined()
    try directory.write(Array(registered.utf8), to: "devices.csv")
    let store = ["--store", "sqlite:tokens.sqlite"]
    #expect(try directory.apnsift(["store", "import", "devices.csv", "--create"] + store).code == 0)
    let replay = ["replay", "disk.img", "--from", "carve"] + store
    let invalid = ["store", "list", "--dead"] + store
    #expect(try directory.apnsift(replay).code == 0)
    #expect(try directory.apnsift(invalid).text.split(separator: "\n").count == 1)
    #expect(try directory.apnsift(replay + ["--include-flagged"]).code == 0)
    let listed = try directory.apnsift(invalid).text
    #expect(tokens.allSatisfy { listed.contains($0) })
  }
}
