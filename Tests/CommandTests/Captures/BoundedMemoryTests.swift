import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// Nothing grows with the input.
@Suite("Large inputs", .serialized)
struct BoundedMemoryTests {
  private let directory = TestDirectory()

  /// Sound tuples, some damage, a token of another length: 1 MiB that is no whole number of tuples.
  private func block() -> [UInt8] {
    let sound = feedback(tuples(27_000))
    return Array(
      sound + feedback([Tuple(1_400_000_000, token(9, length: 54))]) + sound.dropFirst(3).prefix(20_000))
  }

  static let commands: [[String]] = [
    ["export", "-"], ["export", "-t", "ndjson", "-"], ["inspect", "--no-distinct", "-"],
    ["export", "-t", "json", "--distinct", "--memory", "1MiB", "-"],
  ]

  @Test("100 MB of CSV and 40 MB of the others from a pipe take less than 64 MiB", arguments: commands)
  func peak(_ arguments: [String]) throws {
    let block = block()
    let total = arguments == ["export", "-"] ? 100_000_000 : 40_000_000
    try TestDirectory().expectMemory(below: 64 << 20, of: arguments) { pipe in
      for _ in 0...(total / block.count) { try pipe.write(block) }
    }
  }

  @Test("a million registrations from a pipe take less than 96 MiB, 32 of them SQLite's")
  func importMemory() throws {
    let rest = hex(token(1)).dropFirst(8)
    let words = ["store", "import", "-", "--store", "sqlite:tokens.sqlite", "--create"]
    try directory.expectMemory(below: 96 << 20, of: words) { pipe in
      try pipe.write(Array("note,token,registered_at\r\n".utf8))
      for thousand in 0..<1000 {
        let lines = (0..<1000).map { line in
          let number = String(String(100_000_000 + thousand * 1000 + line).dropFirst())
          // 85 bytes, an odd number, so that each is once at the border of a block of a power of 2.
          return "\"a\"\"\r\n\",\(number)\(rest),1400000000\r\n"
        }
        try pipe.write(Array(lines.joined().utf8))
      }
    }
    let count = "SELECT count(*) FROM device_tokens WHERE registered_at = 1400000000"
    #expect(try directory.sqlite("tokens.sqlite", count) == "1000000")
  }

  @Test("100,000 empty members of an archive with a path of 3.5 KB take less than 100 MiB")
  func emptyMembers() throws {
    let folder = Array(repeating: String(repeating: "d", count: 250), count: 14).joined(separator: "/")
    try directory.makeDirectory(folder)
    let script = """
      import zipfile
      with zipfile.ZipFile("\(folder)/a.zip", "w") as archive:
          for member in range(100_000): archive.writestr(str(member), b"")
      """
    _ = try directory.tool("python3", ["-c", script])
    let (outcome, peak) = try directory.measured("export", "--quiet", folder, "-o", "out.csv")
    #expect(outcome.code == 0 && peak < 100 << 20, "\(outcome.errors)")
  }

  @Test("256 MiB of zeros that is compressed takes less than 64 MiB", arguments: ["gzip", "zstd", "lz4"])
  func bomb(_ tool: String) throws {
    let made = try directory.shell("head -c 268435456 /dev/zero | \(tool) -c >bomb")
    try #require(made.code == 0, "\(made.errors)")
    let (outcome, peak) = try directory.measured("inspect", "--no-distinct", "--no-hash", "bomb")
    #expect(outcome.code == 0)
    #if os(Linux)
      #expect(peak < 64 << 20, "\(peak) bytes")
    #endif
  }

  @Test("an endless pipe ends with its reader")
  func endless() throws {
    let (reading, writing) = try makePipe()
    let null = try Descriptor(opening: "/dev/null", O_RDWR)
    let output = try Descriptor(opening: directory.path(of: "out"), O_WRONLY | O_CREAT)
    let line = "{ \"$APNSIFT\" export - ; echo $? >code; } | head -n 100000 | tail -n 1"
    let child = try directory.start(
      "/bin/sh", [Array("-c".utf8), Array(line.utf8)], input: reading.number, output: output.number,
      errors: null.number)
    reading.close()
    let block = feedback(tuples(5000))
    while try writing.write(block) {}
    #expect(try child.wait() == .exit(0))
    // Row n has the offset 38 (n - 1); the header is row 0.
    #expect(try directory.text(of: "out").hasPrefix("-,0,\(38 * 99_998),"))
    #expect(try directory.text(of: "code") == "0\n")
  }

  @Test("--memory 1MiB gives the answers of the default, and leaves no temporary file")
  func littleMemory() throws {
    // 60,000 distinct tokens of 40 bytes and more do not fit into 1 MiB; a third of them comes again, later.
    try directory.write(feedback(tuples(60_000) + tuples(20_000, at: 1_500_000_000)), to: "dump.bin")
    var answers: Set<String> = []
    for memory in ["1GiB", "1MiB"] {
      let exported = try directory.export("dump.bin --records streams --distinct --memory \(memory)".words)
      #expect(exported.summary["distinct_tokens"] as? Int == 60_000)
      let options = "--memory \(memory) --store sqlite:\(memory).sqlite --create --no-journal".words
      let replayed = try directory.apnsift(["replay", "dump.bin"] + options).exits(0)
      answers.insert(replayed.text + (try directory.sqlite("\(memory).sqlite", ".sha3sum")))
    }
    #expect(answers.count == 1)
    let late = "SELECT count(*) FROM device_tokens WHERE invalidated_at >= 1500000000"
    #expect(try directory.sqlite("1MiB.sqlite", late) == "20000")
    #expect(try directory.temporaryNames.isEmpty)
  }
}
