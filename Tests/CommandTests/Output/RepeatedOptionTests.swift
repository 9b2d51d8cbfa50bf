import CommandTestSupport
import Testing

/// docs/spec/interface.md#input-options.
@Suite("Options that are given twice") struct RepeatedOptionTests {
  static let wrong: [(line: String, message: String)] = [
    ("export --token-length 32 --token-length 54", "(32, then 54): give it once, as a list: "),
    ("inspect --token-length=32 --token-length 54", "(32, then 54): give it once, as a list: "),
    ("export --columns time --columns=token", "(time, then token): give it once, as a list: "),
    ("inspect --fail-on warning --fail-on unrecognised", "as a list: --fail-on warning,unrec"),
    ("inspect --earliest 1 --earliest 2", "--earliest is given twice (1, then 2)"),
    ("export -t csv --to json", "--to is given twice (csv, then json)"),
    ("export -t csv -t csv", "--to is given twice (csv, then csv)"),
    ("export --log-zone -05:00 --log-zone UTC", "--log-zone is given twice (-05:00, then UTC)"),
    ("report --title one\n --title two", #"--title is given twice (one\n, then two)"#),
    ("store list --store sqlite:a --store postgres://u:secret@h/d", "--store is given twice: give it once"),
  ]

  @Test("exit with 64, and both values are named; of a URL, neither is", arguments: wrong)
  func refused(_ line: String, _ message: String) throws {
    let outcome = try directory.apnsift(line.words + (line.hasPrefix("store") ? [] : ["dump.bin"])).exits(64)
    #expect(outcome.output.isEmpty && outcome.messages.count == 1)
    #expect(outcome.errors.contains(message) && !outcome.errors.contains("secret"), "\(outcome.errors)")
    #expect(try directory.names == ["--earliest", "dump.bin"])
  }

  private let directory = TestDirectory([
    "dump.bin": feedback(tuples(2)), "--earliest": feedback(tuples(2)),
  ])

  @Test(
    "flags, repeatable options and words after -- may be there twice",
    arguments: [
      "export --strict --strict dump.bin", "export --feedback-port 1 --feedback-port 2 dump.bin",
      "export -t csv --token-length 32,54 dump.bin", "inspect dump.bin -- --earliest --earliest",
      "export --log-zone -05:00 dump.bin", "report --title same --examiner same -o - dump.bin",
    ])
  func taken(_ line: String) throws { try directory.apnsift(line.words).exits(0) }

  @Test("apnsift-lab refuses them, too") func lab() throws {
    let line = "generate --kind dump --seed 1 --seed 2 -o out.bin"
    try directory.lab(line.words).exits(64, saying: "--seed is given twice (1, then 2)")
  }
}
