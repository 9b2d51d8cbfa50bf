import Basics
import CommandTestSupport
import Testing

/// What `generate` promises of its files.
@Suite("generate") struct GenerateTests {
  private let directory = TestDirectory()

  /// Options of one line.
  private func generate(_ line: String, to output: String = "generated") throws -> Outcome {
    try directory.lab(["generate"] + line.words + ["-o", output])
  }

  /// FNV-1a, which a machine of any byte order computes alike.
  private func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }

  /// Options, and what the file and its truth hashed to when they were first generated. They change with the
  /// generator alone, and then the changelog says so.
  static let pinned: [(line: String, file: UInt64, truth: UInt64)] = [
    ("--kind dump --seed 1", 0x6ced_3317_7bf8_f1b1, 0x28c9_1139_2a02_f965),
    (
      "--kind dump --seed 2 --lost-bytes 20 --padding 20 --cut-tail", 0x873a_e9bb_7d2d_8f83,
      0x87e9_7d9c_cdd9_9d2d
    ),
    (
      "--kind capture --seed 3 --connections 5 --loss 50 --reordering 50 --retransmission 50 --overlaps 50 "
        + "--conflicts 50 --midstream --container pcapng --segments 20-200", 0x5b61_b24e_0d1e_a216,
      0x7a13_b14a_f3b1_3f28
    ),
    (
      "--kind gateway --seed 4 --connections 3 --ip 6 --segments 1-99", 0xc087_13cd_16aa_5690,
      0xeaed_d418_eec8_1c83
    ), ("--kind pair --seed 5", 0x9c02_a32a_a37c_5294, 0x979e_004a_26fb_30ee),
    (
      "--kind pair --seed 6 --lost-bytes 5 --flipped-bytes 5 --padding 5", 0xbbca_d551_2fa8_5df7,
      0xd4a5_6e7d_f295_08a3
    ),
    (
      "--kind capture --seed 7 --connections 9 --fragments 200 --resets 500 --lost-blocks 5 --cut-tail",
      0x69b9_93a5_36be_6ee6, 0x8cf4_4b64_eecc_ce22
    ),
    (
      "--kind gateway --seed 8 --connections 9 --snap-length 150 --file-lost-bytes 50 --file-flipped-bytes 50 "
        + "--file-cut-tail", 0x6f7d_44b7_8b29_c773, 0x306c_584c_a372_c12d
    ),
  ]

  @Test("the same seed gives the same bytes, on any machine", arguments: pinned)
  func same(_ line: String, _ file: UInt64, _ truth: UInt64) throws {
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
  static let wrong: [(line: String, names: [String])] = [
    ("", ["--kind"]), ("--kind pcap", ["pcap", "capture"]),
    ("--kind capture --segments 9-3", ["--segments", "9-3"]), ("--kind capture --loss -1", ["--loss"]),
    ("--kind dump --tuples 0", ["--tuples is 0: give 1 to \(1 << 40)"]),
    ("--kind dump --tuples 5 --tokens 6", ["--tokens is 6: give 1 to 5"]),
    ("--kind dump --token-length 0-32", ["--token-length is 0-32: give 1 to 100"]),
    ("--kind dump --token-length 101", ["--token-length is 101: give 1 to 100"]),
    ("--kind dump --earliest 1", ["from 2009-06-17T00:00:00Z to 2021-04-30T00:00:00Z"]),
    ("--kind dump --earliest 1400000000 --latest 1400086399", ["--latest must be at least a day after"]),
    ("--kind dump --padding 1001", ["--padding is 1001: give 0 to 1000"]),
    ("--kind dump --loss 1", ["a dump has no connections"]),
    ("--kind capture --responses 1", ["--responses is for --kind gateway and pair"]),
    ("--kind dump --file-cut-tail", ["--file-cut-tail are for captures"]),
    ("--kind pair --resets 1", ["a dump has no connections"]),
    ("--kind gateway --responses 1 --padding 1", ["--responses 1 excludes damage and --snap-length"]),
    ("--kind gateway --responses 1 --snap-length 200", ["--responses 1 excludes damage and --snap-length"]),
    ("--kind capture --snap-length 99", ["--snap-length is 99: give 100 to 262144"]),
    ("--kind capture --snap-length 200 --fragments 1", ["--fragments and --snap-length exclude each other"]),
    ("--kind capture --file-lost-bytes 1001", ["--file-lost-bytes is 1001: give 0 to 1000"]),
    ("--kind capture --segments 0", ["--segments is 0: give 1 to 1460"]),
    ("--kind capture --ip 5", ["--ip is 5"]),
    ("--kind gateway --tuples 2000001 --connections 2", ["at most 1000000 requests"]),
    ("--kind capture --open 0", ["--open is 0: give 1 to 1000"]),
    ("--kind dump --seed 2", ["--seed is given twice (2, then 1)"]),
    ("--sed 4", ["'--sed'; did you mean '--seed'? (`apnsift-lab generate --help`"]),
  ]

  @Test("wrong usage exits with 64, says what is wrong, and writes nothing", arguments: wrong)
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
