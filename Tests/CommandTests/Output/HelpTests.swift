import CommandTestSupport
import Testing

@Suite("Help")
struct HelpTests {
  private let directory = TestDirectory()

  static let helps: [[String]] =
    [
      "inspect", "export", "replay", "audit", "show", "report", "verify", "store", "store show", "store list",
      "store register", "store import", "store export", "store history", "store undo",
    ].map { "apnsift \($0) --help".words }
    + ["", "--help", "-h", "help", "help replay", "help store list"].map { "apnsift \($0)".words }
    + ["generate --help", "serve --help", "verify --help", ""].map { "apnsift-lab \($0)".words }

  private func help(_ words: [String]) throws -> Outcome {
    let arguments = Array(words.dropFirst())
    return try words[0] == "apnsift" ? directory.apnsift(arguments) : directory.lab(arguments)
  }

  @Test("lines have at most 80 columns, and no example is wrapped", arguments: helps)
  func width(_ arguments: [String]) throws {
    let outcome = try help(arguments)
    #expect(outcome.code == 0 && outcome.errors.isEmpty)
    let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    let start = try #require(lines.firstIndex(of: "EXAMPLES"), "\(outcome.text)")
    let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
    #expect(!examples.isEmpty)
    // The rest of a wrapped line begins in column 1.
    #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
  }

  @Test(
    "an option takes at most two lines, or four with a list of values; groups are in one order",
    arguments: helps)
  func options(_ arguments: [String]) throws {
    let text = try help(arguments).text
    let groups = text.split(separator: "\n\n").filter { $0.wholeMatch(of: /[A-Z ]+:\n[\s\S]*/) != nil }
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
    let help = try directory.apnsift("export", "--help").text
    let advanced = try #require(help.split(separator: "\n\n").last { $0.hasPrefix("ADVANCED:\n") })
    let page = try directory.apnsift("explain", "--page", "limits").text
    let listed = page.matches(of: /\n\| `(--[a-z-]+)`/).map { String($0.1) }
    let offered = advanced.matches(of: /\n  (--[a-z-]+)/).map { String($0.1) }
    #expect(offered.contains("--memory") && Set(offered).isSubset(of: listed))
    #expect(listed.allSatisfy { help.contains("  \($0) <") })
    #expect(!advanced.contains("--filter"))
  }
}
