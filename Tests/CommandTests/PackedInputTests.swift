import Foundation
import Testing

/// What is packed by real tools is not read as a dump, and the remedy that is named gives the records.
@Suite("Packed inputs")
struct PackedInputTests {
  /// Python's own modules write the archives, so that no other tool is needed.
  static let packings: [(name: String, python: String, kind: String)] = [
    (
      "zip", "import zipfile as z; p = z.ZipFile('packed', 'w', z.ZIP_DEFLATED); p.write('dump.bin')",
      "a zip archive"
    ),
    (
      "zip, stored", "import zipfile as z; p = z.ZipFile('packed', 'w'); p.write('dump.bin')", "a zip archive"
    ),
    (
      "tar", "import tarfile as t; p = t.open('packed', 'w', format=t.GNU_FORMAT); p.add('dump.bin')",
      "a tar archive"
    ),
    (
      "POSIX tar", "import tarfile as t; p = t.open('packed', 'w', format=t.USTAR_FORMAT); p.add('dump.bin')",
      "a tar archive"
    ),
    (
      "tar.gz", "import tarfile as t; p = t.open('packed', 'w:gz'); p.add('dump.bin')",
      "a tar archive inside a gzip file"
    ),
    (
      "xz", "import lzma; p = lzma.open('packed', 'wb'); p.write(open('dump.bin', 'rb').read())",
      "xz-compressed"
    ),
    (
      "bzip2", "import bz2; p = bz2.open('packed', 'wb'); p.write(open('dump.bin', 'rb').read())",
      "bzip2-compressed"
    ),
  ]

  private func pack(_ name: String, in directory: TestDirectory) throws -> String {
    let packing = try #require(Self.packings.first { $0.name == name })
    try directory.write(feedback(tuples(40)), to: "dump.bin")
    _ = try directory.tool("python3", ["-c", packing.python + "; p.close()"])
    return packing.kind
  }

  @Test("are named with their kind, and count as not read", arguments: packings.map(\.name))
  func named(_ name: String) throws {
    let directory = try TestDirectory()
    let kind = try pack(name, in: directory)
    for arguments in [["packed"], ["packed", "dump.bin"]] {
      let outcome = try directory.apnsift(["export"] + arguments)
      #expect(outcome.code == 2)
      #expect(outcome.messages.first?.hasPrefix("packed: is \(kind), which is not read: ") == true)
      #expect(outcome.errors.contains("1 error (unreadable-input 1); 1 input not read in full, see above"))
      #expect(outcome.lines.count == (arguments.count == 1 ? 1 : 41), "the other input is processed")
    }
    let raw = try directory.apnsift("export", "packed", "--from", "raw", "-t", "json")
    #expect(raw.code == 0 && !raw.errors.contains("which is not read"))
  }

  @Test("in directories they count as not read, too, and are said once", arguments: packings.map(\.name))
  func inDirectory(_ name: String) throws {
    let directory = try TestDirectory()
    let kind = try pack(name, in: directory)
    try directory.write(try directory.bytes(of: "packed"), to: "dumps/packed")
    let alone = try directory.apnsift("export", "dumps", "--records", "findings")
    #expect(alone.code == 2 && alone.messages.count == 2, "\(alone.errors)")
    #expect(alone.errors.contains("dumps/packed: is \(kind), which is not read"))
    try directory.write(feedback(tuples(3)), to: "dumps/good.bin")
    let outcome = try directory.apnsift("export", "dumps")
    #expect(outcome.code == 2 && outcome.lines.count == 4)
    #expect(outcome.errors.contains("; 1 input not read in full, see above"))
  }

  @Test("what the message says gives the records", arguments: ["tar", "POSIX tar", "tar.gz"])
  func remedy(_ name: String) throws {
    let directory = try TestDirectory()
    _ = try pack(name, in: directory)
    let message = try #require(try directory.apnsift("export", "packed").messages.first)
    let command = try #require(message.components(separatedBy: "one: ").last)
    let line = command.replacing("FILE", with: "packed").replacing(
      "apnsift inspect", with: "\"$APNSIFT\" inspect")
    let outcome = try directory.shell(line)
    #expect(outcome.code == 0 && outcome.text.contains("40 records"), "\(line): \(outcome.errors)")
  }

  /// Times whose bytes are magic numbers: "PK" 03 04, "BZh9" and what xz and 7z begin with.
  static let times: [UInt32] = [0x504b_0304, 0x425a_6839, 0xfd37_7a58, 0x377a_bcaf]

  @Test("a dump whose first time is a magic number is read", arguments: times)
  func dump(_ time: UInt32) throws {
    let directory = try TestDirectory()
    let sent = [Tuple(time, token(0))] + tuples(3, from: 1)
    try directory.write(feedback(sent), to: "in/dump.bin")
    for input in ["in/dump.bin", "in"] {
      let outcome = try directory.apnsift(
        "export", input, "--earliest", "0", "--latest", "4294967295", "--columns", "timestamp,token")
      #expect(outcome.code == 0)
      #expect(outcome.lines.dropFirst() == sent.map { "\($0.time),\(hex($0.token))" }[...])
    }
  }
}
