import Basics
import Testing

/// A way to break a case, and what `verify` says then.
struct BrokenCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// A shell command that breaks a sound case, run in its directory.
  var line: String
  /// The beginning of the message.
  var says: Message

  init(_ name: String, _ line: String, _ says: Message) {
    (testDescription, self.line, self.says) = (name, line, says)
  }

  /// `text` at the end of case.yml.
  init(_ name: String, adds text: String, _ says: Message) {
    self.init(name, "printf '%b\\n' \"\(text)\" >> case.yml", says)
  }

  static let all: [BrokenCase] = [
    BrokenCase("no case.yml", "rm case.yml", "no case.yml"),
    BrokenCase("no expected.ndjson", "rm expected.ndjson", "no expected.ndjson"),
    BrokenCase("no input", "rm input.bin", "no input"),
    BrokenCase("only an input", "rm case.yml expected.ndjson", "no case.yml"),
    BrokenCase("an input that is a directory", "rm input.bin; mkdir input.bin", "input.bin is not a regular"),
    BrokenCase("an input that leads nowhere", "ln -sf gone input.bin", "cannot open input.bin"),
    BrokenCase("a case.yml that is a pipe", "rm case.yml; mkfifo case.yml", "case.yml is not a regular"),
    BrokenCase(
      "an expectation that is a pipe", "rm expected.ndjson; mkfifo expected.ndjson",
      "expected.ndjson is not a regular"),
    BrokenCase(
      "an expectation that leads nowhere", "ln -sf gone expected.ndjson", "cannot open expected.ndjson"),
    BrokenCase(
      "an expectation that is too large", "head -c 17000000 /dev/zero | tr '\\0' ' ' >> expected.ndjson",
      "expected.ndjson is larger than"),
    BrokenCase(
      "more found than can be compared",
      "for n in $(seq 15); do cat input.bin input.bin > more && mv more input.bin; done",
      "the result takes more than"),
    BrokenCase(
      "another schema version", "sed -i 's,apnsift/1,apnsift/2,' expected.ndjson",
      "expected.ndjson: line 1, column 1: expected the schema \"apnsift/1\", found \"apnsift/2\""),
    // It follows the header, the stream, three tuples and the summary.
    BrokenCase("no JSON", "echo '{\"type\":' >> expected.ndjson", "expected.ndjson: line 7, column 9"),
    BrokenCase("YAML that is none", adds: "covers: [a", "case.yml: line 4, column 1"),
    BrokenCase("an empty case.yml", ": > case.yml", "case.yml: is empty"),
    BrokenCase("an unknown key", adds: "chunk: [1]", "case.yml: line 3, column 1: expected one of shows, "),
    BrokenCase("a key twice", adds: "shows: x", "case.yml: line 1, column 1: duplicate key 'shows'"),
    BrokenCase(
      "no purpose", "sed -i /shows/d case.yml", "case.yml: line 1, column 1: expected the key shows"),
    BrokenCase(
      "an empty origin", "sed -i 's/origin:.*/origin:/' case.yml",
      "case.yml: line 2, column 8: expected a text for origin, found nothing"),
    BrokenCase("chunks of nothing", adds: "chunks: [38, 0]", "case.yml: line 3, column 14: expected a size"),
    BrokenCase("chunks that are no list", adds: "chunks: 38", "case.yml: line 3, column 9: expected a list"),
    BrokenCase("options that are none", adds: "options: --strict", "case.yml: line 3, column 10: expected a"),
    BrokenCase("control characters", adds: #"covers: [\033[2J]"#, "case.yml: line 3, column 10: control"),
    BrokenCase(
      "an unknown option", adds: "options: [--no-such]", "invalid options: Unknown option '--no-such'"),
    BrokenCase("a value", adds: "options: [--token-length, x]", "invalid options: The value 'x' is invalid"),
    BrokenCase(
      "an option twice", adds: "options: [--token-length, 32, --token-length=54]",
      "invalid options: --token-length is given twice"),
    BrokenCase("help as an option", adds: "options: [--help]", "'--help' is not allowed in a case"),
    BrokenCase("a word as an option", adds: "options: [other.bin]", "'other.bin' is not an option"),
    BrokenCase("no filter", adds: "options: [--filter, 'port port']", "invalid options: --filter: "),
    BrokenCase(
      "half of a pair", adds: "options: [--requests, input.bin, --responses, gone.bin]",
      "cannot open gone.bin"),
    BrokenCase(
      "a pair from elsewhere", adds: "options: [--requests, /etc/passwd, --responses, input.bin]",
      "--requests must name a file of the case, not '/etc/passwd'"),
    BrokenCase(
      "a pair from another case", adds: "options: [--requests, ../sound/input.bin, --responses=input.bin]",
      "--requests must name a file of the case, not '../sound/input.bin'"),
  ]
}
