import Basics
import CommandTestSupport
import Testing
import Wording

/// Compressed inputs are looked through.
@Suite("Compressed inputs")
struct CompressionTests {
  static let tools = ["gzip", "zstd", "lz4"]

  @Test("raw and text give the records of the dump itself", arguments: tools)
  func records(_ tool: String) throws {
    let directory = try TestDirectory()
    let dump = feedback(tuples(40))
    try directory.write(dump, to: "dump.bin")
    let columns = ["--columns", "offset,time,token,flags"]
    let expected = try directory.apnsift(["export", "dump.bin"] + columns).text
    for (from, text) in [("raw", dump), ("hex", try directory.tool("xxd", ["dump.bin"]))] {
      let packed = try directory.tool(tool, ["-c"], input: .bytes(text))
      try directory.write(packed, to: "packed/any.name")
      for arguments in [["packed/any.name"], ["packed"], ["--from", from, "packed/any.name"]] {
        let outcome = try directory.apnsift(["export"] + arguments + columns)
        #expect(outcome.code == 0 && outcome.text == expected, "\(outcome.errors)")
      }
      let piped = try directory.apnsift(["export", "-"] + columns, input: .bytes(packed))
      #expect(piped.text == expected)
      let inspected = try directory.apnsift("inspect", "packed/any.name").text
      #expect(inspected.contains("\n  \(from), \(tool)-compressed, \(packed.count) bytes"))
      let digest = String(
        decoding: try directory.tool("openssl", ["dgst", "-sha256", "-r", "packed/any.name"]).prefix(64),
        as: UTF8.self)
      #expect(inspected.contains("SHA-256 \(digest)\n"))
    }
  }

  @Test("one compression inside another is named, and not read in a directory either")
  func nested() throws {
    let directory = try TestDirectory()
    let inner = try directory.tool("gzip", ["-c"], input: .bytes(feedback(tuples(3))))
    try directory.write(try directory.tool("zstd", ["-c"], input: .bytes(inner)), to: "dumps/twice")
    try directory.write(feedback(tuples(3)), to: "dumps/good.bin")
    let named = try directory.apnsift("export", "dumps/twice")
    #expect(named.code == 2)
    let problem = Message.compressedTwice("gzip", inside: "zstd")
    #expect(named.said(.about("dumps/twice", problem)))
    let walked = try directory.apnsift("export", "dumps")
    #expect(walked.code == 2 && walked.said(.about("dumps/twice", problem)))
    #expect(walked.lines.count == 4, "the other input is processed")
  }

  @Test("a compressed file of nothing is empty")
  func empty() throws {
    let directory = try TestDirectory()
    try directory.write(try directory.tool("gzip", ["-c"]), to: "empty.gz")
    let outcome = try directory.apnsift("export", "empty.gz")
    #expect(outcome.code == 0 && outcome.messages.contains(Message.about("empty.gz", .empty).text))
  }

  @Test("1 GiB of zeros takes less than 64 MiB", arguments: tools)
  func bomb(_ tool: String) throws {
    let directory = try TestDirectory()
    let made = try directory.shell("head -c 1073741824 /dev/zero | \(tool) -c >bomb")
    try #require(made.code == 0, "\(made.errors)")
    let line =
      "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); "
      + "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    let output = try directory.tool(
      "python3", ["-c", line, Command.path, "inspect", "--no-distinct", "--no-hash", "bomb"])
    let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
      Int($0)
    }
    try #require(numbers.count == 2)
    #expect(numbers[0] == 0)
    #if os(Linux)
      #expect(numbers[1] << 10 < 64 << 20, "\(numbers[1]) KiB")
    #endif
  }
}
