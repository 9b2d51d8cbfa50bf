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
  static let packings = [
    "zip": "python3 -m zipfile -c packed in/",
    "zip, stored": "7z a -tzip -mx0 packed.zip in >log && mv packed.zip packed",
    "tar": "tar -cf packed in",
    "tar, ustar": "tar --format=ustar -cf packed in",
    "tar, pax": "tar --format=posix -cf packed in",
    "tar.gz": "tar -czf packed in",
    "tar.xz": "tar -cJf packed in",
    "tar.bz2": "tar -cjf packed in",
    "tar.zst": "tar -cf - in | zstd -q >packed",
    "cpio": "find in | cpio -o -H newc >packed 2>log",
    "cpio, two names": "ln in/dump.bin in/a; ls in/a in/*.bin in/*/* | cpio -o -H newc >packed 2>log",
    "cpio, odc": "find in | cpio -o -H odc >packed 2>log",
    "7z": "7z a packed.7z in >log && mv packed.7z packed",
    "7z, solid bzip2": "7z a -m0=bzip2 packed.7z in >log && mv packed.7z packed",
  ]

  private func pack(_ name: String) throws {
    try directory.shell(try #require(Self.packings[name])).exits(0)
  }

  /// The tokens of each input, by the end of its name.
  private func tokens(_ input: String) throws -> [String: [String]] {
    let rows = try directory.apnsift("export", input, "--columns", "source,token").rows
    return Dictionary(grouping: rows) { $0[0].split(separator: "/").last.map(String.init) ?? "" }
      .mapValues { $0.map { $0[1] } }
  }

  private static let whole = [
    "dump.bin": tuples(40).map { hex($0.token) }, "other.bin": tuples(3, from: 50).map { hex($0.token) },
  ]

  @Test("all records of all members are read, from a file and a pipe", arguments: packings.keys.sorted())
  func members(_ name: String) throws {
    try pack(name)
    #expect(try tokens("packed") == Self.whole)
    let piped = try directory.shell("cat packed | \"$APNSIFT\" export - --columns token").exits(0)
    #expect(piped.lines.count == 44, "\(piped.errors)")
    try directory.write(try directory.bytes(of: "packed"), to: "evidence/packed")
    #expect(try tokens("evidence") == Self.whole)
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
    try directory.apnsift("export", "outer.zip!none").exits(
      2,
      saying: .about(
        "outer.zip", "has no file of the name outer.zip!none: inspect the archive to see the names"))
  }

  @Test("the inventory has archives and members, with digests and offsets")
  func inventory() throws {
    try pack("tar, ustar")
    let columns = "source,size,verdict,records,sha256,archive_offset"
    let rows = try directory.apnsift("export packed --records inputs --columns \(columns)".words).lines
    let sums = try directory.shell("sha256sum packed in/dump.bin in/sub/other.bin | cut -c 1-64").lines
    // A header of 512 bytes before each member, and one for each directory.
    let listing = try directory.shell("tar -Rtf packed").lines
    func offset(_ name: String) -> Int {
      let line = listing.first { $0.hasSuffix(name) } ?? ""
      return 512 * (Int(line.drop { !$0.isNumber }.prefix(while: \.isNumber)) ?? -1)
    }
    #expect(
      Set(rows.dropFirst()) == [
        "packed,10240,decoded,0,\(sums[0]),",
        "packed!in/dump.bin,1520,decoded,40,\(sums[1]),\(offset("dump.bin"))",
        "packed!in/sub/other.bin,114,decoded,3,\(sums[2]),\(offset("other.bin"))",
      ] && rows.count == 4)
  }

  @Test("encrypted archives are named", arguments: ["-tzip -psecret", "-psecret", "-psecret -mhe=on"])
  func encrypted(_ options: String) throws {
    _ = try directory.shell("7z a \(options) out in >log; mv out.* packed")
    let outcome = try directory.apnsift("export", "packed").exits(2, saying: "is encrypted")
    #expect(outcome.lines.count == 1)
  }

  @Test("before damage, members are read", arguments: ["zip", "tar", "tar.gz", "cpio", "7z"])
  func damaged(_ name: String) throws {
    try pack(name)
    let bytes = try directory.bytes(of: "packed")
    let all = Set(Self.whole.values.joined())
    for eighths in 1..<8 {
      try directory.write(bytes.prefix(bytes.count * eighths / 8), to: "cut")
      let outcome = try directory.apnsift("export", "cut", "--columns", "token")
      // A tar that is cut in the zeros after its last member is whole.
      #expect(outcome.code == 2 || name == "tar" && outcome.lines.count == 44, "\(eighths)")
      #expect(all.isSuperset(of: outcome.lines.dropFirst()))
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
      .exits(2, saying: "packed!large.bin: is damaged in the \(format) archive")
    #expect(outcome.lines.count == 40_001 && outcome.lines.last == hex([last[0] ^ 1] + last.dropFirst()))
    #expect(outcome.said("some of its bytes are wrong or missing; look for another copy"))
    try directory.apnsift("replay packed --store sqlite:s.sqlite --create".words)
      .exits(2, saying: "is unchanged")
  }

  @Test("a tar without its end, and one after another")
  func ends() throws {
    try pack("tar, ustar")
    _ = try directory.shell("head -c 4096 packed >cut; cat packed packed >two")
    try directory.apnsift("export", "cut").exits(
      2, saying: "the tar archive ends without its end mark: files may be missing; look for another copy")
    #expect(try directory.apnsift("export", "two").lines.count == 2 * 43 + 1)
    for name in ["cpio", "7z"] {
      _ = try directory.shell("\(try #require(Self.packings[name])); cat packed in/dump.bin >more")
      try directory.apnsift("export", "more").exits(2, saying: "the \(name) archive is followed by other")
    }
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
    let listing = "find . /etc/apnsift-x 2>/dev/null | sort"
    let before = try directory.shell(listing).text
    let outcome = try directory.apnsift("export", "packed", "--columns", "token")
    #expect(outcome.lines.count == 7 * 40 + 1)
    #expect(!outcome.errors.contains("\u{202e}"))
    #expect(outcome.messages.count { $0.contains("a link or device in an archive") } == 4)
    #expect(try directory.shell(listing).text == before)
  }

  static let limited: [(line: String, problem: Message?, records: Int)] = [
    ("bomb --max-content 100KiB", "unpacks to more than 100 KiB: the rest is not read", 40),
    ("whole --max-content 1634", nil, 43),
    ("bomb --max-members 1", "has more than 1 files: the others are not read; use --max-members", 40),
    ("deep", "is an archive within 4 others, which is not read: extract it, or use --max-depth", 0),
    ("deep --max-depth 6", nil, 40),
  ]

  @Test("limits of content, members and depth are reported", arguments: limited)
  func limits(_ line: String, _ problem: Message?, _ records: Int) throws {
    _ = try directory.shell(
      "tar -cf whole in; head -c 300000000 /dev/zero | gzip -1 >zeros.gz; tar -cf bomb in/dump.bin zeros.gz in/sub; "
        + "cp in/dump.bin deep; for i in 1 2 3 4 5 6; do tar -cf t deep && mv t deep; done")
    let outcome = try directory.apnsift("export \(line)".words).exits(problem == nil ? 0 : 2, saying: problem)
    #expect(outcome.lines.count == records + 1, "\(outcome.errors)")
  }

  @Test("a replay skips a damaged member, and takes the others")
  func replay() throws {
    try directory.write(Array(feedback(tuples(9, from: 70)).prefix(100)), to: "in/z")
    _ = try directory.shell("gzip in/z; head -c -5 in/z.gz >in/zz.gz; rm in/z.gz; tar -cf packed in")
    let replay = "replay packed --store sqlite:s.sqlite --create".words
    try directory.apnsift(replay).exits(2)
    let outcome = try directory.apnsift(replay + ["--skip-unreadable"])
    let rows = try directory.apnsift("store list --dead --store sqlite:s.sqlite".words)
    #expect(rows.lines.count == 44, "\(outcome.errors)")
  }
}
