import Basics

/// Ways to break a case, and what `verify` says then.
enum BrokenCases {
  /// The name, a shell command that breaks a sound case, run in its directory, and the beginning of the message.
  typealias Case = (name: String, line: String, says: Message)

  /// `text` at the end of case.yml.
  private static func adds(_ text: String) -> String { "printf '%b\\n' \"\(text)\" >> case.yml" }

  static let all: [Case] = [
    ("no case.yml", "rm case.yml", "no case.yml"),
    ("no expected.ndjson", "rm expected.ndjson", "no expected.ndjson"),
    ("no input", "rm input.bin", "no input"),
    ("only an input", "rm case.yml expected.ndjson", "no case.yml"),
    ("an input that is a directory", "rm input.bin; mkdir input.bin", "input.bin is not a regular"),
    ("an input that leads nowhere", "ln -sf gone input.bin", "cannot open input.bin"),
    ("a case.yml that is a pipe", "rm case.yml; mkfifo case.yml", "case.yml is not a regular"),
    (
      "an expectation that is a pipe", "rm expected.ndjson; mkfifo expected.ndjson",
      "expected.ndjson is not a regular"
    ),
    ("an expectation that leads nowhere", "ln -sf gone expected.ndjson", "cannot open expected.ndjson"),
    (
      "an expectation that is too large", "head -c 17000000 /dev/zero | tr '\\0' ' ' >> expected.ndjson",
      "expected.ndjson is larger than"
    ),
    (
      "more found than can be compared",
      "for n in $(seq 15); do cat input.bin input.bin > more && mv more input.bin; done",
      "the result takes more than"
    ),
    (
      "another schema version", "sed -i 's,apnsift/1,apnsift/2,' expected.ndjson",
      "expected.ndjson: line 1, column 1: expected the schema \"apnsift/1\", found \"apnsift/2\""
    ),
    // It follows the header, the stream, three tuples and the summary.
    ("no JSON", "echo '{\"type\":' >> expected.ndjson", "expected.ndjson: line 7, column 9"),
    ("YAML that is none", adds("covers: [a"), "case.yml: line 4, column 1"),
    ("an empty case.yml", ": > case.yml", "case.yml: is empty"),
    ("an unknown key", adds("chunk: [1]"), "case.yml: line 3, column 1: expected one of shows, "),
    ("a key twice", adds("shows: x"), "case.yml: line 1, column 1: duplicate key 'shows'"),
    ("no purpose", "sed -i /shows/d case.yml", "case.yml: line 1, column 1: expected the key shows"),
    (
      "an empty origin", "sed -i 's/origin:.*/origin:/' case.yml",
      "case.yml: line 2, column 8: expected a text for origin, found nothing"
    ),
    ("chunks of nothing", adds("chunks: [38, 0]"), "case.yml: line 3, column 14: expected a size"),
    ("chunks that are no list", adds("chunks: 38"), "case.yml: line 3, column 9: expected a list"),
    ("options that are none", adds("options: --strict"), "case.yml: line 3, column 10: expected a"),
    ("control characters", adds(#"covers: [\033[2J]"#), "case.yml: line 3, column 10: control"),
    ("an unknown option", adds("options: [--no-such]"), "invalid options: Unknown option '--no-such'"),
    ("a value", adds("options: [--token-length, x]"), "invalid options: The value 'x' is invalid"),
    (
      "an option twice", adds("options: [--token-length, 32, --token-length=54]"),
      "invalid options: --token-length is given twice"
    ),
    ("help as an option", adds("options: [--help]"), "'--help' is not allowed in a case"),
    ("a word as an option", adds("options: [other.bin]"), "'other.bin' is not an option"),
    ("no filter", adds("options: [--filter, 'port port']"), "invalid options: --filter: "),
    (
      "half of a pair", adds("options: [--requests, input.bin, --responses, gone.bin]"),
      "cannot open gone.bin"
    ),
    (
      "a pair from elsewhere", adds("options: [--requests, /etc/passwd, --responses, input.bin]"),
      "--requests must name a file of the case, not '/etc/passwd'"
    ),
    (
      "a pair from another case", adds("options: [--requests, ../sound/input.bin, --responses=input.bin]"),
      "--requests must name a file of the case, not '../sound/input.bin'"
    ),
  ]
}
