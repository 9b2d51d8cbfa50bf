import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `verify`: cases compared with their expectations.
@Suite("A corpus") struct VerifyTests {
  private let directory = TestDirectory()

  private static let sound = feedback(tuples(3))

  private func makeCorpus() throws {
    try directory.addCase("b-sound", Self.sound)
    try directory.addCase("a/cut-tail", Array(Self.sound.dropLast(5)))
    try directory.addCase("a/skipped", feedback(tuples(2)) + [1, 2, 3] + feedback(tuples(2, from: 5)))
  }

  // MARK: - As expected

  @Test("--verbose alone lists the cases as expected, in byte order, for any number of jobs") func verbose()
    throws
  {
    try makeCorpus()
    let expected = ["a/cut-tail", "a/skipped", "b-sound"].flatMap {
      ["ok      \($0)", "  shows: What \($0) shows."]
    }
    for jobs in ["1", "2", "16"] { #expect(try directory.verify("-v", "--jobs", jobs).lines == expected) }
    let outcome = try directory.verify().exits(0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.messages == ["verified 3 cases: 3 as expected, 0 different, 0 broken"])
  }

  @Test("the arguments can be a case or several directories") func named() throws {
    try makeCorpus()
    let one = try directory.apnsift("verify", "-v", "corpus/b-sound/")
    #expect(one.code == 0 && one.lines.first == "ok      b-sound", "\(one.errors)")
    let several = try directory.apnsift("verify", "-v", "corpus/a", "corpus/b-sound")
    #expect(several.lines.filter { $0.hasPrefix("ok") }.count == 3)
  }

  @Test("options, pairs, captures and several inputs are read as export does in the case's directory")
  func inputs() throws {
    try directory.addPair("pair")
    try directory.makeCase(
      "lengths", Tuple(1_400_000_000, token(3, length: 54)).bytes + Self.sound,
      more: "options:\n- --token-length\n- 32,54\n")
    try directory.expectExport("lengths", "--token-length 32,54 input.bin")
    try directory.addCase("capture", capture: Conversation(serverSends: Self.sound).segments())
    try directory.makeCase("several", Self.sound, input: "input.2.bin")
    try directory.write(Self.sound, to: "corpus/several/input.10.bin")
    try directory.expectExport("several")
    let outcome = try directory.verify()
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
    // Without the options the results differ.
    try directory.change("lengths/case.yml", "32,54", "32")
    #expect(try directory.verify().code == 1)
  }

  @Test("a directory named like an input is not an input, and a byte order mark is ignored")
  func names() throws {
    try directory.addCase("input.old/one", Self.sound)
    try directory.addCase("marked", Self.sound, more: "covers: [a]\n")
    try directory.write(
      "\u{feff}" + directory.text(of: "corpus/marked/case.yml"), to: "corpus/marked/case.yml")
    let outcome = try directory.verify("-v")
    #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.lines.filter { $0.hasPrefix("ok") } == ["ok      input.old/one", "ok      marked"])
  }

  // MARK: - Different

  /// What differs in general is tested in CorporaTests. Another name of the input gives 9 differences: a stream and three
  /// tuples are each missing and surplus, and the summary differs.
  @Test(
    "differences are listed",
    arguments: Fixtures.rows("differences", in: "lab-cases") as [(String, String, [String])])
  func differs(_ old: String, _ new: String, _ says: [String]) throws {
    for name in ["sound", "other"] { try directory.addCase(name, Self.sound) }
    try directory.change("sound/expected.ndjson", old, new)
    let outcome = try directory.verify().exits(1)
    #expect(outcome.text.hasPrefix("failed sound: "))
    for part in says { #expect(outcome.text.contains(part), "\(part): \(outcome.text)") }
    #expect(outcome.messages.last == "verified 2 cases: 1 as expected, 1 different, 0 broken")
  }

  @Test("an input fault is an expected finding like any other") func brokenInput() throws {
    let packets = PcapWriter().file(FrameWriter().packets(Conversation(serverSends: Self.sound).segments()))
    try directory.makeCase("cut", Array(packets.dropLast(7)), input: "input.pcap")
    _ = try directory.shell("cd corpus/cut && \"$APNSIFT\" export -t ndjson input.pcap -o expected.ndjson")
    let outcome = try directory.verify()
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(outcome.messages.count == 1, "messages of cases are not printed: \(outcome.errors)")
  }

  // MARK: - Broken

  /// Ways to break a sound case: the name, a shell command that is run in its directory, in which `add` adds a text to
  /// case.yml, and the beginning of the message. The expectation has a header, a stream, three tuples and a summary.
  @Test(
    "a broken case has a reason and a remedy, and the others are verified",
    arguments: Fixtures.rows("broken cases", in: "lab-cases") as [(String, String, String)])
  func broken(_ name: String, _ line: String, _ says: String) throws {
    for name in ["sound", "bad"] { try directory.addCase(name, Self.sound) }
    let made = try directory.shell(
      "add() { printf '%b\\n' \"$1\" >> case.yml; }; cd corpus/bad && { \(line); }")
    try #require(made.code == 0, "\(made.errors)")
    let outcome = try directory.verify()
    #expect(outcome.code == 2, "\(outcome.text)")
    #expect(outcome.text.hasPrefix("broken bad: \(says)"), "\(outcome.text)")
    #expect(outcome.lines.count == 1 && !outcome.text.contains("\u{1b}"))
    #expect(outcome.messages == ["verified 2 cases: 1 as expected, 0 different, 1 broken"])
    #expect(try directory.testReader("--reader", "cat >/dev/null").code == 2)
  }

  @Test("no case at all") func empty() throws {
    try directory.write("nothing", to: "corpus/docs/README.md")
    let outcome = try directory.verify().exits(2)
    #expect(outcome.messages.first?.hasPrefix("corpus: no cases found") == true)
    for (missing, error) in [("gone", ENOENT), ("corpus/docs/README.md", ENOTDIR)] {
      let outcome = try directory.apnsift("verify", missing).exits(
        2, saying: "\(missing): cannot list this directory: \(SystemError.text(error))")
      #expect(outcome.messages.last?.contains("broken; 1 directory failed") == true)
    }
  }

  // MARK: - Updating

  @Test("--update writes only different and missing expectations") func update() throws {
    try makeCorpus()
    let before = try directory.bytes(of: "corpus/b-sound/expected.ndjson")
    try directory.change("a/skipped/expected.ndjson", "\"token_length\":32", "\"token_length\":33")
    try directory.makeCase("new", Self.sound)
    try directory.addCase("old", Self.sound)
    try directory.change("old/expected.ndjson", "apnsift/1", "apnsift/0")
    let outcome = try directory.verify("--update").exits(0)
    let written = ["a/skipped", "new", "old"].map { "\($0): wrote expected.ndjson" }
    #expect(
      outcome.messages == written + ["verified 5 cases: 3 written, 2 as expected, 0 different, 0 broken"])
    #expect(try directory.verify().code == 0)
    #expect(try directory.bytes(of: "corpus/b-sound/expected.ndjson") == before)
    let lines = try directory.text(of: "corpus/new/expected.ndjson").split(separator: "\n")
    #expect(lines.first == #"{"type":"header","schema":"apnsift/1"}"#)
    let types = try lines.map { try Evidence.object($0)["type"] as? String }
    #expect(types == ["header", "stream", "feedback", "feedback", "feedback", "summary"])
    #expect(try directory.shell("ls -A corpus/new").lines == ["case.yml", "expected.ndjson", "input.bin"])
  }

  @Test("--update changes only expectations") func updateBroken() throws {
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
    let outcome = try directory.verify("--update").exits(2)
    #expect(outcome.lines.count == 2)
    for (line, name) in zip(outcome.lines, ["a-directory", "b-link"]) {
      #expect(
        line.hasPrefix("broken \(name): cannot write expected.ndjson: corpus/\(name)/expected.ndjson is a "))
    }
    #expect(outcome.messages.first == "c-new: wrote expected.ndjson")
    #expect(outcome.messages.last == "verified 3 cases: 1 written, 0 as expected, 0 different, 2 broken")
  }

  @Test("--update is reproducible, and does not depend on the directory") func stableUpdate() throws {
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
