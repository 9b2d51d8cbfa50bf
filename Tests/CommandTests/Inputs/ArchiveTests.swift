import Basics
import CommandTestSupport
import Testing
import Wording

/// Archives of real tools: their members are inputs of their own. Expected records are those of the dumps in them.
@Suite("Archives")
struct ArchiveTests {
  private let directory = TestDirectory([
    "in/dump.bin": feedback(tuples(40)), "in/sub/other.bin": feedback(tuples(3, from: 50)),
  ])

  /// Commands of the shell that pack `in` into `packed`, by the format and compression that inspect names.
  static let packings: [(name: String, command: String)] = [
    ("zip", "python3 -m zipfile -c packed in/"),
    ("zip, stored", "7z a -tzip -mx0 packed.zip in >log && mv packed.zip packed"),
    ("tar", "tar -cf packed in"),
    ("tar, ustar", "tar --format=ustar -cf packed in"),
    ("tar, pax", "tar --format=posix -cf packed in"),
    ("tar.gz", "tar -czf packed in"),
    ("tar.xz", "tar -cJf packed in"),
    ("tar.bz2", "tar -cjf packed in"),
    ("tar.zst", "tar -cf - in | zstd -q >packed"),
    ("cpio", "find in | cpio -o -H newc >packed 2>log"),
    ("cpio, odc", "find in | cpio -o -H odc >packed 2>log"),
    ("7z", "7z a packed.7z in >log && mv packed.7z packed"),
    ("7z, solid bzip2", "7z a -m0=bzip2 packed.7z in >log && mv packed.7z packed"),
  ]

  private func pack(_ name: String) throws {
    let command = try #require(Self.packings.first { $0.name == name }).command
    let outcome = try directory.shell(command)
    try #require(outcome.code == 0, "\(command): \(outcome.errors)")
  }

  /// The tokens of each input, by the end of its name.
  private func tokens(_ input: String) throws -> [String: [String]] {
    var tokens: [String: [String]] = [:]
    for line in try directory.apnsift("export", input, "--columns", "source,token").lines.dropFirst() {
      let fields = line.split(separator: ",")
      let name = fields[0].split(separator: "/").last.map(String.init) ?? ""
      tokens[name, default: []].append(String(fields[1]))
    }
    return tokens
  }

  private func isWhole(_ tokens: [String: [String]]) -> Bool {
    let first = tuples(40).map { hex($0.token) }
    let second = tuples(3, from: 50).map { hex($0.token) }
    return tokens == ["dump.bin": first, "other.bin": second]
  }

  @Test("all records of all members are read, from a file and a pipe", arguments: packings.map(\.name))
  func members(_ name: String) throws {
    try pack(name)
    #expect(isWhole(try tokens("packed")))
    let piped = try directory.shell("cat packed | \"$APNSIFT\" export - --columns token")
    #expect(piped.code == 0 && piped.lines.count == 44, "\(piped.errors)")
    try directory.write(try directory.bytes(of: "packed"), to: "evidence/packed")
    #expect(isWhole(try tokens("evidence")))
  }

  @Test("a member is named after its archive, and can be named alone")
  func named() throws {
    try pack("tar.gz")
    _ = try directory.shell("7z a -tzip outer.zip packed in >log")
    for (name, count) in [
      ("outer.zip!packed!in/dump.bin", 40), ("outer.zip!packed", 43), ("outer.zip!in/sub/other.bin", 3),
    ] {
      let outcome = try directory.apnsift("export", name, "--columns", "source")
      #expect(outcome.code == 0 && outcome.lines.count == count + 1, "\(name): \(outcome.errors)")
      #expect(outcome.lines.dropFirst().allSatisfy { $0.hasPrefix(name) })
    }
    let missing = try directory.apnsift("export", "outer.zip!none").exits(2)
    #expect(
      missing.said(
        .about("outer.zip", "has no file of the name outer.zip!none: inspect the archive to see the names")))
  }

  @Test("the inventory has archives and members, with digests and offsets")
  func inventory() throws {
    try pack("tar, ustar")
    let columns = "source,size,verdict,records,sha256,archive_offset"
    let rows = try directory.apnsift("export", "packed", "--records", "inputs", "--columns", columns).lines
    let sums = try directory.shell("sha256sum packed in/dump.bin in/sub/other.bin | cut -c 1-64").lines
    // A header of 512 bytes before each member, and one for each directory.
    let listing = try directory.shell("tar -Rtf packed").lines
    func offset(_ name: String) -> Int {
      let line = listing.first { $0.hasSuffix(name) } ?? ""
      return 512 * (Int(line.drop { !$0.isNumber }.prefix(while: \.isNumber)) ?? -1)
    }
    #expect(
      rows.dropFirst().sorted()
        == [
          "packed,10240,decoded,0,\(sums[0]),",
          "packed!in/dump.bin,1520,decoded,40,\(sums[1]),\(offset("dump.bin"))",
          "packed!in/sub/other.bin,114,decoded,3,\(sums[2]),\(offset("other.bin"))",
        ].sorted())
  }

  @Test("encrypted archives are named", arguments: ["-tzip -psecret", "-psecret", "-psecret -mhe=on"])
  func encrypted(_ options: String) throws {
    _ = try directory.shell("7z a \(options) out in >log; mv out.* packed")
    let outcome = try directory.apnsift("export", "packed")
    #expect(outcome.code == 2 && outcome.lines.count == 1)
    #expect(outcome.errors.contains("is encrypted"), "\(outcome.errors)")
  }

  @Test("before damage, members are read", arguments: ["zip", "tar", "tar.gz", "cpio", "7z"])
  func damaged(_ name: String) throws {
    try pack(name)
    let bytes = try directory.bytes(of: "packed")
    for eighths in 1..<8 {
      try directory.write(Array(bytes.prefix(bytes.count * eighths / 8)), to: "cut")
      let outcome = try directory.apnsift("export", "cut", "--columns", "token")
      // A tar that is cut in the zeros after its last member is whole.
      #expect(outcome.code == 2 || name == "tar" && outcome.lines.count == 44, "\(eighths)")
      let all = Set((tuples(40) + tuples(3, from: 50)).map { hex($0.token) })
      #expect(outcome.lines.dropFirst().allSatisfy { all.contains(String($0)) })
    }
  }

  /// The archive stores the file as it is, so that one bit of a token can be changed.
  @Test("content that differs from its checksum is read, and is an error", arguments: ["zip", "7z"])
  func wrongChecksum(_ format: String) throws {
    let dump = feedback(tuples(40_000))
    try directory.write(dump, to: "large.bin")
    _ = try directory.shell("7z a -t\(format) -mx=0 out large.bin >log; mv out.* packed")
    var bytes = try directory.bytes(of: "packed")
    let last = Array(dump.suffix(32))
    let start = try #require(bytes.indices.last { bytes[$0...].starts(with: last) })
    bytes[start] ^= 1
    try directory.write(bytes, to: "packed")
    let outcome = try directory.apnsift("export", "packed", "--columns", "token")
    #expect(outcome.code == 2 && outcome.lines.count == 40_001)
    #expect(outcome.lines.last == hex([last[0] ^ 1] + last.dropFirst()))
    #expect(
      outcome.errors.contains("packed!large.bin: is damaged in the \(format) archive"), "\(outcome.errors)")
    #expect(outcome.errors.contains("some of its bytes are wrong or missing; look for another copy"))
    let replay = try directory.apnsift("replay", "packed", "--store", "sqlite:s.sqlite", "--create")
    #expect(replay.code == 2 && replay.errors.contains("is unchanged"), "\(replay.errors)")
  }

  @Test("a tar without its end, and one after another")
  func ends() throws {
    try pack("tar, ustar")
    _ = try directory.shell("head -c 4096 packed >cut; cat packed packed >two")
    let cut = try directory.apnsift("export", "cut")
    #expect(
      cut.code == 2
        && cut.errors.contains(
          "the tar archive ends without its end mark: files may be missing; look for another copy"),
      "\(cut.errors)")
    #expect(try directory.apnsift("export", "two").lines.count == 2 * 43 + 1)
  }

  @Test("names lead nowhere, and nothing is written")
  func names() throws {
    let script = """
      import io, tarfile
      t = tarfile.open("packed", "w")
      data = open("in/dump.bin", "rb").read()
      for name in ["/etc/apnsift-x", "../../up", "a/../b", "same", "same", "new\\nline", "\\u202etxt.exe"]:
        e = tarfile.TarInfo(name); e.size = len(data); t.addfile(e, io.BytesIO(data))
      for kind in [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]:
        e = tarfile.TarInfo("odd"); e.type = kind; e.linkname = "/etc/passwd"; t.addfile(e)
      t.close()
      """
    _ = try directory.tool("python3", ["-c", script])
    let before = try directory.shell("find . /etc/apnsift-x 2>/dev/null | sort").text
    let outcome = try directory.apnsift("export", "packed", "--columns", "token")
    #expect(outcome.lines.count == 7 * 40 + 1)
    #expect(!outcome.errors.contains("\u{202e}"))
    #expect(
      outcome.errors.split(separator: "\n").count { $0.contains("a link or device in an archive") } == 4)
    #expect(try directory.shell("find . /etc/apnsift-x 2>/dev/null | sort").text == before)
  }

  @Test("limits of content, members and depth are reported")
  func limits() throws {
    _ = try directory.shell(
      "head -c 300000000 /dev/zero | gzip -1 >zeros.gz; tar -cf bomb in/dump.bin zeros.gz in/sub; "
        + "cp in/dump.bin deep; for i in 1 2 3 4 5 6; do tar -cf t deep && mv t deep; done")
    for (arguments, problem, count) in [
      (
        ["bomb", "--max-content", "100KiB"],
        "unpacks to more than \(ByteSize.text(100 << 10)): the rest is not read; use --max-content", 40
      ),
      (
        ["bomb", "--max-members", "1"], "has more than 1 files: the others are not read; use --max-members",
        40
      ),
      (["deep"], "is an archive within 4 others, which is not read: extract it, or use --max-depth", 0),
      (["deep", "--max-depth", "6"], nil, 40),
    ] as [([String], Message?, Int)] {
      let outcome = try directory.apnsift(["export"] + arguments)
      #expect(outcome.lines.count == count + 1, "\(arguments): \(outcome.errors)")
      #expect(outcome.code == (problem == nil ? 0 : 2))
      if let problem { #expect(outcome.errors.contains(problem.text), "\(outcome.errors)") }
    }
  }

  @Test("a replay skips a damaged member, and takes the others")
  func replay() throws {
    try directory.write(Array(feedback(tuples(9, from: 70)).prefix(100)), to: "in/z")
    _ = try directory.shell("gzip in/z; head -c -5 in/z.gz >in/zz.gz; rm in/z.gz; tar -cf packed in")
    let store = ["--store", "sqlite:s.sqlite", "--create"]
    #expect(try directory.apnsift(["replay", "packed"] + store).code == 2)
    let outcome = try directory.apnsift(["replay", "packed", "--skip-unreadable"] + store)
    let rows = try directory.apnsift("store", "list", "--dead", "--store", "sqlite:s.sqlite")
    #expect(rows.lines.count == 44, "\(outcome.errors)")
  }
}
