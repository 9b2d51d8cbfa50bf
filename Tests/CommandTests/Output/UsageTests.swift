import CommandTestSupport
import TestSupport
import Testing

@Suite("Wrong usage, help and version") struct UsageTests {
  /// Lines with which the command does nothing, and a part of what it says.
  static let wrong = [
    "general", "values that an option does not take", "times", "options and commands that are none",
    "outputs", "outputs whose names contradict their formats", "tables", "captures", "stores",
    "mapped tables", "tables that two options name",
  ].flatMap { table in
    let rows: [(String, [String])] = Fixtures.rows(table, in: "usage")
    return rows.flatMap { message, lines in lines.map { ($0, message) } }
  }

  private static let mapping =
    "table: devices\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n"

  @Test("wrong usage exits with 64, says what is wrong, and writes nothing", arguments: wrong)
  func wrongUsage(_ line: String, _ message: String) throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2)), "sound.yml": Self.mapping.utf8])
    let outcome = try directory.apnsift(line.words.map { $0 == "''" ? "" : $0 }).exits(64)
    #expect(outcome.output.isEmpty)
    #expect(try directory.names == ["dump.bin", "sound.yml"])
    let errors = outcome.messages.joined(separator: "\n")
    #expect(errors.contains(message) && !errors.contains("secret"), "\(line): \(errors)")
  }

  @Test("the version", arguments: [["--version"], ["export", "--version"]])
  func version(_ arguments: [String]) throws {
    let outcome = try TestDirectory().apnsift(arguments).exits(0)
    #expect(outcome.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.errors.isEmpty)
  }

  /// docs/spec/interface.md#input-options.
  @Test(
    "of an option that is given twice both values are named; of a URL, neither is",
    arguments: Fixtures.rows("an option given twice", in: "usage") as [(String, String)])
  func refused(_ line: String, _ message: String) throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2))])
    let outcome = try directory.apnsift(line.words + (line.hasPrefix("store") ? [] : ["dump.bin"])).exits(64)
    #expect(outcome.output.isEmpty && outcome.messages.count == 1)
    #expect(outcome.errors.contains(message) && !outcome.errors.contains("secret"), "\(outcome.errors)")
    #expect(try directory.names == ["dump.bin"])
  }

  @Test(
    "flags, repeatable options and words after -- may be there twice",
    arguments: Fixtures.rows("what may be there twice", in: "usage") as [String])
  func taken(_ line: String) throws {
    let directory = TestDirectory(["dump.bin": feedback(tuples(2)), "--earliest": feedback(tuples(2))])
    try directory.apnsift(line.words).exits(0)
  }

  // MARK: - Help

  static let helps: [[String]] =
    [
      "inspect", "export", "replay", "audit", "show", "report", "verify", "store", "store show", "store list",
      "store register", "store import", "store export", "store history", "store undo",
    ].map { "apnsift \($0) --help".words }
    + ["", "--help", "-h", "help", "help replay", "help store list"].map { "apnsift \($0)".words }
    + ["generate --help", "serve --help", "verify --help", ""].map { "apnsift-lab \($0)".words }

  private func help(_ words: [String]) throws -> Outcome {
    let arguments = Array(words.dropFirst())
    return try words[0] == "apnsift" ? TestDirectory().apnsift(arguments) : TestDirectory().lab(arguments)
  }

  /// An option takes at most two lines, or four with a list of values.
  @Test(
    "lines have at most 80 columns, no example is wrapped, options are short, and groups are in one order",
    arguments: helps)
  func form(_ arguments: [String]) throws {
    let outcome = try help(arguments)
    #expect(outcome.code == 0 && outcome.errors.isEmpty)
    let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    let start = try #require(lines.firstIndex(of: "EXAMPLES"), "\(outcome.text)")
    let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
    #expect(!examples.isEmpty)
    // The rest of a wrapped line begins in column 1.
    #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
    let groups = outcome.text.split(separator: "\n\n").filter {
      $0.wholeMatch(of: /[A-Z ]+:\n[\s\S]*/) != nil
    }
    let titles = groups.map { $0.prefix { $0 != ":" } }
    #expect(titles.filter { $0 == "OPTIONS" }.count == 1, "\(titles)")
    if let advanced = titles.firstIndex(of: "ADVANCED") { #expect(advanced == titles.count - 1, "\(titles)") }
    for group in groups where !group.hasPrefix("SUBCOMMANDS") {
      for option in group.split(separator: /\n  (?=[-<])/).dropFirst() {
        let name = option.prefix { $0 != "\n" && $0 != " " }
        // A name that is too long for its column has a line of its own.
        let lines = option.split(separator: "\n")
        let count = lines.count - (lines[0].contains("  ") ? 0 : 1)
        #expect(count <= (option.contains("(values:") ? 4 : 2), "\(name): \(option)")
      }
    }
  }

  @Test("the reference of limits has each option of the group ADVANCED, and no other that --help lacks")
  func limits() throws {
    let help = try TestDirectory().apnsift("export", "--help").text
    let advanced = try #require(help.split(separator: "\n\n").last { $0.hasPrefix("ADVANCED:\n") })
    let page = try TestDirectory().apnsift("explain", "--page", "limits").text
    let listed = page.matches(of: /\n\| `(--[a-z-]+)`/).map { String($0.1) }
    let offered = advanced.matches(of: /\n  (--[a-z-]+)/).map { String($0.1) }
    #expect(offered.contains("--memory") && Set(offered).isSubset(of: listed))
    #expect(listed.allSatisfy { help.contains("  \($0) <") })
    #expect(!advanced.contains("--filter"))
  }
}
