import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// Nothing grows with the input.
@Suite("Large inputs", .serialized)
struct BoundedMemoryTests {
  private static let limit = 64 << 20

  /// The peak memory of a running process in bytes, without its code, of which more or less is mapped; nil if
  /// unknown. (What wait4 says of a spawned child counts the test runner's own memory in.)
  private func peakMemory(of child: ChildProcess) -> Int? {
    let status = try? String(contentsOfFile: "/proc/\(child.id)/status", encoding: .utf8)
    func bytes(_ name: String) -> Int? {
      let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
      let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
      return kibibytes.flatMap { Int($0) }.map { $0 << 10 }
    }
    guard let peak = bytes("VmHWM:"), let code = bytes("RssFile:") else { return nil }
    return peak - code
  }

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

  @Test("200 MB of CSV and 40 MB of the others from a pipe take less than 64 MiB", arguments: commands)
  func peak(_ arguments: [String]) throws {
    let directory = try TestDirectory()
    let (reading, writing) = try makePipe()
    let child = try directory.start(arguments, input: reading.number)
    reading.close()
    let block = block()
    let total = arguments == ["export", "-"] ? 200_000_000 : 40_000_000
    var written = 0
    while written < total {
      #expect(try writing.write(block))
      written += block.count
    }
    #if os(Linux)
      let peak = try #require(peakMemory(of: child))
      #expect(peak < Self.limit, "\(arguments): \(peak) bytes")
    #endif
    writing.close()
    #expect(try child.wait() == .exit(0))
  }

  @Test("a million registrations from a pipe take less than 96 MiB, 32 of them SQLite's")
  func importMemory() throws {
    let directory = try TestDirectory()
    let (reading, writing) = try makePipe()
    let child = try directory.start(
      ["store", "import", "-", "--store", "sqlite:tokens.sqlite", "--create"], input: reading.number)
    reading.close()
    try writing.write(Array("note,token,registered_at\n".utf8))
    let rest = hex(token(1)).dropFirst(8)
    for thousand in 0..<1000 {
      let lines = (0..<1000).map { line in
        let number = String(thousand * 1000 + line)
        return
          "\"a \"\"b\"\"\",\(String(repeating: "0", count: 8 - number.count))\(number)\(rest),1400000000\n"
      }
      #expect(try writing.write(Array(lines.joined().utf8)))
    }
    #if os(Linux)
      let peak = try #require(peakMemory(of: child))
      #expect(peak < 96 << 20, "\(peak) bytes")
    #endif
    writing.close()
    #expect(try child.wait() == .exit(0))
    #expect(try directory.sqlite("tokens.sqlite", "SELECT count(*) FROM device_tokens") == "1000000")
  }

  @Test("100,000 empty members of an archive with a path of 3.5 KB take less than 100 MiB")
  func emptyMembers() throws {
    let measured = try TestDirectory().shell(
      """
      python3 - <<'END'
      import os, resource, subprocess, zipfile
      folder = "/".join(["d" * 250] * 14)
      os.makedirs(folder)
      with zipfile.ZipFile(folder + "/a.zip", "w") as archive:
          for member in range(100_000): archive.writestr(str(member), b"")
      subprocess.run([os.environ["APNSIFT"], "export", "--quiet", folder, "-o", "out.csv"], check=True)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      END
      """)
    let kibibytes = try #require(measured.lines.first.flatMap { Int($0) }, "\(measured.errors)")
    #expect(kibibytes < 100 << 10)
  }

  @Test("an endless pipe ends with its reader")
  func endless() throws {
    let directory = try TestDirectory()
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
    let directory = try TestDirectory()
    // 60,000 distinct tokens of 40 bytes and more do not fit into 1 MiB; a third of them comes again, later.
    try directory.write(feedback(tuples(60_000) + tuples(20_000, at: 1_500_000_000)), to: "dump.bin")
    var answers: [[UInt8]] = []
    var stores: [String] = []
    for memory in ["1GiB", "1MiB"] {
      let exported = try directory.apnsift(
        "export", "dump.bin", "-t", "ndjson", "--records", "streams", "--distinct", "--memory", memory)
      let summary = try #require(try Evidence.lines(exported.text).last)
      #expect(summary["distinct_tokens"] as? Int == 60_000)
      let store = "\(memory).sqlite"
      let replayed = try directory.apnsift(
        "replay", "dump.bin", "--memory", memory, "--store", "sqlite:\(store)", "--create", "--no-journal")
      #expect(replayed.code == 0)
      answers.append(replayed.output)
      stores.append(try directory.sqlite(store, ".sha3sum"))
    }
    #expect(answers[0] == answers[1])
    #expect(stores[0] == stores[1])
    #expect(
      try directory.sqlite(
        "1MiB.sqlite", "SELECT count(*) FROM device_tokens WHERE invalidated_at >= 1500000000") == "20000")
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("a directory for temporary files that is missing is named, with the remedy")
  func missingTemporaryDirectory() throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(60_000)), to: "dump.bin")
    try directory.makeStore()
    let outcome = try directory.apnsift(
      ["replay", "dump.bin", "--memory", "1MiB", "--store", "sqlite:tokens.sqlite"],
      environment: ["TMPDIR": "/missing"])
    #expect(outcome.code == 2)
    #expect(outcome.said(.noTemporaryFile(in: "/missing", error: SystemError.text(ENOENT))))
    #expect(try directory.storedTokens().isEmpty)
  }
}
