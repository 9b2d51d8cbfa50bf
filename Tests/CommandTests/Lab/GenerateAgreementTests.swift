import CommandTestSupport
import Testing

/// Generated records and decoded records agree. `scripts/cross-check-generated` draws more sets
/// of options than this.
@Suite("Generated truth and decoded output")
struct GenerateAgreementTests {
  private static let perBatch = 30

  @Test("agree whatever the options", arguments: 0..<10)
  func agree(_ batch: Int) throws {
    let directory = try TestDirectory()
    for number in 0..<Self.perBatch {
      var draw = OptionDraw(seed: UInt64(batch * Self.perBatch + number))
      let options = draw.options()
      let generated = try directory.lab(["generate", "-o", "generated", "--force"] + options)
      try #require(generated.code == 0, "\(options): \(generated.errors)")
      let inputs =
        options.contains("pair")
        ? ["--requests", "generated", "--responses", "generated.responses"] : ["generated"]
      let exported = try directory.apnsift(["export", "-t", "ndjson"] + inputs)
      try #require(exported.code == 0, "\(options): \(exported.errors)")
      let truth = try Objects(directory.bytes(of: "generated.truth.ndjson"))
      var objects = Objects(exported.output)
      objects.removeHeaderAndSummary()
      #expect(truth.difference(from: objects) == [], "\(options)")
    }
  }
}

/// Lines of NDJSON without messages: the words are the decoder's own.
private struct Objects {
  private var lines: [Substring]

  init(_ bytes: [UInt8]) {
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: ",\"message\":", maxSplits: 1)[0]
    }
  }

  mutating func removeHeaderAndSummary() { lines = Array(lines.dropFirst().dropLast()) }

  private func lines(of types: String...) -> [Substring] {
    lines.filter { line in types.contains { line.hasPrefix("{\"type\":\"\($0)\",") } }
  }

  /// Without the numbers of streams and packets: damage of a capture file changes them.
  private var numberless: Objects {
    var objects = self
    objects.lines = lines.map { line in
      line.split(separator: ",").filter { !$0.hasPrefix("\"stream\":") && !$0.hasPrefix("\"packet\":") }
        .joined(separator: ",")[...]
    }
    return objects
  }

  private var isOfDamagedFile: Bool { lines.contains { $0.contains("\"kind\":\"file-") } }

  /// What one has and the other has not; with damage, only untouched records are compared.
  func difference(from exported: Objects) -> [Substring] {
    isOfDamagedFile ? numberless.plainDifference(from: exported.numberless) : plainDifference(from: exported)
  }

  private func plainDifference(from exported: Objects) -> [Substring] {
    let isDamaged = lines(of: "stream").isEmpty
    let promised = (isDamaged ? lines(of: "feedback", "request", "response") : lines).sorted()
    let there = exported.lines.sorted()
    let missing = Set(promised).subtracting(there)
    if isDamaged || promised == there { return missing.sorted() }
    return missing.sorted() + Set(there).subtracting(promised).sorted()
  }
}

/// Options that go together.
private struct OptionDraw {
  private var generator: FixedGenerator

  init(seed: UInt64) { generator = FixedGenerator(seed: seed) }

  private mutating func pick(_ choices: String...) -> String {
    choices.randomElement(using: &generator) ?? ""
  }

  private mutating func flags(_ names: String...) -> [String] {
    names.filter { _ in Int.random(in: 0..<5, using: &generator) < 2 }
  }

  mutating func options() -> [String] {
    let kind = pick("dump", "capture", "gateway", "pair")
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    return [
      "--kind", kind, "--seed", String(seed), "--tuples", pick("1", "2", "5", "30", "300", "1000"),
      "--token-length", pick("32", "32", "32,54", "1,2,32", "1,100", "80", "1-100"),
      "--compression", pick("none", "none", "gzip", "zstd", "lz4"),
    ] + (kind == "dump" || kind == "pair" ? damage() : capture(kind))
  }

  private mutating func damage() -> [String] {
    if Bool.random(using: &generator) { return [] }
    return [
      "--lost-bytes", pick("0", "5", "300"), "--flipped-bytes", pick("0", "5", "300"), "--lost-blocks",
      pick("0", "5", "50"), "--padding", pick("0", "5", "300"),
    ] + flags("--cut-tail")
  }

  private mutating func fileDamage() -> [String] {
    ["--file-lost-bytes", pick("0", "10", "300"), "--file-flipped-bytes", pick("0", "10", "300")]
      + flags("--file-cut-tail")
  }

  private mutating func capture(_ kind: String) -> [String] {
    let quiet = flags("quiet") != []
    let isSnapped = pick("no", "no", "no", "snapped") == "snapped"
    let damage = flags("sound").isEmpty ? [] : damage()
    let isAnswerable = damage.isEmpty && !isSnapped
    let rates = ["--loss", "--reordering", "--retransmission", "--overlaps"]
    return [
      "--connections", pick("1", "2", "7", "30"), "--open", pick("1", "3", "5"),
      "--segments", pick("1400", "1-1460", "37-39", "1", "1-5", "30-80"),
      "--link", pick("ethernet", "vlan", "sll", "sll2", "null", "loop", "raw"), "--ip", pick("4", "6"),
      "--container", pick("pcap", "pcapng"),
    ] + damage
      + (isSnapped ? ["--snap-length", pick("100", "300")] : ["--fragments", pick("0", "0", "200")])
      + (pick("sound", "sound", "damaged") == "damaged" ? fileDamage() : [])
      + ["--resets", pick("0", "500")]
      + (kind == "gateway" && isAnswerable ? ["--responses", pick("0", "500", "1000")] : [])
      + (quiet ? [] : rates.flatMap { [$0, pick("0", "0", "10", "100", "500")] })
      // Checksums of cut packets prove nothing, and neither do those of a sender half of which are wrong.
      + (quiet ? [] : ["--conflicts", isSnapped ? "0" : pick("0", "0", "10", "100")])
      + flags("--wrap", "--port-reuse", "--midstream", "--big-endian", "--nanoseconds")
  }
}
