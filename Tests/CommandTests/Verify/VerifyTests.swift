import CaptureWriting
import Foundation
import Testing

/// `verify`: cases compared with their expectations.
@Suite("A corpus")
struct VerifyTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private static let sound = feedback(tuples(3))

  private func makeCorpus() throws {
    try directory.addCase("b-sound", Self.sound)
    try directory.addCase("a/cut-tail", Array(Self.sound.dropLast(5)))
    try directory.addCase("a/skipped", feedback(tuples(2)) + [1, 2, 3] + feedback(tuples(2, from: 5)))
  }

  // MARK: - As expected

  @Test("cases as expected")
  func holds() throws {
    try makeCorpus()
    let outcome = try directory.verify()
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.messages == ["verified 3 cases: 3 as expected, 0 different, 0 broken"])
  }

  @Test("--verbose lists every case in byte order, for any number of jobs")
  func verbose() throws {
    try makeCorpus()
    let expected = ["a/cut-tail", "a/skipped", "b-sound"].flatMap {
      ["ok      \($0)", "  shows: What \($0) shows."]
    }
    for jobs in ["1", "2", "16"] {
      #expect(try directory.verify("-v", "--jobs", jobs).lines == expected)
    }
  }

  @Test("the arguments can be a case or several directories")
  func named() throws {
    try makeCorpus()
    let one = try directory.apnsift("verify", "-v", "corpus/b-sound/")
    #expect(one.code == 0 && one.lines.first == "ok      b-sound", "\(one.errors)")
    let several = try directory.apnsift("verify", "-v", "corpus/a", "corpus/b-sound")
    #expect(several.lines.filter { $0.hasPrefix("ok") }.count == 3)
  }

  @Test(
    "options, pairs, captures and several inputs are read as export does in the case's directory")
  func inputs() throws {
    let push = Push(1, 7, token: token(1))
    try directory.makeCase(
      "pair", push.bytes,
      more: "options: [--requests, input.requests.bin, --responses=input.responses.bin]",
      input: "input.requests.bin")
    try directory.write(refusal(8, 7), to: "corpus/pair/input.responses.bin")
    try directory.expectExport("pair", "--requests input.requests.bin --responses input.responses.bin")
    try directory.makeCase(
      "lengths", Tuple(1_400_000_000, token(3, length: 54)).bytes + Self.sound,
      more: "options:\n- --token-length\n- 32,54\n")
    try directory.expectExport("lengths", "--token-length 32,54 input.bin")
    let packets = FrameWriter().packets(Conversation(serverSends: Self.sound).segments())
    try directory.makeCase("capture", PcapWriter().file(packets), input: "input.pcap")
    try directory.expectExport("capture")
    try directory.makeCase("several", Self.sound, input: "input.2.bin")
    try directory.write(Self.sound, to: "corpus/several/input.10.bin")
    try directory.expectExport("several")
    let outcome = try directory.verify()
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
    // Without the options the results differ.
    try directory.change("lengths/case.yml", "32,54", "32")
    #expect(try directory.verify().code == 1)
  }

  @Test(
    "a directory named like an input is not an input, and a byte order mark is ignored"
  )
  func names() throws {
    try directory.addCase("input.old/one", Self.sound)
    try directory.addCase("marked", Self.sound, more: "covers: [a]\n")
    try directory.write(
      "\u{feff}" + directory.text(of: "corpus/marked/case.yml"), to: "corpus/marked/case.yml")
    let outcome = try directory.verify("-v")
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.lines.filter { $0.hasPrefix("ok") } == ["ok      input.old/one", "ok      marked"])
  }

  @Test("a handwritten expectation may use another layout")
  func byHand() throws {
    try directory.makeCase("one", feedback(tuples(1)))
    let tuple = tuples(1)[0]
    try directory.write(
      """
      { "offset": 0, "token": "\(hex(tuple.token))", "token_length": 32, "timestamp": \(tuple.time),
      """.replacingOccurrences(of: "\n", with: "")
        + #" "time":"2014-05-13T16:53:20Z","direction":"server","stream":0,"source":"input.bin","flags":[],"file_offset":0,"type":"feedback"}"#
        + "\n\n"
        + #"{"type":"stream","source":"input.bin","stream":0,"protocol":"feedback","client_bytes":0,"server_bytes":38,"client_gap_bytes":0,"server_gap_bytes":0,"records":1,"findings":0}"#,
      to: "corpus/one/expected.ndjson")
    let outcome = try directory.verify()
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
  }

  // MARK: - Different

  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var old: String
    var new: String
    var says: [String]

    init(_ name: String, _ old: String, _ new: String, _ says: [String]) {
      (testDescription, self.old, self.new, self.says) = (name, old, new, says)
    }
  }

  static let changes = [
    Change(
      "a value", "\"timestamp\":1400000060", "\"timestamp\":1400000061",
      [
        "feedback at offset 38 of the server, stream 0 of input.bin: differs in timestamp", "-{", "+{",
        "1400000061",
      ]),
    Change("a flag", "\"flags\":[]", "\"flags\":[\"resynchronised\"]", ["3 differences", "flags"]),
    Change(
      "the offset", "\"offset\":38,", "\"offset\":39,",
      ["expected, but not found", "found, but not expected"]),
    Change("the source", "input.bin", "other.bin", ["differences"]),
    Change("the summary", "\"feedback\":3", "\"feedback\":4", ["summary: differs in feedback"]),
    Change("a digest", "\"sha256\":\"", "\"sha256\":\"0", ["summary: differs in inputs"]),
    Change("the end of a number", "1400000120", "1400000120.0", ["differs in timestamp"]),
  ]

  @Test("differences are listed", arguments: changes)
  func differs(_ change: Change) throws {
    try directory.addCase("sound", Self.sound)
    try directory.addCase("other", Self.sound)
    try directory.change("sound/expected.ndjson", change.old, change.new)
    let outcome = try directory.verify()
    #expect(outcome.code == 1)
    #expect(outcome.text.hasPrefix("failed sound: "))
    for part in change.says { #expect(outcome.text.contains(part), "\(outcome.text)") }
    #expect(outcome.messages.last == "verified 2 cases: 1 as expected, 1 different, 0 broken")
  }

  @Test("a changed input differs")
  func changedInput() throws {
    try directory.addCase("sound", Self.sound)
    try directory.write(Self.sound.dropLast(38), to: "corpus/sound/input.bin")
    let outcome = try directory.verify()
    #expect(outcome.code == 1)
    #expect(outcome.text.contains("feedback at offset 76"), "\(outcome.text)")
  }

  @Test("an input fault is an expected finding like any other")
  func brokenInput() throws {
    let packets = PcapWriter().file(FrameWriter().packets(Conversation(serverSends: Self.sound).segments()))
    try directory.makeCase("cut", Array(packets.dropLast(7)), input: "input.pcap")
    _ = try directory.shell("cd corpus/cut && \"$APNSIFT\" export -t ndjson input.pcap -o expected.ndjson")
    let outcome = try directory.verify()
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(outcome.messages.count == 1, "messages of cases are not printed: \(outcome.errors)")
  }

  // MARK: - Broken

  struct Broken: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// A shell command that breaks a sound case, run in its directory.
    var line: String
    var says: [String]

    init(_ name: String, _ line: String, _ says: [String]) {
      (testDescription, self.line, self.says) = (name, line, says)
    }
  }

  static let brokenCases = [
    Broken("no case.yml", "rm case.yml", ["no case.yml", "write one"]),
    Broken("no expected.ndjson", "rm expected.ndjson", ["no expected.ndjson", "--update"]),
    Broken("no input", "rm input.bin", ["no input; ", "input."]),
    Broken("only an input", "rm case.yml expected.ndjson", ["case.yml"]),
    Broken("an input that is a directory", "rm input.bin; mkdir input.bin", ["input.bin", "a file"]),
    Broken(
      "an input that is a link to nothing", "rm input.bin; ln -s gone input.bin",
      ["cannot open input.bin"]),
    Broken("a case.yml that is a pipe", "rm case.yml; mkfifo case.yml", ["case.yml", "a file"]),
    Broken(
      "an expectation that is a pipe", "rm expected.ndjson; mkfifo expected.ndjson",
      ["expected.ndjson", "a file"]),
    Broken(
      "an expectation that is a link to nothing", "rm expected.ndjson; ln -s gone expected.ndjson",
      ["cannot open expected.ndjson"]),
    Broken(
      "an expectation that is too large", "head -c 17000000 /dev/zero | tr '\\0' ' ' >> expected.ndjson",
      ["expected.ndjson is larger than 16.0 MiB", "split the case"]),
    Broken(
      "more found than can be compared",
      "for n in $(seq 15); do cat input.bin input.bin > more && mv more input.bin; done",
      ["16.0 MiB of NDJSON", "split the case"]),
    Broken(
      "another schema version", "sed -i 's,apnsift/1,apnsift/2,' expected.ndjson",
      ["line 1", "\"apnsift/1\"", "\"apnsift/2\"", "another version", "--update"]),
    Broken(
      "an expectation that is no JSON", "echo '{\"type\":' >> expected.ndjson",
      ["expected.ndjson: line", "column"]),
    Broken(
      "an expectation that is a directory", "rm expected.ndjson; mkdir expected.ndjson", ["expected.ndjson"]),
    Broken("YAML that is none", "echo 'covers: [a' >> case.yml", ["case.yml: line", "column", "YAML"]),
    Broken("an empty case.yml", ": > case.yml", ["case.yml", "shows"]),
    Broken(
      "an unknown key", "echo 'chunk: [1]' >> case.yml", ["line 3, column 1", "'chunk'", "nearest is chunks"]),
    Broken("a key twice", "echo 'shows: x' >> case.yml", ["case.yml: line", "'shows'", "duplicate key"]),
    Broken("no description of its purpose", "sed -i /shows/d case.yml", ["the key shows"]),
    Broken("an empty origin", "sed -i 's/origin:.*/origin:/' case.yml", ["line 2", "origin"]),
    Broken(
      "chunks of nothing", "echo 'chunks: [38, 0]' >> case.yml",
      ["line 3, column 14", "1 byte or more", "'0'"]),
    Broken(
      "chunks that are no list", "echo 'chunks: 38' >> case.yml", ["line 3, column 9", "a list for chunks"]),
    Broken("options that are no list", "echo 'options: --strict' >> case.yml", ["a list for options"]),
    Broken("an unknown option", "echo 'options: [--no-such]' >> case.yml", ["--no-such", "case.yml"]),
    Broken(
      "an option's value", "echo 'options: [--token-length, x]' >> case.yml", ["token-length", "case.yml"]),
    Broken("help as an option", "echo 'options: [--help]' >> case.yml", ["'--help'"]),
    Broken("a word as an option", "echo 'options: [other.bin]' >> case.yml", ["'other.bin'"]),
    Broken("a filter that is none", "echo \"options: [--filter, 'port port']\" >> case.yml", ["--filter"]),
    Broken(
      "half of a pair that is not there",
      "echo 'options: [--requests, input.bin, --responses, gone.bin]' >> case.yml", ["gone.bin"]),
    Broken(
      "a pair from elsewhere",
      "echo 'options: [--requests, /etc/passwd, --responses, input.bin]' >> case.yml",
      ["'/etc/passwd'", "a file of the case"]),
    Broken(
      "a pair from outside the case",
      "echo 'options: [--requests, ../sound/input.bin, --responses=input.bin]' >> case.yml",
      ["../sound/input.bin", "a file of the case"]),
    Broken(
      "a case.yml with control characters", "printf 'covers: [\\033[2J]' >> case.yml", ["case.yml", "line 3"]),
  ]

  @Test("a broken case has a reason and a remedy, and the others are verified", arguments: brokenCases)
  func broken(_ one: Broken) throws {
    try directory.addCase("sound", Self.sound)
    try directory.addCase("bad", Self.sound)
    let made = try directory.shell("cd corpus/bad && { \(one.line); }")
    try #require(made.code == 0, "\(made.errors)")
    let outcome = try directory.verify()
    #expect(outcome.code == 2, "\(outcome.text)")
    #expect(outcome.text.hasPrefix("broken bad: "), "\(outcome.text)")
    #expect(outcome.lines.count == 1)
    for part in one.says { #expect(outcome.text.contains(part), "\(part): \(outcome.text)") }
    #expect(!outcome.text.contains("\u{1b}"))
    #expect(outcome.messages == ["verified 2 cases: 1 as expected, 0 different, 1 broken"])
    #expect(try directory.verify("--reader", "cat >/dev/null").code == 2)
  }

  @Test("exit code 2 for a broken case takes precedence over 1 for a difference")
  func both() throws {
    try directory.addCase("different", Self.sound)
    try directory.change("different/expected.ndjson", "\"feedback\":3", "\"feedback\":4")
    try directory.makeCase("broken", Self.sound)
    #expect(try directory.verify().code == 2)
  }

  @Test("no case at all")
  func empty() throws {
    try directory.write("nothing", to: "corpus/docs/README.md")
    let outcome = try directory.verify()
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("corpus: no cases found"), "\(outcome.errors)")
    for missing in ["gone", "corpus/docs/README.md"] {
      let outcome = try directory.apnsift("verify", missing)
      #expect(outcome.code == 2)
      #expect(outcome.messages.first?.hasPrefix("\(missing): cannot list this directory") == true)
    }
  }

  // MARK: - Updating

  @Test("--update writes only different and missing expectations")
  func update() throws {
    try makeCorpus()
    let before = try directory.bytes(of: "corpus/b-sound/expected.ndjson")
    try directory.change("a/skipped/expected.ndjson", "\"token_length\":32", "\"token_length\":33")
    try directory.makeCase("new", Self.sound)
    try directory.addCase("old", Self.sound)
    try directory.change("old/expected.ndjson", "apnsift/1", "apnsift/0")
    let outcome = try directory.verify("--update")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(
      outcome.messages == [
        "a/skipped: wrote expected.ndjson", "new: wrote expected.ndjson", "old: wrote expected.ndjson",
        "verified 5 cases: 3 written, 2 as expected, 0 different, 0 broken",
      ])
    #expect(try directory.verify().code == 0)
    #expect(try directory.bytes(of: "corpus/b-sound/expected.ndjson") == before)
    let lines = try directory.text(of: "corpus/new/expected.ndjson").split(separator: "\n")
    #expect(lines.first == #"{"type":"header","schema":"apnsift/1"}"#)
    let types = try lines.map { try Evidence.object($0)["type"] as? String }
    #expect(types == ["header", "stream", "feedback", "feedback", "feedback", "summary"])
    #expect(try directory.shell("ls -A corpus/new").lines == ["case.yml", "expected.ndjson", "input.bin"])
  }

  @Test("--update changes only expectations")
  func updateBroken() throws {
    try directory.addCase("bad", Self.sound)
    _ = try directory.shell("rm corpus/bad/case.yml")
    let before = try directory.bytes(of: "corpus/bad/expected.ndjson")
    #expect(try directory.verify("--update").code == 2)
    #expect(try directory.bytes(of: "corpus/bad/expected.ndjson") == before)
  }

  @Test("an expectation that cannot be written breaks its case, and the others are written")
  func unwritable() throws {
    for name in ["a-directory", "b-link", "c-new"] { try directory.makeCase(name, Self.sound) }
    try directory.makeDirectory("corpus/a-directory/expected.ndjson")
    try directory.makeLink("corpus/b-link/expected.ndjson", to: "gone/expected.ndjson")
    let outcome = try directory.verify("--update")
    #expect(outcome.code == 2)
    #expect(
      outcome.lines.map { $0.prefix { $0 != ":" } } == ["broken a-directory", "broken b-link"],
      "\(outcome.text)")
    #expect(outcome.lines.allSatisfy { $0.contains("cannot write expected.ndjson") })
    #expect(
      outcome.messages == [
        "c-new: wrote expected.ndjson",
        "verified 3 cases: 1 written, 0 as expected, 0 different, 2 broken",
      ])
  }

  @Test("--update is reproducible, and does not depend on the directory")
  func stableUpdate() throws {
    try makeCorpus()
    _ = try directory.shell("find corpus -name expected.ndjson -delete")
    #expect(try directory.verify("--update").code == 0)
    let first = try directory.text(of: "corpus/a/skipped/expected.ndjson")
    _ = try directory.shell(
      "mkdir elsewhere; mv corpus elsewhere; find elsewhere -name expected.ndjson -delete")
    #expect(try directory.apnsift("verify", "--update", "elsewhere/corpus").code == 0)
    #expect(try directory.text(of: "elsewhere/corpus/a/skipped/expected.ndjson") == first)
    #expect(!first.contains("corpus") && !first.contains("message"))
  }
}
