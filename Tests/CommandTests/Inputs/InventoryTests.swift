import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing
import Wording

/// A directory with files of each verdict.
private struct EvidenceFolder {
  let directory = TestDirectory()
  /// The rows of its inventory: name, kind, verdict, format, records; in the order of the walk.
  static let expected = [
    ["ev/broken", "link", "not-a-file", "", "0"],
    ["ev/loop", "link", "not-a-file", "", "0"],
    ["ev/pipe", "pipe", "not-a-file", "", "0"],
    ["ev/copy.bin", "file", "decoded", "raw", "3"],
    ["ev/cut.gz", "file", "partial", "raw", "1"],
    ["ev/dump.bin", "file", "decoded", "raw", "3"],
    ["ev/empty", "file", "empty", "raw", "0"],
    ["ev/link.bin", "link", "decoded", "raw", "3"],
    ["ev/noise.dat", "file", "skipped", "", "0"],
    ["ev/store.sqlite", "file", "skipped", "", "0"],
    ["missing.bin", "", "unreadable", "", "0"],
  ]

  init() throws {
    let dump = feedback(tuples(3))
    try directory.write(dump, to: "ev/dump.bin")
    try directory.write(dump, to: "ev/copy.bin")
    try directory.write([], to: "ev/empty")
    // No byte order of it is a tuple, text or a known file.
    try directory.write((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7 | 0x80) }, to: "ev/noise.dat")
    try directory.write(Array("SQLite format 3\0".utf8) + [1, 2, 3], to: "ev/store.sqlite")
    // Of random tokens, so that some tuples are before the cut.
    let packed = try directory.tool("gzip", ["-c", Repository.path(of: "samples/lost-byte.bin")])
    try directory.write(packed.prefix(400), to: "ev/cut.gz")
    try directory.makeLink("ev/link.bin", to: "dump.bin")
    try directory.makeLink("ev/broken", to: "nowhere")
    try directory.makeLink("ev/loop", to: "../ev")
    try directory.makePipe("ev/pipe")
  }

}

@Suite("The inventory of inputs")
struct InventoryTests {
  private let folder: EvidenceFolder
  private var directory: TestDirectory { folder.directory }

  init() throws { folder = try EvidenceFolder() }

  @Test("every file has a row, whatever became of it")
  func rows() throws {
    let outcome = try directory.apnsift(
      "export", "ev", "missing.bin", "--records", "inputs", "--columns", "source,kind,verdict,format,records"
    ).exits(2)
    let rows = parseCSV(outcome.text)
    #expect(rows.first == ["source", "kind", "verdict", "format", "records"])
    #expect(
      rows.dropFirst().map { $0.count == 5 && $0[0] == "ev/cut.gz" ? Array($0[..<4]) + ["1"] : $0 }
        == EvidenceFolder.expected)
    #expect(outcome.said(.exported(files: 11, inputs: 5)))
  }

  @Test("sizes, times and digests are those of stat, sha256sum and md5sum, also of files that are skipped")
  func metadata() throws {
    _ = try directory.tool("touch", ["-d", "2013-05-01T09:30:00.123456789Z", "ev/noise.dat"])
    let outcome = try directory.apnsift(
      "export", "ev", "--records", "inputs", "--md5", "--columns", "source,size,sha256,md5,modified_at")
    for row in parseCSV(outcome.text).dropFirst() {
      guard !row[2].isEmpty else {
        #expect(["ev/broken", "ev/loop", "ev/pipe"].contains(row[0]) && row[1].isEmpty && row[3].isEmpty)
        continue
      }
      let size = try directory.tool("stat", ["-L", "-c", "%s", row[0]])
      #expect("\(row[1])\n" == String(decoding: size, as: UTF8.self))
      #expect(row[2] == (try directory.digest(row[0])))
      #expect(row[3] == (try directory.digest(row[0], by: "md5sum")))
    }
    #expect(outcome.text.contains("ev/noise.dat,70000,"))
    #expect(outcome.text.contains(",2013-05-01T09:30:00.123456789Z\n"))
  }

  @Test("JSON and NDJSON have the rows of CSV, and only if they are named")
  func json() throws {
    let names = EvidenceFolder.expected.map { $0[0] }
    let lines = try Evidence.lines(
      try directory.apnsift("export", "ev", "missing.bin", "--records", "inputs", "-t", "ndjson").text)
    let rows = lines.filter { $0["type"] as? String == "input" }
    #expect(rows.compactMap { $0["source"] as? String } == names)
    #expect(rows.compactMap { $0["verdict"] as? String } == EvidenceFolder.expected.map { $0[2] })
    let copy = try #require(rows.first { $0["source"] as? String == "ev/dump.bin" })
    #expect(copy["same_as"] as? String == "ev/copy.bin" && copy["md5"] is Null)
    let store = try #require(rows.first { $0["source"] as? String == "ev/store.sqlite" })
    #expect(store["content"] as? String == Message.sqliteDatabase.text)
    let document = try Evidence.object(
      try directory.apnsift("export", "ev", "missing.bin", "--records", "inputs", "-t", "json").text)
    let records = try #require(document["records"] as? [Evidence.Object])
    #expect(Evidence.same(records, rows))
    let plain = try directory.apnsift("export", "ev", "-t", "ndjson").text
    #expect(!plain.contains(#"{"type":"input""#))
  }

  @Test("records of several files that form one stream are of no file")
  func shared() throws {
    let outcome = try directory.apnsift(
      "export", "--requests", "ev/dump.bin", "--responses", "ev/empty", "--records", "inputs", "--columns",
      "source,verdict,records")
    #expect(
      parseCSV(outcome.text).dropFirst() == [["ev/dump.bin", "decoded", ""], ["ev/empty", "empty", ""]])
  }

  @Test("an input from a pipe has what was read of it")
  func pipe() throws {
    let bytes = feedback(tuples(3))
    let outcome = try directory.apnsift(
      "export", "-", "--records", "inputs", "--columns", "source,kind,size,sha256,records,verdict",
      input: .bytes(bytes))
    let row = ["-", "pipe", "\(bytes.count)", try directory.digest("ev/dump.bin"), "3", "decoded"]
    #expect(parseCSV(outcome.text).dropFirst() == [row])
  }

  #if os(Linux)
    @Test("a file that cannot be read in full has no digest")
    func readError() throws {
      // Reading the unmapped first page of memory fails.
      let outcome = try directory.apnsift(
        "export", "/proc/self/mem", "--records", "inputs", "--columns", "source,verdict,sha256"
      ).exits(2)
      #expect(parseCSV(outcome.text).dropFirst() == [["/proc/self/mem", "unreadable", ""]])
    }
  #endif

  @Test(
    "a directory that cannot be listed, and a file that cannot be opened",
    .enabled(if: Unprivileged.isPossible))
  func unreadable() throws {
    _ = try directory.tool("chmod", ["-R", "a+rX", "."])
    try directory.write([1], to: "ev/sub/secret")
    _ = try directory.tool("chmod", ["0", "ev/dump.bin", "ev/sub"])
    let outcome = try directory.shell(
      "\(Unprivileged.prefix) \"$APNSIFT\" export ev --records inputs --columns source,kind,verdict,reason | grep unreadable"
    )
    #expect(
      parseCSV(outcome.text).map { Array($0[..<3]) } == [
        ["ev/sub", "directory", "unreadable"], ["ev/dump.bin", "file", "unreadable"],
        ["ev/link.bin", "link", "unreadable"],
      ])
    #expect(outcome.text.split(separator: "\n").allSatisfy { $0.contains("Permission denied") })
    _ = try directory.tool("chmod", ["u+rwx", "ev/sub"])
  }
}

@Suite("Documents of the inventory for other tools")
struct InventoryDocumentTests {
  private let folder: EvidenceFolder
  private var directory: TestDirectory { folder.directory }

  init() throws { folder = try EvidenceFolder() }

  static let names: [[UInt8]] =
    [
      "back\\slash", "line\nend", "carriage\r", "\u{202e}nib", "a & <b> \"c\"", " blank ", "-n", "\\\n\r\\n",
    ].map { Array($0.utf8) } + [[0x61, 0xff, 0xc3], [0xed, 0xa0, 0x80]]

  @Test("sha256sum verifies --checksums, also of unusual names")
  func checksums() throws {
    for (index, name) in Self.names.enumerated() {
      try directory.write(feedback(tuples(index + 1)), to: "new")
      let path = Array("ev/".utf8) + name
      try directory.run("/bin/mv", [Array("new".utf8), path]).exits(0)
    }
    try directory.apnsift("export", "ev", "-o", "all.csv", "--checksums", "sums").exits(2)
    let verified = try directory.shell("sha256sum -c --strict sums && wc -l <sums").exits(0)
    // Seven of the folder have bytes that can be read.
    #expect(verified.lines.last == "\(7 + Self.names.count)")
  }

  @Test("pipes are left out of --checksums, with a message")
  func pipes() throws {
    let outcome = try directory.apnsift(
      "export", "-", "ev/dump.bin", "-o", "all.csv", "--checksums", "sums", input: .bytes(feedback(tuples(1)))
    )
    #expect(outcome.errors.contains("1 input left out of --checksums"), "\(outcome.errors)")
    #expect(try directory.text(of: "sums") == "\(try directory.digest("ev/dump.bin"))  ev/dump.bin\n")
  }

  /// The texts of the elements `name`, by libxml2.
  private func texts(_ name: String) throws -> [String] {
    let path = "//*[local-name()='\(name)']/text()"
    return String(decoding: try directory.tool("xmllint", ["--xpath", path, "evidence.xml"]), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  @Test("--dfxml is valid by the schema, and has files, digests and the run")
  func dfxml() throws {
    try directory.write([1, 2, 3], to: "ev/\u{1}\\<&>.bin")
    try directory.apnsift("export", "ev", "-o", "all.csv", "--md5", "--dfxml", "evidence.xml").exits(2)
    _ = try directory.tool(
      "xmllint",
      [
        "--nonet", "--noout", "--schema", Repository.path(of: "Tests/Fixtures/dfxml/dfxml.xsd"),
        "evidence.xml",
      ])
    #expect(
      try texts("filename").sorted()
        == (EvidenceFolder.expected.dropLast().map { $0[0] } + ["ev/\\x01\\x5C&lt;&amp;&gt;.bin"]).sorted())
    let digests = try texts("hashdigest")
    #expect(digests.contains(try directory.digest("ev/noise.dat")))
    #expect(digests.contains(try directory.digest("ev/noise.dat", by: "md5sum")))
    #expect(try texts("command_line") == ["\(Command.path) export ev -o all.csv --md5 --dfxml evidence.xml"])
    let host = String(decoding: try directory.tool("uname", ["-n"]), as: UTF8.self)
    #expect(try texts("host").map { $0 + "\n" } == [host])
    let program = try directory.tool(
      "xmllint",
      ["--xpath", "string(//*[local-name()='creator']/@*[local-name()='program_sha256'])", "evidence.xml"])
    #expect(String(decoding: program.prefix(64), as: UTF8.self) == (try directory.digest(Command.path)))
  }

  @Test("--dfxml has carved tuples that touch as one run of bytes, whatever their flags")
  func carved() throws {
    let (first, second) = (feedback(tuples(40)), feedback(tuples(3, from: 40)))
    let gap = [UInt8](repeating: 0, count: 9999)
    try directory.write(gap + first + gap + second + gap, to: "disk.img")
    #expect(try directory.apnsift("carve", "disk.img", "-o", "x.csv", "--dfxml", "x.xml").code == 0)
    let runs = try directory.text(of: "x.xml").matches(of: /img_offset="(\d+)" len="(\d+)"/)
    let bytes = runs.map { [Int($0.1), Int($0.2)] }
    #expect(bytes == [[9999, first.count], [19998 + first.count, second.count]])
  }

  /// Commands with outputs, and the names of these.
  static let commands: [(arguments: [String], outputs: [String])] = [
    (
      [
        "export", "-o", "all.ndjson", "--findings", "findings.csv", "--checksums", "sums", "--dfxml",
        "ev.xml",
      ],
      ["all.ndjson", "findings.csv", "sums", "ev.xml"]
    ),
    (
      ["export", "-t", "raw", "-o", "raw"],
      ["raw/streams.json", "raw/1-stream-0-a.raw"]
    ),
    (["report", "-o", "report.html"], ["report.html"]),
  ]

  @Test("sha256sum verifies inputs and outputs of --manifest", arguments: commands.map(\.arguments))
  func manifest(_ arguments: [String]) throws {
    let outputs = try #require(Self.commands.first { $0.arguments == arguments }).outputs
    try directory.apnsift(arguments + ["ev", "--manifest", "manifest"]).exits(2)
    let verified = try directory.shell("sha256sum -c --strict manifest").exits(0)
    for output in outputs { #expect(verified.lines.contains("\(output): OK")) }
    #expect(verified.lines.contains("ev/noise.dat: OK"))
    let text = try directory.text(of: "manifest")
    #expect(text.contains("# program SHA-256: \(try directory.digest(Command.path))\n"))
    #expect(
      text.contains(
        "\n# command: \(Command.path) \(arguments.joined(separator: " ")) ev --manifest manifest\n"))
    #expect(text.contains("\n# not-a-file: ev/pipe\n"))
    // A changed output is found.
    try directory.write([0], to: outputs[0])
    #expect(try directory.shell("sha256sum -c --quiet manifest").code == 1)
  }

  @Test("outputs that cannot be listed or are one file are refused")
  func refused() throws {
    let noFile = try directory.apnsift("export", "ev", "--manifest", "manifest")
    #expect(noFile.code == 64 && noFile.errors.contains("--manifest"))
    let same = try directory.apnsift("export", "ev", "-o", "a.csv", "--checksums", "x", "--dfxml", "./x")
    #expect(same.code == 64 && same.said("--checksums and --dfxml name the same file"))
    let input = try directory.apnsift("export", "ev", "-o", "a.csv", "--checksums", "ev/dump.bin", "--force")
    #expect(input.code == 2 && input.said(.outputIsRead("ev/dump.bin", ReadFiles.input)))
    #expect(!directory.exists("a.csv") && !directory.exists("manifest") && !directory.exists("x"))
  }
}

@Suite("Lists of known files")
struct KnownFileTests {
  private let directory = TestDirectory()
  private let list = "known"

  init() throws {
    for index in 0..<4 { try directory.write(feedback(tuples(index + 1)), to: "ev/\(index).bin") }
  }

  private func verdicts(_ arguments: String...) throws -> [String] {
    let outcome = try directory.apnsift(
      ["export", "ev", "--records", "inputs", "--columns", "verdict"] + arguments
    ).exits(0)
    return Array(outcome.lines.dropFirst())
  }

  @Test("the forms of lists", arguments: ["md5sum", "sha1sum", "sha256sum"])
  func forms(_ tool: String) throws {
    let expected = ["decoded", "known", "decoded", "known"]
    try directory.shell("\(tool) ev/1.bin ev/3.bin >known").exits(0)
    #expect(try verdicts("--known-hashes", list) == expected)
    try directory.shell("\(tool) --tag ev/1.bin ev/3.bin >known").exits(0)
    #expect(try verdicts("--known-hashes", list) == expected)
    let bare =
      try directory.digest("ev/1.bin", by: tool).uppercased() + "\r\n"
      + directory.digest("ev/3.bin", by: tool)
    try directory.write(bare, to: list)
    #expect(try verdicts("--known-hashes", list) == expected)
  }

  @Test("tables of NSRL and hashdeep")
  func tables() throws {
    let sha1 = try directory.digest("ev/1.bin", by: "sha1sum").uppercased()
    let md5 = try directory.digest("ev/1.bin", by: "md5sum").uppercased()
    let sha256 = try directory.digest("ev/1.bin")
    let expected = ["decoded", "known", "decoded", "decoded"]
    for table in [
      // RDS 2, as NSRLFile.txt has it.
      """
      "SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode"
      "\(sha1)","\(md5)","00000000","a, ""b"".bin",76,1,"358",""
      """,
      // The columns of RDS 3.
      """
      sha256,sha1,md5,crc32,file_name,file_size,package_id
      \(sha256),\(sha1),\(md5),00000000,a.bin,76,1
      """,
      """
      %%%% HASHDEEP-1.0
      %%%% size,md5,sha256,filename
      ## Invoked from: /
      ##
      76,\(md5.lowercased()),\(sha256),/a.bin
      """,
    ] {
      try directory.write(table, to: list)
      #expect(try verdicts("--known-hashes", list) == expected, "\(table)")
    }
  }

  @Test("known files are left out of everything, and counted")
  func leftOut() throws {
    try directory.write("\(try directory.digest("ev/3.bin", by: "md5sum"))\nno hash\n", to: "one")
    try directory.write("\(try directory.digest("ev/1.bin", by: "sha1sum"))\n", to: "two")
    let outcome = try directory.apnsift("export", "ev", "--known-hashes", "one", "--known-hashes", "two")
      .exits(0, saying: .about("one", "line 2 has no hash and is ignored"))
    #expect(outcome.said("left out 2 known files (--known-hashes)"))
    #expect(Set(parseCSV(outcome.text).dropFirst().map { $0[0] }) == ["ev/0.bin", "ev/2.bin"])
    let rows = try directory.apnsift(
      "export", "ev", "--known-hashes", "two", "--records", "inputs", "--columns",
      "source,sha256,verdict,records")
    #expect(
      rows.text.contains("ev/1.bin,\(try directory.digest("ev/1.bin")),known,0\n"), "\(rows.text)")
  }

  @Test("in a joined capture, a known first file is left out")
  func joined() throws {
    let capture = Repository.path(of: "samples/captures/session.pcap")
    let other = Repository.path(of: "samples/captures/disordered.pcap")
    try directory.write("\(try directory.digest(capture))\n", to: list)
    let joined = try directory.apnsift("export", "--join", capture, other, "--known-hashes", list)
    let alone = try directory.apnsift("export", "--join", other)
    #expect(joined.code == 0 && joined.text == alone.text, "\(joined.errors)")
  }

  @Test("what can be read only once is read, with a message")
  func pipes() throws {
    try directory.write("\(try directory.digest("ev/0.bin"))\n", to: list)
    let outcome = try directory.apnsift(
      "export", "-", "--known-hashes", list, input: .bytes(feedback(tuples(1))))
    #expect(outcome.said(.about("-", "can be read only once, so it is not compared with --known-hashes")))
    #expect(outcome.lines.count == 2)
  }

  @Test("lists that cannot be used")
  func errors() throws {
    try directory.write("nothing\n", to: "none")
    for name in ["none", "missing"] {
      let outcome = try directory.apnsift("export", "ev", "--known-hashes", name)
      #expect(outcome.code == 2 && outcome.errors.contains("\(name): "), "\(outcome.errors)")
    }
    // 1 MiB has room for 32768 digests of 32 bytes.
    let line = String(repeating: "0a", count: 32) + "\n"
    try directory.write(String(repeating: line, count: 32769), to: list)
    let large = try directory.apnsift("export", "ev", "--known-hashes", list, "--memory", "1MiB")
    #expect(
      large.code == 2
        && large.said(
          .about(
            list,
            "the lists of known files need more than 1.0 MiB of memory: raise --memory, or give a smaller list"
          )
        ))
    try directory.write(String(repeating: line, count: 32768), to: list)
    try directory.apnsift("export", "ev", "--known-hashes", list, "--memory", "1MiB").exits(0)
    let pair = try directory.apnsift(
      "export", "--requests", "a", "--responses", "b", "--known-hashes", list)
    #expect(pair.code == 64 && pair.errors.contains("--known-hashes"))
  }
}
