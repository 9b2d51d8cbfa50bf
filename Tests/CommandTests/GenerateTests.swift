import Testing

/// What `generate` promises of its files.
@Suite("generate")
struct GenerateTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func generate(_ arguments: String..., output: String = "generated") throws -> Outcome {
    try directory.apnsift(["generate"] + arguments + ["-o", output, "--force"])
  }

  /// FNV-1a, which a machine of any byte order computes alike.
  private func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }

  /// Options, and what the file and its truth hashed to when they were first generated. They change with the
  /// generator alone, and then the changelog says so.
  static let pinned: [(options: [String], file: UInt64, truth: UInt64)] = [
    (["--kind", "dump", "--seed", "1"], 0x6ced_3317_7bf8_f1b1, 0x28c9_1139_2a02_f965),
    (
      ["--kind", "dump", "--seed", "2", "--lost-bytes", "20", "--padding", "20", "--cut-tail"],
      0x2952_7317_6b98_094e, 0x6956_c8a6_661c_abfb
    ),
    (
      [
        "--kind", "capture", "--seed", "3", "--connections", "5", "--loss", "50", "--reordering", "50",
        "--retransmission", "50", "--overlaps", "50", "--conflicts", "50", "--midstream", "--container",
        "pcapng", "--segments", "20-200",
      ], 0x61cf_1e48_c1de_60f9, 0x7a13_b14a_f3b1_3f28
    ),
    (
      ["--kind", "gateway", "--seed", "4", "--connections", "3", "--ip", "6", "--segments", "1-99"],
      0x4e62_ce5b_65da_4026, 0x39b1_e211_db15_8fef
    ),
  ]

  @Test("the same seed gives the same bytes, on any machine", arguments: pinned)
  func same(_ options: [String], _ file: UInt64, _ truth: UInt64) throws {
    #expect(try directory.apnsift(["generate"] + options + ["-o", "generated"]).code == 0)
    #expect(try hash(directory.bytes(of: "generated")) == file)
    #expect(try hash(directory.bytes(of: "generated.truth.ndjson")) == truth)
  }

  @Test("another seed gives others")
  func otherSeeds() throws {
    #expect(try generate("--kind", "dump", "--seed", "1", output: "one").code == 0)
    #expect(try generate("--kind", "dump", "--seed", "2", output: "two").code == 0)
    #expect(try directory.bytes(of: "one") != directory.bytes(of: "two"))
  }

  @Test("compression changes how the bytes are stored, and nothing else", arguments: ["gzip", "zstd", "lz4"])
  func compression(_ name: String) throws {
    let options = ["generate", "--kind", "capture", "--seed", "5", "--tuples", "20000"]
    #expect(try directory.apnsift(options + ["-o", "plain"]).code == 0)
    #expect(try directory.apnsift(options + ["--compression", name, "-o", "stored"]).code == 0)
    #expect(try directory.bytes(of: "stored").count < directory.bytes(of: "plain").count)
    let unpacked = try directory.tool(name, ["-d", "-c"], input: .file("stored"))
    #expect(try unpacked == directory.bytes(of: "plain"))
  }

  #if os(Linux)
    /// What is written is more than the limit.
    @Test(
      "memory does not grow with the file",
      arguments: [
        "dump --flipped-bytes 10", "capture --connections 50 --reordering 100 --loss 10",
        "gateway --connections 50 --reordering 100 --conflicts 100",
      ])
    func memory(_ options: String) throws {
      let line = "ulimit -v 131072; \"$APNSIFT\" generate --kind \(options) --seed 1 --tuples 400000 -o o"
      let outcome = try directory.shell(line)
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
  #endif

  static let wrong: [(arguments: [String], says: [String])] = [
    ([], ["--kind"]),
    (["--kind", "pcap"], ["pcap", "capture"]),
    (["--kind", "dump", "--tuples", "0"], ["--tuples is 0"]),
    (["--kind", "dump", "--tuples", "5", "--tokens", "6"], ["--tokens is 6"]),
    (["--kind", "dump", "--token-length", "0-32"], ["--token-length is 0-32", "1 to 100"]),
    (["--kind", "dump", "--token-length", "101"], ["--token-length is 101"]),
    (["--kind", "dump", "--earliest", "1"], ["--earliest", "2009-06-17T00:00:00Z"]),
    (["--kind", "dump", "--earliest", "1400000000", "--latest", "1400086399"], ["a day"]),
    (["--kind", "dump", "--padding", "1001"], ["--padding is 1001"]),
    (["--kind", "dump", "--loss", "1"], ["--kind capture"]),
    (["--kind", "capture", "--responses", "1"], ["--responses", "--kind gateway"]),
    (["--kind", "capture", "--cut-tail"], ["--kind dump"]),
    (["--kind", "capture", "--segments", "0"], ["--segments is 0", "1460"]),
    (["--kind", "capture", "--segments", "9-3"], ["--segments", "9-3"]),
    (["--kind", "capture", "--ip", "5"], ["--ip is 5"]),
    (["--kind", "capture", "--loss", "-1"], ["--loss"]),
    (["--kind", "gateway", "--tuples", "2000001", "--connections", "2"], ["1000000", "--connections"]),
    (["--kind", "capture", "--open", "0"], ["--open is 0"]),
  ]

  @Test("wrong usage exits with 64, names what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ arguments: [String], _ says: [String]) throws {
    let outcome = try directory.apnsift(["generate", "--seed", "1", "-o", "generated"] + arguments)
    #expect(outcome.code == 64)
    for words in says { #expect(outcome.errors.contains(words), "\(outcome.errors)") }
    #expect(try directory.names == [])
  }

  @Test("a file that exists stays, and so does its truth, without --force")
  func existing() throws {
    try directory.write("mine", to: "generated.truth.ndjson")
    let outcome = try directory.apnsift("generate", "--kind", "dump", "--seed", "1", "-o", "generated")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("--force"))
    #expect(try directory.names == ["generated.truth.ndjson"])
    #expect(try directory.text(of: "generated.truth.ndjson") == "mine")
  }

  @Test("standard output is no place for two files")
  func standardOutput() throws {
    let outcome = try directory.apnsift("generate", "--kind", "dump", "--seed", "1", "-o", "-")
    #expect(outcome.code == 64 && outcome.output.isEmpty)
  }
}
