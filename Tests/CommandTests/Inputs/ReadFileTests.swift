import Basics
import CommandTestSupport
import Testing
import Wording

/// Everything that a run reads is an input: no output replaces it.
@Suite("Files that are read")
struct ReadFileTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    try directory.write([], to: "empty.bin")
    try directory.write(String(repeating: "0123456789abcdef\n", count: 4), to: "key")
    try directory.write("One remark.\n", to: "notes")
    try directory.write("38\n", to: "sizes")
    try directory.write(String(repeating: "0", count: 64) + "  none\n", to: "hashes")
    try directory.write("secret\n", to: "pass")
    try directory.write("device:0123456789abcdef\n", to: "psk")
    try directory.write(
      "table: device_tokens\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n",
      to: "mapping")
    for name in ["gcm.pcap", "gcm.keys"] {
      try directory.write(Array(Self.sample(name)), to: name)
    }
    _ = try directory.tool(
      "openssl", ["genrsa", "-traditional", "-aes128", "-passout", "file:pass", "-out", "rsa", "1024"])
    let store = try directory.apnsift(
      "replay", "dump.bin", "--store", "sqlite:store", "--journal", "sqlite:journal", "--create")
    try #require(store.code == 0, "\(store.errors)")
  }

  private static func sample(_ name: String) -> [UInt8] {
    (try? Descriptor(opening: Repository.path(of: "samples/tls/\(name)"), O_RDONLY).readAll()) ?? []
  }

  /// A command whose output would replace a file, and what that is.
  static let commands: [(command: String, file: String, use: String)] = [
    ("export dump.bin -o", "dump.bin", ReadFiles.input),
    ("export gcm.pcap --keys gcm.keys -o", "gcm.keys", "the file of --keys"),
    ("export gcm.pcap --keys gcm.keys -o x --findings", "gcm.keys", "the file of --keys"),
    ("export gcm.pcap --keys gcm.keys -o x --manifest", "gcm.keys", "the file of --keys"),
    ("export gcm.pcap --rsa-key rsa --passphrase-file pass -o", "rsa", "the file of --rsa-key"),
    ("export gcm.pcap --rsa-key rsa --passphrase-file pass -o", "pass", "the file of --passphrase-file"),
    ("export gcm.pcap --psk psk -o", "psk", "the file of --psk"),
    ("export dump.bin --known-hashes hashes -o", "hashes", "the file of --known-hashes"),
    ("report dump.bin -o", "dump.bin", ReadFiles.input),
    ("report dump.bin --redact key -o", "key", "the key of --redact"),
    ("report dump.bin --notes notes -o", "notes", "the file of --notes"),
    ("replay dump.bin --store sqlite:store --dry-run -o", "store", ReadFiles.store),
    ("replay dump.bin --store sqlite:store --dry-run -o", "store-wal", "a file of the store"),
    (
      "replay dump.bin --store sqlite:store --journal sqlite:journal --dry-run -o", "journal", ReadFiles.store
    ),
    ("store export --store sqlite:store -o", "store", ReadFiles.store),
    ("store export --store sqlite:store -o", "store-journal", "a file of the store"),
    ("store export --store sqlite:store --mapping mapping -o", "mapping", "the file of --mapping"),
  ]

  @Test("none is replaced, also through links", arguments: commands, ["", "link", "hardlink"])
  func outputs(_ one: (command: String, file: String, use: String), _ kind: String) throws {
    if !kind.isEmpty, !directory.exists(one.file) { return }
    let name = kind.isEmpty ? one.file : kind
    if kind == "link" { try directory.makeLink("link", to: one.file) }
    if kind == "hardlink" { _ = link(directory.path(of: one.file), directory.path(of: "hardlink")) }
    let before = directory.exists(one.file) ? try directory.bytes(of: one.file) : []
    let outcome = try directory.apnsift(
      one.command.split(separator: " ").map(String.init) + [name, "--force"]
    ).exits(2)
    #expect(outcome.errors.contains(" is \(one.use): name another file to write"), "\(outcome.errors)")
    #expect((directory.exists(one.file) ? try directory.bytes(of: one.file) : []) == before)
  }

  @Test(
    "standard output is none of them",
    arguments: ["export gcm.pcap --keys gcm.keys >>gcm.keys", "store export --store sqlite:store >>store"])
  func standardOutput(_ command: String) throws {
    let file = String(command.split(separator: ">").last ?? "")
    let before = try directory.bytes(of: file)
    let outcome = try directory.shell("\"$APNSIFT\" \(command)")
    #expect(
      outcome.code == 2 && outcome.errors.contains("standard output (\(file)) is the "), "\(outcome.errors)")
    #expect(try directory.bytes(of: file) == before)
  }

  @Test("a file in an output directory")
  func inDirectory() throws {
    try directory.write(Self.sample("gcm.keys"), to: "out/feedback.csv")
    let outcome = try directory.apnsift(
      "export", "gcm.pcap", "--keys", "out/feedback.csv", "-o", "out", "--force")
    #expect(outcome.code == 2 && outcome.said(.outputIsRead("out/feedback.csv", "the file of --keys")))
    #expect(try directory.bytes(of: "out/feedback.csv") == Self.sample("gcm.keys"))
  }

  @Test("an input does not become a store")
  func store() throws {
    let outcome = try directory.apnsift("replay", "empty.bin", "--store", "sqlite:empty.bin", "--create")
    #expect(
      outcome.code == 2 && outcome.said(.outputIsRead("empty.bin", ReadFiles.input)), "\(outcome.errors)")
    #expect(try directory.bytes(of: "empty.bin").isEmpty)
  }

  @Test(
    "two outputs are not one file",
    arguments: ["-o out/ --manifest out/summary.json", "-t raw -o out --checksums out/streams.json"])
  func sameOutputs(_ options: String) throws {
    let outcome = try directory.apnsift(
      ["export", "dump.bin", "--force"] + options.split(separator: " ").map(String.init))
    #expect(outcome.code == 2 && outcome.errors.contains("name the same file"), "\(outcome.errors)")
  }

  @Test("a manifest lists them, and what they are")
  func manifest() throws {
    try directory.apnsift(
      "export", "gcm.pcap", "--keys", "gcm.keys", "--rsa-key", "rsa", "--passphrase-file", "pass", "--psk",
      "psk",
      "--known-hashes", "hashes", "-o", "all.csv", "--manifest", "manifest"
    ).exits(0)
    let verified = try directory.shell("sha256sum -c --strict manifest").lines
    let text = try directory.text(of: "manifest")
    for (file, option) in [
      ("gcm.keys", "--keys"), ("rsa", "--rsa-key"), ("psk", "--psk"), ("hashes", "--known-hashes"),
    ] {
      #expect(verified.contains("\(file): OK"))
      #expect(text.contains(" bytes, the file of \(option)\n"))
    }
    // A hash of a short secret would give it away.
    #expect(text.contains("# pass, the file of --passphrase-file, without SHA-256"))
    try directory.apnsift(
      "report", "dump.bin", "--notes", "notes", "-o", "page", "--manifest", "other"
    ).exits(0)
    #expect(
      try directory.shell("sha256sum -c --strict other").lines == ["dump.bin: OK", "notes: OK", "page: OK"])
  }
}
