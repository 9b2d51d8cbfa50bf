import Basics
import CommandTestSupport
import Testing
import Wording

/// Content that is not searched is named: "no problems found" is said only of what was searched.
@Suite("Content that is not searched")
struct UnsearchedTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(40))])

  /// Files, and what each is; the bytes of a dump are in each, compressed or encoded.
  static let kinds: [(name: String, kind: String, script: String)] = [
    (
      "a.pdf", "PDF document",
      "b'%PDF-1.4\\n1 0 obj\\n<< /Filter /FlateDecode >>\\nstream\\n' + zlib.compress(dump)"
    ),
    ("a.Z", "compress'd data", "b'\\x1f\\x9d\\x90' + zlib.compress(dump)"),
    ("a.rar", "RAR archive", "b'Rar!\\x1a\\x07\\x01\\x00' + zlib.compress(dump)"),
    ("a.enc", "openssl enc'd data", "b'Salted__' + zlib.compress(dump)"),
    ("a.qcow2", "QEMU QCOW Image", "b'QFI\\xfb\\0\\0\\0\\3' + zlib.compress(dump)"),
    ("a.cab", "CAB archive", "b'MSCF\\0\\0\\0\\0' + zlib.compress(dump)"),
  ]

  @Test("by every command and in every format", arguments: kinds)
  func named(_ name: String, _ kind: String, _ script: String) throws {
    _ = try directory.tool(
      "python3",
      ["-c", "import zlib; dump = open('dump.bin', 'rb').read(); open('\(name)', 'wb').write(\(script))"])
    for command in ["inspect", "carve", "export --from raw", "export --from carve"] {
      let outcome = try directory.apnsift("\(command) \(name)".words)
      #expect(!outcome.errors.contains(Message.noProblems.text), "\(command): \(outcome.errors)")
      #expect(outcome.errors.contains("unrecognised-input 1") || outcome.code == 2, "\(outcome.errors)")
      #expect(outcome.errors.contains("earched "), "\(outcome.errors)")
    }
    try directory.write(try directory.bytes(of: name), to: "ev/\(name)")
    let rows = try directory.apnsift("export ev --records inputs --columns verdict,content,reason".words)
    #expect(rows.lines.last?.hasPrefix("skipped,") == true && rows.text.contains(kind), "\(rows.text)")
    #expect(rows.text.contains("not searched inside"))
    #expect(try directory.report(["ev"], code: rows.code ?? 0).html.contains("not searched inside"))
  }

  @Test("a zip that is read as raw bytes")
  func rawZip() throws {
    _ = try directory.shell("python3 -m zipfile -c a.zip dump.bin")
    let outcome = try directory.apnsift("export", "a.zip", "--from", "raw")
    let asStored = "searched as it is stored; compressed, encrypted or otherwise encoded content was not"
    let warning: Message = "a.zip: warning: \(Message.archive("zip")): \(asStored)"
    #expect(outcome.said(warning), "\(outcome.errors)")
    #expect(try directory.apnsift("export", "a.zip").lines.count == 41)
  }

  private func verdicts(_ input: String) throws -> [String] {
    let columns = "source,verdict,reason"
    return try directory.apnsift("export \(input) --records inputs --columns \(columns)".words).lines
  }

  @Test("an archive with an encrypted member is not decoded")
  func encrypted() throws {
    let secret = Repository.path(of: "Tests/Fixtures/cases/examiner/archives/secret.zip")
    try directory.write(try directory.bytes(of: secret), to: "secret.zip")
    #expect(
      try verdicts("secret.zip").dropFirst() == [
        "secret.zip!secret.bin,unreadable,is encrypted in the archive: extract it with its password",
        "secret.zip,unreadable,1 file in it not read in full",
      ])
    _ = try directory.shell("python3 -m zipfile -c some.zip dump.bin secret.zip")
    #expect(
      try verdicts("some.zip").suffix(2) == [
        "some.zip!secret.zip,unreadable,1 file in it not read in full",
        "some.zip,partial,1 file in it not read in full",
      ])
  }

  @Test("a file of a zip that begins where another does is named", arguments: ["a.zip", "-"])
  func overlapping(_ input: String) throws {
    // A second entry of the central directory leads to the same local header.
    let script = """
      import struct, zipfile
      with zipfile.ZipFile("a.zip", "w") as z: z.write("dump.bin"); z.write("dump.bin", "last.bin")
      data = open("a.zip", "rb").read()
      at, end = data.index(b"PK\\1\\2"), data.index(b"PK\\5\\6")
      entries = data[at:end]
      first = entries[:entries.index(b"PK\\1\\2", 4)]
      entries = first + first.replace(b"dump", b"\\xffump") + entries[len(first):]
      open("a.zip", "wb").write(data[:at] + entries + struct.pack("<4s4H2LH", b"PK\\5\\6", 0, 0, 3, 3, len(entries), at, 0))
      """
    _ = try directory.tool("python3", ["-c", script])
    let outcome = try directory.apnsift(
      "export \(input) --records inputs --columns source,verdict,records".words,
      input: input == "-" ? .file("a.zip") : .nothing
    ).exits(
      2,
      saying: "\(input)!\\xFFump.bin: has the offset of another file in the zip archive, which is read: "
        + "extract both, and compare them")
    #expect(
      outcome.lines.dropFirst() == [
        "\(input)!dump.bin,decoded,40", "\(input)!last.bin,decoded,40", "\(input)!\\xFFump.bin,unreadable,0",
        "\(input),partial,0",
      ])
  }
}
