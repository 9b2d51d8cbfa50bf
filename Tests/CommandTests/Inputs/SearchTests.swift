import Basics
import CommandTestSupport
import Testing
import Wording

/// `search`: expected offsets are those at which the tests put tokens.
@Suite("Search")
struct SearchTests {
  private let directory = TestDirectory()
  private let stored = "searched as it is stored; compressed, encrypted or otherwise encoded content was not"
  private let first = token(1)
  private let second = token(2)

  init() throws {
    try directory.write("%PDF-1.7\n" + hex(first).uppercased() + "\n", to: "in/unknown.pdf")
    let disk = [UInt8](repeating: 0xee, count: 5000) + second + [UInt8](repeating: 0, count: 88)
    try directory.write(disk, to: "in/sub/disk.raw")
  }

  /// Rows without the header: token, match, form, source, compression, offset, length.
  private func rows(_ arguments: String..., code: Int32 = 0) throws -> [[String]] {
    let outcome = try directory.apnsift(["search"] + arguments).exits(code)
    let rows = parseCSV(outcome.text)
    #expect(rows.first == ["token", "match", "form", "source", "compression", "offset", "length"])
    return Array(rows.dropFirst())
  }

  @Test("files of any kind, and a directory")
  func files() throws {
    let expected = [
      [hex(second), "token", "bytes", "in/sub/disk.raw", "", "5000", "32"],
      [hex(first), "token", "hex", "in/unknown.pdf", "", "9", "64"],
    ]
    #expect(try rows(hex(first), hex(second), "in") == expected)
    try directory.write("# of the request\n\(hex(second))\n\n \(hex(first)) # both\r\n", to: "list")
    #expect(try rows("--tokens", "list", "in") == expected)
    try directory.write("in\n", to: "names")
    #expect(try rows(hex(first), hex(second), "--files-from", "names") == expected)
  }

  @Test("a prefix, of a whole byte or not", arguments: [8, 9, 31])
  func prefixes(_ count: Int) throws {
    let prefix = String(hex(second).prefix(count))
    let row = [prefix, "prefix", "bytes", "in/sub/disk.raw", "", "5000", "\((count + 1) / 2)"]
    #expect(try rows(prefix, "in") == [row])
  }

  @Test("a description as an argument, and base64 in a log")
  func forms() throws {
    let digits = hex(first)
    let groups = (0..<8).map { digits.dropFirst(8 * $0).prefix(8) }.joined(separator: " ")
    let base64 = try directory.shell("xxd -r -p | base64 -w 0", input: .bytes(Array(digits.utf8))).text
    try directory.write("token=\(base64)\n<\(groups)>\n", to: "app.log")
    let expected = [
      [digits, "token", "base64", "app.log", "", "6", "43"],
      [digits, "token", "description", "app.log", "", "52", "71"],
    ]
    for word in [digits, digits.uppercased(), "<\(groups)>", base64] {
      #expect(try rows(word, "app.log") == expected, "\(word)")
    }
  }

  @Test("archives, compressed files and standard input, as they are stored and as they are read")
  func packed() throws {
    _ = try directory.shell(
      "tar -cf in.tar in && gzip -nk in.tar && gzip -nk in/unknown.pdf && python3 -m zipfile -c in.zip in/sub && "
        + "7z a -tzip outer.zip in.tar.gz >log")
    func sources(_ input: String, _ word: String) throws -> [[String]] {
      try rows(word, input).map { [$0[3], $0[4], $0[5]] }
    }
    #expect(try sources("in/unknown.pdf.gz", hex(first)) == [["in/unknown.pdf.gz", "gzip", "9"]])
    #expect(try sources("in.tar.gz", hex(first)) == [["in.tar.gz!in/unknown.pdf", "", "9"]])
    #expect(try sources("in.zip", hex(second)) == [["in.zip!sub/disk.raw", "", "5000"]])
    let inner = "outer.zip!in.tar.gz!in/unknown.pdf"
    #expect(try sources("outer.zip", hex(first)) == [[inner, "", "9"]])
    #expect(try sources(inner, hex(first)) == [[inner, "", "9"]])
    // A tar has its files as they are: the token is there twice.
    let stored = try sources("in.tar", hex(first))
    #expect(Set(stored.map { $0[0] }) == ["in.tar", "in.tar!in/unknown.pdf"] && stored.count == 2)
    let piped = try directory.shell("cat in.tar.gz | \"$APNSIFT\" search \(hex(first)) - | tail -n 1")
    #expect(piped.text == "\(hex(first)),token,hex,-!in/unknown.pdf,,9,64\n")
    try directory.apnsift("search", hex(first), "in.zip!none").exits(2, saying: .noMember("in.zip!none"))
  }

  @Test("an E01 image, and text in UTF-16")
  func images() throws {
    let made = try directory.shell(
      "ewfacquire -u -t disk -f encase6 -c best in/sub/disk.raw >log 2>&1; "
        + "{ printf 'a line: '; cat in/unknown.pdf; } | iconv -t UTF-16 >wide.txt")
    #expect(made.code == 0)
    #expect(try rows(hex(second), "disk.E01").map { [$0[4], $0[5]] } == [["ewf", "5000"]])
    #expect(try rows(hex(first), "wide.txt").map { [$0[4], $0[5]] } == [["utf-16", "17"]])
  }

  @Test("bytes after the end of what can be decompressed, and a file that only looks compressed")
  func damaged() throws {
    _ = try directory.shell("gzip -c in/unknown.pdf | head -c 60 >cut.gz; cat in/sub/disk.raw >>cut.gz")
    try directory.write([0x1f, 0x8b, 8, 0] + second, to: "false.gz")
    for name in ["cut.gz", "false.gz"] {
      let outcome = try directory.apnsift("search", hex(second), name)
        .exits(2, saying: "1 input not read in full, see above")
      #expect(outcome.lines.count == 2, "\(outcome.text)")
    }
  }

  @Test("files that may have compressed content, which is not searched, are named up to ten, and counted")
  func unsearched() throws {
    _ = try directory.shell(
      "xz --format=lzma -k in/unknown.pdf -c >a.lzma; for n in $(seq 11); do cp a.lzma $n.lzma; done; rm a.lzma"
    )
    let one = try directory.apnsift("search", hex(first), "1.lzma").exits(1)
    #expect(one.messages.first == "1.lzma: LZMA compressed data, streamed: \(stored)")
    #expect(one.messages.last?.hasSuffix("1 token not found; 1 file searched as stored only") == true)
    let many = try directory.apnsift("search", hex(second), ".").exits(0)
    #expect(many.messages.count { $0.hasSuffix(stored) } == 10)
    // The PDF, too.
    #expect(many.messages.last?.hasSuffix("; 12 files searched as stored only") == true)
  }

  @Test("exit codes and messages")
  func codes() throws {
    let none = try directory.apnsift("search", hex(token(3)), "in").exits(1)
    #expect(
      none.messages == [
        "in/unknown.pdf: PDF document, version 1.7: \(stored)", "not found: \(hex(token(3)))",
        "searched 2 files (5.07 KiB) for 1 token: 0 hits, 1 token not found; 1 file searched as stored only",
      ])
    let found = try directory.apnsift("search", hex(first), hex(token(3)), "in", "--quiet").exits(0)
    #expect(found.errors == "" && found.lines.count == 2)
    try directory.apnsift("search", hex(first), "in/unknown.pdf", "gone").exits(2)
    try directory.write("\(hex(first))\n740f4707\n  beef:1\n", to: "list")
    try directory.apnsift("search --tokens list in".words)
      .exits(2, saying: "list: line 3, column 7: expected a token")
    try directory.write("\n# nothing\n", to: "empty")
    try directory.apnsift("search --tokens empty in".words).exits(2)
  }

  @Test("a list that needs more memory than it may have")
  func memory() throws {
    try directory.write((0..<3000).map { hex(token($0)) + "\n" }.joined(), to: "list")
    #expect(try rows("--tokens", "list", "in").count == 2)
    try directory.apnsift("search --tokens list in --memory 1MiB".words)
      .exits(2, saying: "more than 1.0 MiB of memory: raise --memory")
  }

  @Test("a file with the name of a token, and formats by the name of the output")
  func outputs() throws {
    try directory.write(first, to: "deadbeef")
    #expect(try rows(hex(first), "./deadbeef").map { $0[3] } == ["./deadbeef"])
    try directory.write(hex(first), to: "list")
    #expect(try rows("--tokens", "list", "deadbeef").map { $0[3] } == ["deadbeef"])
    let search = ["search", hex(first), "in", "-o"]
    try directory.apnsift(search + ["a.ndjson"]).exits(0)
    #expect(
      try directory.text(of: "a.ndjson")
        == #"{"token":"\#(hex(first))","match":"token","form":"hex","source":"in/unknown.pdf","#
        + #""compression":null,"offset":9,"length":64}"# + "\n")
    try directory.apnsift(search + ["in/unknown.pdf", "--force"]).exits(64)
    try directory.write(hex(first), to: "in/copy")
    try directory.apnsift(search + ["in/copy", "--force"]).exits(2, saying: "is one of the inputs")
  }
}
