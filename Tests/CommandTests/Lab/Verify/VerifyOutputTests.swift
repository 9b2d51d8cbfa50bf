import Basics
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// JUnit of `verify`, and wrong usage.
@Suite("Machine-readable results of a corpus") struct VerifyOutputTests {
  private let directory = TestDirectory()

  init() throws {
    for name in ["c-sound", "b-wrong", "odd"] { try directory.addCase(name, feedback(tuples(2))) }
    try directory.change("b-wrong/expected.ndjson", "\"timestamp\":1400000060", "\"timestamp\":5")
    try directory.makeCase("a-broken", [])
    // A name and a sentence with the special characters of the formats, and a terminal escape sequence.
    let name = "d <&>\"'#\\ ]]> é"
    try directory.write("shows: \"<b> & # \\\\ é \\x1b[2J ]]>\"\norigin: A test\n", to: "corpus/odd/case.yml")
    try FileManager.default.moveItem(
      atPath: directory.path(of: "corpus/odd"), toPath: directory.path(of: "corpus/\(name)"))
  }

  @Test("JUnit, read with Python's parser") func junit() throws {
    try directory.verify("--junit", "out.xml").exits(2)
    let script = """
      import xml.etree.ElementTree as tree
      root = tree.parse("out.xml").getroot()
      suite = root[0]
      print(root.tag, suite.tag, suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped"))
      for case in suite:
          print("|".join([case.get("name")] + [child.tag for child in case]))
      print(suite[1][0].get("message"))
      print("timestamp" in suite[1][0].text)
      """
    let printed = try directory.tool("python3", ["-c", script])
    #expect(
      String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init) == [
        "testsuites testsuite 4 1 1 0", "a-broken|error|system-out", "b-wrong|failure|system-out",
        "c-sound|system-out", "d <&>\"'#\\ ]]> é|system-out", "1 difference", "True",
      ])
    #expect(try directory.bytes(of: "out.xml").allSatisfy { $0 >= 0x20 || $0 == 0x0a })
  }

  @Test("the file is replaced only with --force, and an input never") func existing() throws {
    try directory.write("mine", to: "out.xml")
    try directory.verify("--junit", "out.xml").exits(2, saying: "out.xml exists already")
    #expect(try directory.text(of: "out.xml") == "mine")
    #expect(try directory.verify("--junit", "out.xml", "--force").code == 2)
    #expect(try directory.text(of: "out.xml").hasPrefix("<?xml"))
    let input = "corpus/c-sound/input.bin"
    let refused = try directory.verify("--junit", input, "--force")
    #expect(refused.said("\(input) is a file of case c-sound: name another file to write"))
    #expect(try directory.bytes(of: input) == feedback(tuples(2)))
    #expect(try directory.names == ["corpus", "out.xml"])
  }

  @Test("no output contains noncharacters") func noCharacters() throws {
    try directory.addCase("x\u{fffe}y\u{ffff}", feedback(tuples(2)))
    try directory.change("x\u{fffe}y\u{ffff}/expected.ndjson", "\"input.bin\"", "\"\u{fffe}\"")
    let outcome = try directory.verify("-v", "--junit", "out.xml")
    for text in [outcome.text, try directory.text(of: "out.xml")] {
      #expect(text.contains("u{fffe}y"), "\(text)")
      #expect(!text.unicodeScalars.contains { $0.value == 0xfffe || $0.value == 0xffff })
    }
  }

  @Test("a file that cannot be written does not affect the other output") func fullDisk() throws {
    let all = try directory.verify("-v")
    let outcome = try directory.verify("-v", "--junit", "/dev/full").exits(2)
    #expect(outcome.output == all.output)
    #expect(outcome.messages.dropLast() == all.messages[...])
    let failure = Message.outputNotWritten("/dev/full", SystemError.text(ENOSPC))
    #expect(outcome.messages.last == failure.text, "\(outcome.errors)")
  }

  @Test("a closed output pipe is no error") func closedPipe() throws {
    let outcome = try directory.shell("\"$APNSIFT\" verify -v corpus | true; echo done")
    #expect(outcome.text == "done\n")
    #expect(outcome.messages.allSatisfy { $0.hasPrefix("verified 4 cases: ") }, "\(outcome.errors)")
  }

  @Test(
    "wrong usage",
    arguments: Fixtures.rows("verify", in: "usage") as [(String, String)])
  func usage(_ line: String, _ says: String) throws {
    let words = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    let arguments = Array(words.dropFirst())
    let outcome = try words[0] == "lab" ? directory.lab(arguments) : directory.apnsift(arguments)
    outcome.exits(64, saying: .verbatim(says))
  }
}
