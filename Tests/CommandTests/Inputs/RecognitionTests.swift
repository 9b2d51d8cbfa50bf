import Basics
import CommandTestSupport
import Testing

/// One dump in all its forms gives the same records.
@Suite("Recognition")
struct RecognitionTests {
  /// Text forms of a dump, made by the tools that people use.
  static let forms: [(from: String, tool: [String])] = [
    ("raw", ["cat"]), ("hex", ["xxd", "-p"]), ("hex", ["xxd"]), ("hex", ["hexdump", "-C"]),
    ("base64", ["base64"]),
  ]

  /// Records enough for several lines of each form, an odd length and a cut end among them.
  private static let dump = feedback(
    tuples(20) + [Tuple(1_400_009_000, token(77, length: 54))] + tuples(20, from: 40)
  ).dropLast(7)
  private let directory = TestDirectory(["dump.bin": Self.dump])

  /// The rows without the name of the input.
  private func export(_ words: String..., input: StandardInput = .nothing) throws -> [[String]] {
    try directory.apnsift(["export"] + words, input: input).rows.map { Array($0.dropFirst()) }
  }

  @Test("by content, and by --from", arguments: forms)
  func everyForm(_ from: String, _ tool: [String]) throws {
    let expected = try export("dump.bin")
    #expect(expected.count == 40)
    let text = try directory.tool(tool[0], tool.dropFirst() + ["dump.bin"])
    // A name that says something else is not looked at.
    try directory.write(text, to: "texts/dump.pcap")
    for input in ["texts/dump.pcap", "texts"] { #expect(try export(input) == expected) }
    #expect(try export("-", input: .bytes(text)) == expected)
    #expect(try export("-", input: .file("texts/dump.pcap")) == expected)
    #expect(try export("--from", from, "texts/dump.pcap") == expected)
    let inspected = try directory.apnsift("inspect", "texts/dump.pcap")
    #expect(inspected.text.contains("  \(from), \(text.count) bytes"))
  }

  /// The size of the chunks that are written; 0 for random ones.
  @Test("the chunks of a pipe do not matter", arguments: [1, 37, 38, 39, 0])
  func chunks(_ size: Int) throws {
    var generator = FixedGenerator(seed: 7)
    var bytes = feedback(tuples(400))
    for _ in 0..<40 { bytes.remove(at: Int.random(in: 0..<bytes.count, using: &generator)) }
    try directory.write(bytes, to: "dump.bin")
    let expected = try directory.apnsift("export", "-t", "ndjson", "-", input: .file("dump.bin")).output
    let (reading, writing) = try makePipe()
    let child = try directory.start(
      ["export", "-t", "ndjson", "-"], input: reading.number, output: "out.ndjson")
    reading.close()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = size > 0 ? size : Int.random(in: 1...200, using: &generator)
      try writing.write(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    writing.close()
    #expect(try child.wait() == .exit(0))
    #expect(try directory.bytes(of: "out.ndjson") == expected)
  }
}
