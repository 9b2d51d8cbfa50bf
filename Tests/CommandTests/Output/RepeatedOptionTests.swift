import CommandTestSupport
import Testing

/// docs/spec/interface.md#input-options.
@Suite("Options that are given twice")
struct RepeatedOptionTests {
  static let wrong: [(arguments: [String], message: String)] = [
    (
      ["export", "--token-length", "32", "--token-length", "54", "dump.bin"],
      "--token-length is given twice (32, then 54): give it once, as a list: --token-length 32,54"
    ),
    (
      ["--token-length=32", "dump.bin", "--token-length", "54"],
      "--token-length is given twice (32, then 54): give it once, as a list: --token-length 32,54"
    ),
    (
      ["export", "--columns", "time", "--columns=token", "dump.bin"],
      "--columns is given twice (time, then token): give it once, as a list: --columns time,token"
    ),
    (
      ["inspect", "--fail-on", "warning", "--fail-on", "unrecognised", "dump.bin"],
      "--fail-on is given twice (warning, then unrecognised): give it once, as a list: --fail-on warning,unrecognised"
    ),
    (
      ["inspect", "--earliest", "1", "--earliest", "2", "dump.bin"],
      "--earliest is given twice (1, then 2): give it once"
    ),
    (
      ["export", "-t", "csv", "dump.bin", "--to", "json"],
      "--to is given twice (csv, then json): give it once"
    ),
    (["export", "-t", "csv", "-t", "csv", "dump.bin"], "--to is given twice (csv, then csv): give it once"),
    (
      ["export", "--log-zone", "-05:00", "dump.bin", "--log-zone", "UTC"],
      "--log-zone is given twice (-05:00, then UTC): give it once"
    ),
    (
      ["report", "--title", "one\n", "--title", "two", "dump.bin"],
      #"--title is given twice (one\n, then two): give it once"#
    ),
    (
      ["store", "list", "--store", "sqlite:a", "--store", "postgres://u:secret@h/d"],
      "--store is given twice: give it once"
    ),
  ]

  @Test("exit with 64, and both values are named; of a URL, neither is", arguments: wrong)
  func refused(_ arguments: [String], _ message: String) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    #expect(outcome.messages == [message])
    #expect(try directory.names == ["dump.bin"])
  }

  static let right: [[String]] = [
    ["export", "--strict", "--strict", "dump.bin"],
    ["export", "--feedback-port", "1", "--feedback-port", "2", "dump.bin"],
    ["export", "-t", "csv", "--token-length", "32,54", "dump.bin"],
    ["inspect", "dump.bin", "--", "--earliest", "--earliest"],
    ["export", "--log-zone", "-05:00", "dump.bin"],
    ["report", "--title", "same", "--examiner", "same", "-o", "-", "dump.bin"],
  ]

  @Test("flags, repeatable options and words after -- may be there twice", arguments: right)
  func taken(_ arguments: [String]) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    try directory.write(feedback(tuples(2)), to: "--earliest")
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 0, "\(outcome.messages)")
  }

  @Test("apnsift-lab refuses them, too")
  func lab() throws {
    let outcome = try TestDirectory().lab(
      "generate", "--kind", "dump", "--seed", "1", "--seed", "2", "-o", "out.bin")
    #expect(outcome.code == 64)
    #expect(outcome.messages == ["--seed is given twice (1, then 2): give it once"])
  }
}
