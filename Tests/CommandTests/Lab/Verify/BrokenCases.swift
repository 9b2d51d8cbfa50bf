import Basics
import CommandTestSupport
import Testing
import Wording

/// A way to break a case, and what `verify` says then.
struct BrokenCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// A shell command that breaks a sound case, run in its directory.
  var line: String
  /// The message, or its beginning.
  var says: Message

  init(_ name: String, _ line: String, _ says: Message) {
    (testDescription, self.line, self.says) = (name, line, says)
  }

  /// - Parameter problem: that of case.yml, to which `append` is appended.
  init(_ name: String, append: String, at line: Int, _ column: Int, _ problem: Message) {
    self.init(
      name, "printf '\(append)\\n' >> case.yml",
      .about("case.yml", .located(problem, line: line, column: column)))
  }
}

extension BrokenCase {
  private static let missing = SystemError.text(ENOENT)
  private static let keys = ["shows", "origin", "options", "chunks", "covers"]

  static let files: [BrokenCase] = [
    BrokenCase(
      "no case.yml", "rm case.yml",
      "no case.yml; write one that says what the case shows and where its bytes come from"),
    BrokenCase(
      "no expected.ndjson", "rm expected.ndjson",
      "no expected.ndjson; --update writes the current result: review it"),
    BrokenCase(
      "no input", "rm input.bin", "no input; put the bytes into a file whose name begins with input."),
    BrokenCase(
      "only an input", "rm case.yml expected.ndjson",
      "no case.yml; write one that says what the case shows and where its bytes come from"),
    BrokenCase(
      "an input that is a directory", "rm input.bin; mkdir input.bin", .caseFileNotRegular("input.bin")),
    BrokenCase(
      "an input that is a link to nothing", "rm input.bin; ln -s gone input.bin",
      .cannotOpen("input.bin", missing)),
    BrokenCase("a case.yml that is a pipe", "rm case.yml; mkfifo case.yml", .caseFileNotRegular("case.yml")),
    BrokenCase(
      "an expectation that is a pipe", "rm expected.ndjson; mkfifo expected.ndjson",
      .caseFileNotRegular("expected.ndjson")),
    BrokenCase(
      "an expectation that is a link to nothing", "rm expected.ndjson; ln -s gone expected.ndjson",
      .cannotOpen("expected.ndjson", missing)),
    BrokenCase(
      "an expectation that is a directory", "rm expected.ndjson; mkdir expected.ndjson",
      .caseFileNotRegular("expected.ndjson")),
    BrokenCase(
      "an expectation that is too large", "head -c 17000000 /dev/zero | tr '\\0' ' ' >> expected.ndjson",
      .expectationTooLarge(16 << 20)),
    BrokenCase(
      "more found than can be compared",
      "for n in $(seq 15); do cat input.bin input.bin > more && mv more input.bin; done",
      .caseResultTooLarge(16 << 20)),
    BrokenCase(
      "another schema version", "sed -i 's,apnsift/1,apnsift/2,' expected.ndjson",
      .invalidExpectation(
        .evidenceSchemaExpected("apnsift/1", found: "\"apnsift/2\""), line: 1, column: 1,
        isOtherVersion: true)),
    BrokenCase(
      // It follows the header, the stream, three tuples and the summary.
      "an expectation that is no JSON", "echo '{\"type\":' >> expected.ndjson",
      .invalidExpectation(
        .jsonExpected("a value", found: nil), line: 7, column: 9, isOtherVersion: false)),
  ]

  static let descriptions: [BrokenCase] = [
    BrokenCase(
      "YAML that is none", append: "covers: [a", at: 4, 1, .notYAML("did not find expected ',' or ']'")),
    BrokenCase(
      "an empty case.yml", ": > case.yml",
      .about("case.yml", "is empty; it needs the keys shows and origin, see docs/corpora.md")),
    BrokenCase(
      "an unknown key", append: "chunk: [1]", at: 3, 1,
      "expected one of \(keys.joined(separator: ", ")), found 'chunk'; the nearest is chunks"),
    BrokenCase("a key twice", append: "shows: x", at: 1, 1, .yamlDuplicateKey("shows")),
    BrokenCase(
      "no description of its purpose", "sed -i /shows/d case.yml",
      .about("case.yml", .located(.caseKeyMissing("shows"), line: 1, column: 1))),
    BrokenCase(
      "an empty origin", "sed -i 's/origin:.*/origin:/' case.yml",
      .about("case.yml", .located(.caseTextExpected("origin", found: "nothing"), line: 2, column: 8))),
    BrokenCase(
      "chunks of nothing", append: "chunks: [38, 0]", at: 3, 14,
      "expected a size of 1 byte or more, found '0'; write chunks as in [38, 100]"),
    BrokenCase(
      "chunks that are no list", append: "chunks: 38", at: 3, 9, .caseListExpected("chunks", found: "'38'")),
    BrokenCase(
      "options that are no list", append: "options: --strict", at: 3, 10,
      .caseListExpected("options", found: "'--strict'")),
    BrokenCase(
      "a case.yml with control characters", append: "covers: [\\033[2J]", at: 3, 10,
      .yamlControlCharacter([0x1b])),
  ]

  static let options: [BrokenCase] = [
    // The parser's messages.
    BrokenCase(
      "an unknown option", "echo 'options: [--no-such]' >> case.yml",
      .invalidCaseOptions("Unknown option '--no-such'")),
    BrokenCase(
      "an option's value", "echo 'options: [--token-length, x]' >> case.yml",
      .invalidCaseOptions("The value 'x' is invalid for '--token-length <LIST>'")),
    BrokenCase(
      "an option twice", "echo 'options: [--token-length, 32, --token-length=54]' >> case.yml",
      .invalidCaseOptions(
        "--token-length is given twice (32, then 54): give it once, as a list: --token-length 32,54")),
    BrokenCase("help as an option", "echo 'options: [--help]' >> case.yml", .notAllowedInCase("--help")),
    BrokenCase(
      "a word as an option", "echo 'options: [other.bin]' >> case.yml",
      "'other.bin' is not an option; the inputs of a case are its files input.*"),
    BrokenCase(
      // The rest of the message is libpcap's.
      "a filter that is none", "echo \"options: [--filter, 'port port']\" >> case.yml",
      .invalidOptions(.about("--filter", .verbatim("")))),
    BrokenCase(
      "half of a pair that is not there",
      "echo 'options: [--requests, input.bin, --responses, gone.bin]' >> case.yml",
      .cannotOpen("gone.bin", missing)),
    BrokenCase(
      "a pair from elsewhere",
      "echo 'options: [--requests, /etc/passwd, --responses, input.bin]' >> case.yml",
      "--requests must name a file of the case, not '/etc/passwd'; put the file next to case.yml"),
    BrokenCase(
      "a pair from outside the case",
      "echo 'options: [--requests, ../sound/input.bin, --responses=input.bin]' >> case.yml",
      "--requests must name a file of the case, not '../sound/input.bin'; put the file next to case.yml"),
  ]
}
