import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing
import Wording

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
    let verified = Message.verified(cases: 3, written: nil, asExpected: 3, different: 0, broken: 0)
    #expect(outcome.messages == [verified.text])
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
    var says: [Message]

    init(_ name: String, _ old: String, _ new: String, _ says: [Message]) {
      (testDescription, self.old, self.new, self.says) = (name, old, new, says)
    }
  }

  /// The tuple at `offset`.
  private static func tuple(_ offset: Int) -> Message {
    .evidence("feedback", offset: offset, direction: "server", stream: 0, source: "input.bin")
  }

  static let changes = [
    Change(
      "a value", "\"timestamp\":1400000060", "\"timestamp\":1400000061",
      [
        .differences(1, shown: 1), .evidenceDiffers(tuple(38), in: ["timestamp"]),
        .verbatim("-{"), .verbatim("+{"), .verbatim("1400000061"),
      ]),
    Change(
      "a flag", "\"flags\":[]", "\"flags\":[\"resynchronised\"]",
      [
        .differences(3, shown: 3), .evidenceDiffers(tuple(0), in: ["flags"]),
        .evidenceDiffers(tuple(38), in: ["flags"]), .evidenceDiffers(tuple(76), in: ["flags"]),
      ]),
    Change(
      "the offset", "\"offset\":38,", "\"offset\":39,",
      ["\(tuple(39)): expected, but not found", "\(tuple(38)): found, but not expected"]),
    // A stream and three tuples, each missing and surplus, and the summary.
    Change("the source", "input.bin", "other.bin", [.differences(9, shown: 3)]),
    Change(
      "the summary", "\"feedback\":3", "\"feedback\":4",
      [.evidenceDiffers(.evidence("summary"), in: ["feedback"])]),
    Change(
      "a digest", "\"sha256\":\"", "\"sha256\":\"0",
      [.evidenceDiffers(.evidence("summary"), in: ["inputs"])]),
    Change(
      "the end of a number", "1400000120", "1400000120.0", [.evidenceDiffers(tuple(76), in: ["timestamp"])]),
  ]

  @Test("differences are listed", arguments: changes)
  func differs(_ change: Change) throws {
    try directory.addCase("sound", Self.sound)
    try directory.addCase("other", Self.sound)
    try directory.change("sound/expected.ndjson", change.old, change.new)
    let outcome = try directory.verify()
    #expect(outcome.code == 1)
    #expect(outcome.text.hasPrefix("failed sound: "))
    for part in change.says { #expect(outcome.text.contains(part.text), "\(part): \(outcome.text)") }
    let verified = Message.verified(cases: 2, written: nil, asExpected: 1, different: 1, broken: 0)
    #expect(outcome.messages.last == verified.text)
  }

  @Test("a changed input differs")
  func changedInput() throws {
    try directory.addCase("sound", Self.sound)
    try directory.write(Self.sound.dropLast(38), to: "corpus/sound/input.bin")
    let outcome = try directory.verify()
    #expect(outcome.code == 1)
    #expect(outcome.text.contains("\(Self.tuple(76)): expected, but not found"), "\(outcome.text)")
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

  @Test(
    "a broken case has a reason and a remedy, and the others are verified",
    arguments: BrokenCase.files + BrokenCase.descriptions + BrokenCase.options)
  func broken(_ one: BrokenCase) throws {
    try directory.addCase("sound", Self.sound)
    try directory.addCase("bad", Self.sound)
    let made = try directory.shell("cd corpus/bad && { \(one.line); }")
    try #require(made.code == 0, "\(made.errors)")
    let outcome = try directory.verify()
    #expect(outcome.code == 2, "\(outcome.text)")
    #expect(outcome.text.hasPrefix("broken bad: \(one.says)"), "\(outcome.text)")
    #expect(outcome.lines.count == 1)
    #expect(!outcome.text.contains("\u{1b}"))
    let verified = Message.verified(cases: 2, written: nil, asExpected: 1, different: 0, broken: 1)
    #expect(outcome.messages == [verified.text])
    #expect(try directory.testReader("--reader", "cat >/dev/null").code == 2)
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
    #expect(
      outcome.messages.first
        == Message.about(
          "corpus", "no cases found; a case is a directory with input.*, case.yml and expected.ndjson"
        ).text)
    for (missing, error) in [("gone", ENOENT), ("corpus/docs/README.md", ENOTDIR)] {
      let outcome = try directory.apnsift("verify", missing)
      #expect(outcome.code == 2)
      let error = Message.about(missing, "cannot list this directory: \(SystemError.text(error))")
      let verified = Message.verified(cases: 0, written: nil, asExpected: 0, different: 0, broken: 0)
      #expect(outcome.messages == [error.text, Message.done(verified, failedDirectories: 1).text])
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
    let written = ["a/skipped", "new", "old"].map { Message.about($0, "wrote expected.ndjson") }
    let verified = Message.verified(cases: 5, written: 3, asExpected: 2, different: 0, broken: 0)
    #expect(outcome.messages == (written + [verified]).map(\.text))
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
    let isDirectory = Message.outputIsDirectory("corpus/a-directory/expected.ndjson")
    let isBrokenLink = Message("corpus/b-link/expected.ndjson is a broken symbolic link")
    #expect(
      outcome.lines == [
        "broken a-directory: cannot write expected.ndjson: \(isDirectory)",
        "broken b-link: cannot write expected.ndjson: \(isBrokenLink)",
      ], "\(outcome.text)")
    let verified = Message.verified(cases: 3, written: 1, asExpected: 0, different: 0, broken: 2)
    #expect(outcome.messages == [Message.about("c-new", "wrote expected.ndjson"), verified].map(\.text))
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
