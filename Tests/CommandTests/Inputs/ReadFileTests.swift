import Basics
import CommandTestSupport
import TestSupport
import Testing
import Wording

/// Everything that a run reads is an input: no output replaces it.
@Suite("Files that are read")
struct ReadFileTests {
  private let directory = TestDirectory()

  init() throws {
    for (name, text) in [
      ("key", String(repeating: "0123456789abcdef\n", count: 4)), ("notes", "One remark.\n"),
      ("hashes", String(repeating: "0", count: 64) + "  none\n"), ("pass", "secret\n"),
      ("psk", "device:0123456789abcdef\n"), ("empty.bin", ""),
      (
        "mapping",
        "table: device_tokens\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n"
      ),
    ] { try directory.write(text, to: name) }
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    for name in ["gcm.pcap", "gcm.keys"] { try directory.write(try sample(name), to: name) }
    _ = try directory.tool("openssl", "genrsa -traditional -aes128 -passout file:pass -out rsa 1024".words)
    try directory.apnsift(
      "replay dump.bin --store sqlite:store --journal sqlite:journal --create".words
    ).exits(0)
  }

  private func sample(_ name: String) throws -> [UInt8] {
    try directory.bytes(of: Repository.path(of: "samples/tls/\(name)"))
  }

  /// A command whose output would replace a file, and what that is.
  static let commands: [(String, String, String)] =
    Fixtures.rows("outputs over files that are read", in: "command-cases")

  @Test("none is replaced, also through links", arguments: commands, ["", "link", "hardlink"])
  func outputs(_ one: (command: String, file: String, use: String), _ kind: String) throws {
    if !kind.isEmpty, !directory.exists(one.file) { return }
    if kind == "link" { try directory.makeLink("link", to: one.file) }
    if kind == "hardlink" { _ = link(directory.path(of: one.file), directory.path(of: "hardlink")) }
    func content() throws -> [UInt8] { directory.exists(one.file) ? try directory.bytes(of: one.file) : [] }
    let before = try content()
    try directory.apnsift("\(one.command) \(kind.isEmpty ? one.file : kind) --force".words)
      .exits(2, saying: " is \(one.use): name another file to write")
    #expect(try content() == before)
  }

  @Test(
    "standard output is none of them",
    arguments: ["export gcm.pcap --keys gcm.keys >>gcm.keys", "store export --store sqlite:store >>store"])
  func standardOutput(_ command: String) throws {
    let file = String(command.split(separator: ">").last ?? "")
    let before = try directory.bytes(of: file)
    try directory.shell("\"$APNSIFT\" \(command)").exits(2, saying: "standard output (\(file)) is the ")
    #expect(try directory.bytes(of: file) == before)
  }

  @Test("a file in an output directory")
  func inDirectory() throws {
    try directory.write(try sample("gcm.keys"), to: "out/feedback.csv")
    try directory.apnsift("export gcm.pcap --keys out/feedback.csv -o out --force".words)
      .exits(2, saying: .outputIsRead("out/feedback.csv", "the file of --keys"))
    #expect(try directory.bytes(of: "out/feedback.csv") == sample("gcm.keys"))
  }

  @Test("an input does not become a store")
  func store() throws {
    try directory.apnsift("replay empty.bin --store sqlite:empty.bin --create".words)
      .exits(2, saying: .outputIsRead("empty.bin", ReadFiles.input))
    #expect(try directory.bytes(of: "empty.bin").isEmpty)
  }

  @Test(
    "two outputs are not one file",
    arguments: ["-o out/ --manifest out/summary.json", "-t raw -o out --checksums out/streams.json"])
  func sameOutputs(_ options: String) throws {
    try directory.apnsift("export dump.bin --force \(options)".words).exits(2, saying: "name the same file")
  }

  @Test("a manifest lists them, and what they are")
  func manifest() throws {
    let keys = "--keys gcm.keys --rsa-key rsa --passphrase-file pass --psk psk"
    try directory.apnsift(
      "export gcm.pcap \(keys) --known-hashes hashes -o all.csv --manifest manifest".words
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
    try directory.apnsift("report dump.bin --notes notes -o page --manifest other".words).exits(0)
    let other = try directory.shell("sha256sum -c --strict other").lines
    #expect(other == ["dump.bin: OK", "notes: OK", "page: OK"])
  }
}
