import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// The rows of the inventory of `ev` and a missing input: name, kind, verdict, format, records; in the order of the walk.
private let evidence = [
  "ev/broken,link,not-a-file,,0", "ev/loop,link,not-a-file,,0", "ev/pipe,pipe,not-a-file,,0",
  "ev/copy.bin,file,decoded,raw,3", "ev/cut.gz,file,partial,raw,1", "ev/dump.bin,file,decoded,raw,3",
  "ev/empty,file,empty,raw,0", "ev/link.bin,link,decoded,raw,3", "ev/noise.dat,file,skipped,,0",
  "ev/store.sqlite,file,skipped,,0", "missing.bin,,unreadable,,0",
].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

extension TestDirectory {
  /// Makes `ev`, with files of each verdict.
  fileprivate func writeEvidence() throws {
    for name in ["dump.bin", "copy.bin"] { try write(feedback(tuples(3)), to: "ev/\(name)") }
    try write([], to: "ev/empty")
    // No byte order of it is a tuple, text or a known file.
    try write((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7 | 0x80) }, to: "ev/noise.dat")
    try write("SQLite format 3\0\u{1}\u{2}\u{3}", to: "ev/store.sqlite")
    // Of random tokens, so that some tuples are before the cut.
    let packed = try tool("gzip", ["-c", Repository.path(of: "samples/lost-byte.bin")])
    try write(packed.prefix(400), to: "ev/cut.gz")
    for (name, target) in [("link.bin", "dump.bin"), ("broken", "nowhere"), ("loop", "../ev")] {
      try makeLink("ev/\(name)", to: target)
    }
    try makePipe("ev/pipe")
  }
}

@Suite("The inventory of inputs")
struct InventoryTests {
  private let directory = TestDirectory()

  init() throws { try directory.writeEvidence() }

  private func inventory(
    _ columns: String, of inputs: String, code: Int32 = 0, input: StandardInput = .nothing
  )
    throws -> [[String]]
  {
    let words = "export --records inputs --columns \(columns) \(inputs)".words
    return try directory.apnsift(words, input: input).exits(code).rows
  }

  @Test("every file has a row, whatever became of it")
  func rows() throws {
    let outcome = try directory.apnsift(
      "export ev missing.bin --records inputs --columns source,kind,verdict,format,records".words
    ).exits(2, saying: .exported(files: 11, inputs: 5))
    #expect(outcome.lines.first == "source,kind,verdict,format,records")
    #expect(
      outcome.rows.map { $0.count == 5 && $0[0] == "ev/cut.gz" ? Array($0[..<4]) + ["1"] : $0 }
        == evidence)
  }

  @Test("sizes, times and digests are those of stat, sha256sum and md5sum, also of files that are skipped")
  func metadata() throws {
    _ = try directory.tool("touch", ["-d", "2013-05-01T09:30:00.123456789Z", "ev/noise.dat"])
    let rows = try inventory("source,size,sha256,md5,modified_at", of: "ev --md5", code: 2)
    for row in rows {
      guard !row[2].isEmpty else {
        #expect(["ev/broken", "ev/loop", "ev/pipe"].contains(row[0]) && row[1].isEmpty && row[3].isEmpty)
        continue
      }
      let size = try directory.tool("stat", ["-L", "-c", "%s", row[0]])
      #expect("\(row[1])\n" == String(decoding: size, as: UTF8.self))
      #expect(row[2] == (try directory.digest(row[0])))
      #expect(row[3] == (try directory.digest(row[0], by: "md5sum")))
    }
    let noise = try #require(rows.first { $0[0] == "ev/noise.dat" })
    #expect(noise[1] == "70000" && noise[4] == "2013-05-01T09:30:00.123456789Z")
  }

  @Test("JSON and NDJSON have the rows of CSV, and only if they are named")
  func json() throws {
    let rows = try directory.export("ev missing.bin --records inputs".words).objects("input")
    #expect(rows.map { $0["source"] as? String } == evidence.map { $0[0] })
    #expect(rows.map { $0["verdict"] as? String } == evidence.map { $0[2] })
    let copy = try #require(rows.first { $0["source"] as? String == "ev/dump.bin" })
    #expect(copy["same_as"] as? String == "ev/copy.bin" && copy["md5"] is Null)
    let store = try #require(rows.first { $0["source"] as? String == "ev/store.sqlite" })
    #expect(store["content"] as? String == Message.sqliteDatabase.text)
    let document = try Evidence.object(
      try directory.apnsift("export ev missing.bin --records inputs -t json".words).text)
    let records = try #require(document["records"] as? [Evidence.Object])
    #expect(Evidence.same(records, rows))
    #expect(try directory.export("ev").objects("input").isEmpty)
  }

  @Test("records of several files that form one stream are of no file")
  func shared() throws {
    let rows = try inventory("source,verdict,records", of: "--requests ev/dump.bin --responses ev/empty")
    #expect(rows == [["ev/dump.bin", "decoded", ""], ["ev/empty", "empty", ""]])
  }

  @Test("an input from a pipe has what was read of it")
  func pipe() throws {
    let bytes = feedback(tuples(3))
    let rows = try inventory("source,kind,size,sha256,records,verdict", of: "-", input: .bytes(bytes))
    #expect(rows == [["-", "pipe", "\(bytes.count)", try directory.digest("ev/dump.bin"), "3", "decoded"]])
  }

  #if os(Linux)
    @Test("a file that cannot be read in full has no digest")
    func readError() throws {
      // Reading the unmapped first page of memory fails.
      let rows = try inventory("source,verdict,sha256", of: "/proc/self/mem", code: 2)
      #expect(rows == [["/proc/self/mem", "unreadable", ""]])
    }
  #endif

  @Test(
    "a directory that cannot be listed, and a file that cannot be opened",
    .enabled(if: Unprivileged.isPossible))
  func unreadable() throws {
    _ = try directory.tool("chmod", ["-R", "a+rX", "."])
    try directory.write([1], to: "ev/sub/secret")
    _ = try directory.tool("chmod", ["0", "ev/dump.bin", "ev/sub"])
    let export = "\"$APNSIFT\" export ev --records inputs --columns source,kind,verdict,reason"
    let rows = try directory.shell(Unprivileged.prefix + export).rows.filter { $0[2] == "unreadable" }
    #expect(
      rows.map { Array($0[..<2]) } == [
        ["ev/sub", "directory"], ["ev/dump.bin", "file"], ["ev/link.bin", "link"],
      ])
    #expect(rows.allSatisfy { $0[3].contains("Permission denied") })
    _ = try directory.tool("chmod", ["u+rwx", "ev/sub"])
  }
}

@Suite("Documents of the inventory for other tools")
struct InventoryDocumentTests {
  private let directory = TestDirectory()

  init() throws { try directory.writeEvidence() }

  static let names: [[UInt8]] =
    [
      "back\\slash", "line\nend", "carriage\r", "\u{202e}nib", "a & <b> \"c\"", " blank ", "-n", "\\\n\r\\n",
    ].map { Array($0.utf8) } + [[0x61, 0xff, 0xc3], [0xed, 0xa0, 0x80]]

  @Test("sha256sum verifies --checksums, also of unusual names")
  func checksums() throws {
    for (index, name) in Self.names.enumerated() {
      try directory.write(feedback(tuples(index + 1)), to: "new")
      try directory.run("/bin/mv", [Array("new".utf8), Array("ev/".utf8) + name]).exits(0)
    }
    try directory.apnsift("export ev -o all.csv --checksums sums".words).exits(2)
    let verified = try directory.shell("sha256sum -c --strict sums && wc -l <sums").exits(0)
    // Seven of the folder have bytes that can be read.
    #expect(verified.lines.last == "\(7 + Self.names.count)")
  }

  @Test("pipes are left out of --checksums, with a message")
  func pipes() throws {
    let outcome = try directory.apnsift(
      "export - ev/dump.bin -o all.csv --checksums sums".words, input: .bytes(feedback(tuples(1))))
    #expect(outcome.said("1 input left out of --checksums"), "\(outcome.errors)")
    #expect(try directory.text(of: "sums") == "\(try directory.digest("ev/dump.bin"))  ev/dump.bin\n")
  }

  /// What XPath selects in `evidence.xml`, by libxml2.
  private func xpath(_ path: String) throws -> [String] {
    String(decoding: try directory.tool("xmllint", ["--xpath", path, "evidence.xml"]), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  private func texts(_ name: String) throws -> [String] { try xpath("//*[local-name()='\(name)']/text()") }

  @Test("--dfxml is valid by the schema, and has files, digests and the run")
  func dfxml() throws {
    try directory.write([1, 2, 3], to: "ev/\u{1}\\<&>.bin")
    try directory.apnsift("export ev -o all.csv --md5 --dfxml evidence.xml".words).exits(2)
    let schema = Repository.path(of: "Tests/Fixtures/dfxml/dfxml.xsd")
    _ = try directory.tool("xmllint", "--nonet --noout --schema \(schema) evidence.xml".words)
    #expect(
      Set(try texts("filename"))
        == Set(evidence.dropLast().map { $0[0] } + ["ev/\\x01\\x5C&lt;&amp;&gt;.bin"]))
    let digests = try texts("hashdigest")
    #expect(digests.contains(try directory.digest("ev/noise.dat")))
    #expect(digests.contains(try directory.digest("ev/noise.dat", by: "md5sum")))
    #expect(try texts("command_line") == ["\(Command.path) export ev -o all.csv --md5 --dfxml evidence.xml"])
    #expect(try texts("host") == directory.shell("uname -n").lines)
    let program = try xpath("string(//*[local-name()='creator']/@*[local-name()='program_sha256'])")
    #expect(program == [try directory.digest(Command.path)])
  }

  @Test("--dfxml has carved tuples that touch as one run of bytes, whatever their flags")
  func carved() throws {
    let (first, second) = (feedback(tuples(40)), feedback(tuples(3, from: 40)))
    let gap = [UInt8](repeating: 0, count: 9999)
    try directory.write(gap + first + gap + second + gap, to: "disk.img")
    try directory.apnsift("carve disk.img -o x.csv --dfxml x.xml".words).exits(0)
    let runs = try directory.text(of: "x.xml").matches(of: /img_offset="(\d+)" len="(\d+)"/)
    let bytes = runs.map { [Int($0.1), Int($0.2)] }
    #expect(bytes == [[9999, first.count], [19998 + first.count, second.count]])
  }

  static let commands: [(command: String, outputs: [String])] = [
    (
      "export -o all.ndjson --findings findings.csv --checksums sums --dfxml ev.xml",
      ["all.ndjson", "findings.csv", "sums", "ev.xml"]
    ),
    ("export -t raw -o raw", ["raw/streams.json", "raw/1-stream-0-a.raw"]),
    ("report -o report.html", ["report.html"]),
  ]

  @Test("sha256sum verifies inputs and outputs of --manifest", arguments: commands)
  func manifest(_ command: String, _ outputs: [String]) throws {
    try directory.apnsift("\(command) ev --manifest manifest".words).exits(2)
    let verified = try directory.shell("sha256sum -c --strict manifest").exits(0)
    for file in outputs + ["ev/noise.dat"] { #expect(verified.lines.contains("\(file): OK")) }
    let text = try directory.text(of: "manifest")
    #expect(text.contains("# program SHA-256: \(try directory.digest(Command.path))\n"))
    #expect(text.contains("\n# command: \(Command.path) \(command) ev --manifest manifest\n"))
    #expect(text.contains("\n# not-a-file: ev/pipe\n"))
    // A changed output is found.
    try directory.write([0], to: outputs[0])
    try directory.shell("sha256sum -c --quiet manifest").exits(1)
  }

  @Test("outputs that cannot be listed or are one file are refused")
  func refused() throws {
    try directory.apnsift("export ev --manifest manifest".words).exits(64, saying: "--manifest")
    try directory.apnsift("export ev -o a.csv --checksums x --dfxml ./x".words)
      .exits(64, saying: "--checksums and --dfxml name the same file")
    try directory.apnsift("export ev -o a.csv --checksums ev/dump.bin --force".words)
      .exits(2, saying: .outputIsRead("ev/dump.bin", ReadFiles.input))
    #expect(!directory.exists("a.csv") && !directory.exists("manifest") && !directory.exists("x"))
  }
}

@Suite("Lists of known files")
struct KnownFileTests {
  private let directory = TestDirectory()

  init() throws {
    for index in 0..<4 { try directory.write(feedback(tuples(index + 1)), to: "ev/\(index).bin") }
  }

  /// The numbers of the files that the list `known` has.
  private func known() throws -> [Int] {
    let verdicts = try directory.apnsift(
      "export ev --records inputs --columns verdict --known-hashes known".words
    ).exits(0).lines.dropFirst()
    #expect(verdicts.count == 4 && Set(verdicts) == ["decoded", "known"])
    return zip(0..., verdicts).filter { $0.1 == "known" }.map { $0.0 }
  }

  @Test("the forms of lists", arguments: ["md5sum", "sha1sum", "sha256sum"])
  func forms(_ tool: String) throws {
    for form in ["", "--tag", "-z"] {
      try directory.shell("\(tool) \(form) ev/1.bin ev/3.bin >known").exits(0)
      // Bare digests in capitals, in lines of Windows.
      if form == "-z" {
        let digests = try ["ev/1.bin", "ev/3.bin"].map { try directory.digest($0, by: tool) }
        try directory.write("\(digests[0].uppercased())\r\n\(digests[1])", to: "known")
      }
      #expect(try known() == [1, 3], "\(form)")
    }
  }

  @Test("tables of NSRL and hashdeep")
  func tables() throws {
    let sha1 = try directory.digest("ev/1.bin", by: "sha1sum").uppercased()
    let md5 = try directory.digest("ev/1.bin", by: "md5sum").uppercased()
    let sha256 = try directory.digest("ev/1.bin")
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
      try directory.write(table, to: "known")
      #expect(try known() == [1], "\(table)")
    }
  }

  @Test("known files are left out of everything, and counted")
  func leftOut() throws {
    try directory.write("\(try directory.digest("ev/3.bin", by: "md5sum"))\nno hash\n", to: "one")
    try directory.write("\(try directory.digest("ev/1.bin", by: "sha1sum"))\n", to: "two")
    let outcome = try directory.apnsift("export ev --known-hashes one --known-hashes two".words)
      .exits(0, saying: .about("one", "line 2 has no hash and is ignored"))
    #expect(outcome.said("left out 2 known files (--known-hashes)"))
    #expect(Set(outcome.rows.map { $0[0] }) == ["ev/0.bin", "ev/2.bin"])
    let rows = try directory.apnsift(
      "export ev --known-hashes two --records inputs --columns source,sha256,verdict,records".words
    ).lines
    #expect(rows.contains("ev/1.bin,\(try directory.digest("ev/1.bin")),known,0"), "\(rows)")
  }

  @Test("in a joined capture, a known first file is left out")
  func joined() throws {
    let capture = Repository.path(of: "samples/captures/session.pcap")
    let other = Repository.path(of: "samples/captures/disordered.pcap")
    try directory.write("\(try directory.digest(capture))\n", to: "known")
    let joined = try directory.apnsift("export --join \(capture) \(other) --known-hashes known".words).exits(
      0)
    #expect(joined.text == (try directory.apnsift("export", "--join", other).text))
  }

  @Test("what can be read only once is read, with a message")
  func pipes() throws {
    try directory.write("\(try directory.digest("ev/0.bin"))\n", to: "known")
    let outcome = try directory.apnsift(
      "export - --known-hashes known".words, input: .bytes(feedback(tuples(1))))
    #expect(outcome.said(.about("-", "can be read only once, so it is not compared with --known-hashes")))
    #expect(outcome.lines.count == 2)
  }

  @Test("lists that cannot be used")
  func errors() throws {
    try directory.write("nothing\n", to: "none")
    for name in ["none", "missing"] {
      try directory.apnsift("export", "ev", "--known-hashes", name).exits(2, saying: "\(name): ")
    }
    // 1 MiB has room for 32768 digests of 32 bytes.
    let line = String(repeating: "0a", count: 32) + "\n"
    let export = "export ev --memory 1MiB --known-hashes known".words
    try directory.write(String(repeating: line, count: 32769), to: "known")
    let message: Message =
      "the lists of known files need more than 1.0 MiB of memory: raise --memory, or give a smaller list"
    try directory.apnsift(export).exits(2, saying: .about("known", message))
    try directory.write(String(repeating: line, count: 32768), to: "known")
    try directory.apnsift(export).exits(0)
    try directory.apnsift("export --requests a --responses b --known-hashes known".words)
      .exits(64, saying: "--known-hashes")
  }
}
