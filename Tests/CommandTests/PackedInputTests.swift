import Messages
import Testing

/// What is packed by real tools is not read as a dump, and the remedy that is named gives the records.
@Suite("Packed inputs")
struct PackedInputTests {
  struct Packing: Sendable {
    var name: String
    /// Python's own modules write the archives, so that no other tool is needed.
    var python: String
    /// As it is named in the message, and what it is inside of.
    var format: String
    var isArchive = true
    var outer: String?
    /// What gives its content, in the shell.
    var command: String

    var problem: Message { .packed(format, isArchive: isArchive, inside: outer, command: command) }
  }

  static let packings: [Packing] = [
    Packing(
      name: "zip",
      python: "import zipfile as z; p = z.ZipFile('packed', 'w', z.ZIP_DEFLATED); p.write('dump.bin')",
      format: "zip", command: "unzip -p FILE"),
    Packing(
      name: "zip, stored", python: "import zipfile as z; p = z.ZipFile('packed', 'w'); p.write('dump.bin')",
      format: "zip", command: "unzip -p FILE"),
    Packing(
      name: "tar",
      python: "import tarfile as t; p = t.open('packed', 'w', format=t.GNU_FORMAT); p.add('dump.bin')",
      format: "tar", command: "tar -xOf FILE"),
    Packing(
      name: "POSIX tar",
      python: "import tarfile as t; p = t.open('packed', 'w', format=t.USTAR_FORMAT); p.add('dump.bin')",
      format: "tar", command: "tar -xOf FILE"),
    Packing(
      name: "tar.gz", python: "import tarfile as t; p = t.open('packed', 'w:gz'); p.add('dump.bin')",
      format: "tar", outer: "gzip", command: "gzip -dc FILE | tar -xOf -"),
    Packing(
      name: "xz",
      python: "import lzma; p = lzma.open('packed', 'wb'); p.write(open('dump.bin', 'rb').read())",
      format: "xz", isArchive: false, command: "xz -dc FILE"),
    Packing(
      name: "bzip2",
      python: "import bz2; p = bz2.open('packed', 'wb'); p.write(open('dump.bin', 'rb').read())",
      format: "bzip2", isArchive: false, command: "bzip2 -dc FILE"),
  ]

  private func pack(_ name: String, in directory: TestDirectory) throws -> Packing {
    let packing = try #require(Self.packings.first { $0.name == name })
    try directory.write(feedback(tuples(40)), to: "dump.bin")
    _ = try directory.tool("python3", ["-c", packing.python + "; p.close()"])
    return packing
  }

  @Test("are named with their kind, and count as not read", arguments: packings.map(\.name))
  func named(_ name: String) throws {
    let directory = try TestDirectory()
    let problem = try pack(name, in: directory).problem
    for arguments in [["packed"], ["packed", "dump.bin"]] {
      let outcome = try directory.apnsift(["export"] + arguments)
      #expect(outcome.code == 2)
      #expect(outcome.messages.first == Message.about("packed", problem).text)
      let counts = Message.findingCounts(1, of: "error", ["unreadable-input 1"])
      #expect(outcome.errors.contains("\(counts); \(Message.notReadInFull(inputs: 1))"))
      #expect(outcome.lines.count == (arguments.count == 1 ? 1 : 41), "the other input is processed")
    }
    let raw = try directory.apnsift("export", "packed", "--from", "raw", "-t", "json")
    #expect(raw.code == 0 && !raw.said(problem))
  }

  @Test("in directories they count as not read, too, and are said once", arguments: packings.map(\.name))
  func inDirectory(_ name: String) throws {
    let directory = try TestDirectory()
    let problem = try pack(name, in: directory).problem
    try directory.write(try directory.bytes(of: "packed"), to: "dumps/packed")
    let alone = try directory.apnsift("export", "dumps", "--records", "findings")
    #expect(alone.code == 2 && alone.messages.count == 2, "\(alone.errors)")
    #expect(alone.said(.about("dumps/packed", problem)))
    try directory.write(feedback(tuples(3)), to: "dumps/good.bin")
    let outcome = try directory.apnsift("export", "dumps")
    #expect(outcome.code == 2 && outcome.lines.count == 4)
    #expect(outcome.errors.contains("; \(Message.notReadInFull(inputs: 1))"))
  }

  @Test("what the message says gives the records", arguments: ["tar", "POSIX tar", "tar.gz"])
  func remedy(_ name: String) throws {
    let directory = try TestDirectory()
    let command = try pack(name, in: directory).command + " | apnsift inspect -"
    let message = try #require(try directory.apnsift("export", "packed").messages.first)
    #expect(message.hasSuffix(command))
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
