import Basics
import CommandTestSupport
import TestSupport
import Testing

/// What `generate` promises of its files.
@Suite("generate") struct GenerateTests {
  private let directory = TestDirectory()

  /// Options of one line.
  private func generate(_ line: String, to output: String = "generated") throws -> Outcome {
    try directory.lab(["generate"] + line.words + ["-o", output])
  }

  /// FNV-1a, which a machine of any byte order computes alike.
  private func hash(_ bytes: [UInt8]) -> String {
    String(
      bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 } as UInt64, radix: 16)
  }

  /// Options, and what the file and its truth hashed to when they were first generated. They change with the
  /// generator alone, and then the changelog says so.
  @Test(
    "the same seed gives the same bytes, on any machine",
    arguments: Fixtures.rows("hashes of generated files", in: "lab-cases") as [(String, String, String)])
  func same(_ line: String, _ file: String, _ truth: String) throws {
    #expect(try generate(line).code == 0)
    #expect(try hash(directory.bytes(of: "generated")) == file)
    #expect(try hash(directory.bytes(of: "generated.truth.ndjson")) == truth)
  }

  @Test("another seed gives others") func otherSeeds() throws {
    for seed in ["1", "2"] { #expect(try generate("--kind dump --seed \(seed)", to: seed).code == 0) }
    #expect(try directory.bytes(of: "1") != directory.bytes(of: "2"))
  }

  @Test("compression changes how the bytes are stored, and nothing else", arguments: ["gzip", "zstd", "lz4"])
  func compression(_ name: String) throws {
    let line = "--kind capture --seed 5 --tuples 20000"
    #expect(try generate(line, to: "plain").code == 0)
    #expect(try generate("\(line) --compression \(name)", to: "stored").code == 0)
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
        "gateway --connections 50 --reordering 100 --conflicts 100", "pair --lost-bytes 5 --padding 5",
        "pair --token-length 54 --lost-bytes 5",
        "capture --connections 50 --fragments 100 --resets 500 --lost-blocks 5 --file-lost-bytes 5",
        "gateway --connections 50 --snap-length 150 --flipped-bytes 5 --file-flipped-bytes 5",
      ])
    func memory(_ options: String) throws {
      let line = "ulimit -v 131072; \"$APNSIFT_LAB\" generate --kind \(options) --seed 1 --tuples 400000 -o o"
      try directory.shell(line).exits(0)
    }
  #endif

  /// Arguments, and what the first message names.
  @Test(
    "wrong usage exits with 64, says what is wrong, and writes nothing",
    arguments: Fixtures.rows("generate", in: "usage") as [(String, [String])])
  func wrongUsage(_ line: String, _ names: [String]) throws {
    let outcome = try generate("\(line) --seed 1").exits(64)
    for name in names { #expect(outcome.errors.contains(name), "\(outcome.errors)") }
    #expect(try directory.names == [])
  }

  @Test("a file that exists stays, and so does its truth, without --force") func existing() throws {
    try directory.write("mine", to: "generated.truth.ndjson")
    try generate("--kind dump --seed 1").exits(2, saying: "generated.truth.ndjson exists already")
    #expect(try directory.names == ["generated.truth.ndjson"])
    #expect(try directory.text(of: "generated.truth.ndjson") == "mine")
  }

  @Test("standard output cannot take two files") func standardOutput() throws {
    let outcome = try generate("--kind dump --seed 1", to: "-").exits(64, saying: "-o - is not possible")
    #expect(outcome.output.isEmpty)
  }

  @Test("the name of a generated file chooses compression and container") func names() throws {
    let line = "--kind capture --seed 1 --tuples 9"
    #expect(try generate(line, to: "a.pcapng.gz").code == 0)
    #expect(try generate("\(line) --container pcapng --compression gzip", to: "b").code == 0)
    #expect(try directory.bytes(of: "a.pcapng.gz") == directory.bytes(of: "b"))
    for (name, option) in [("c.gz", "--compression zstd"), ("c.pcapng", "--container pcap")] {
      let outcome = try generate("\(line) \(option)", to: name).exits(
        64, saying: "-o \(name) contradicts \(option)")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test("others may read what is made up, as the umask says") func permissions() throws {
    let outcome = try directory.shell(
      "umask 027; \"$APNSIFT_LAB\" generate --kind dump --seed 1 -o out && stat -c %a out")
    #expect(outcome.text == "640\n", "\(outcome.errors)")
  }
}
