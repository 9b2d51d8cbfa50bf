import ProviderLogs
import TestSupport
import Testing
import YAML

@Suite("Forms of lines")
struct LineFormTests {
  static let builtIn = (try? LineForm.builtIn.get()) ?? []

  @Test func areThere() { #expect(Self.builtIn.count > 8) }

  @Test("Each built-in form reads its samples", arguments: builtIn.map(\.name))
  func samples(name: String) throws {
    let form = try #require(Self.builtIn.first { $0.name == name })
    #expect(!form.samples.isEmpty)
    for sample in form.samples { #expect(sample.message(of: form, among: Self.builtIn) == nil) }
  }

  private static let token = "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0"

  private static func form(_ text: String) throws -> LineForm {
    try #require(try LineForm.read(Array(text.utf8), name: "f.yml").first)
  }

  @Test("A sample that is read otherwise is a problem, with what is read")
  func wrongSample() throws {
    let form = try Self.form(
      """
      mine:
        pattern: 'gone (?<token>\\w+) (?<status>\\d+)'
        samples:
          - line: gone \(Self.token) 410
            token: \(Self.token)
            status: 400
          - line: here \(Self.token) 410
            token: \(Self.token)
      """)
    #expect(form.samples[0].message(of: form, among: [form])?.text == "status is 410, expected 400")
    #expect(
      form.samples[1].message(of: form, among: [form])?.text
        == "the pattern does not match, or what it finds is no push")
    let other = try Self.form("other: {pattern: 'gone (?<token>\\w+) (?<status>\\d+)', samples: [{line: x}]}")
    #expect(form.samples[0].message(of: form, among: [other, form])?.text == "other reads the line first")
  }

  @Test(
    "A file with a mistake names the line and column",
    arguments: Fixtures.rows("forms of lines", in: "yaml-mistakes") as [(String, String)])
  func mistakes(_ text: String, _ message: String) {
    let error = #expect(throws: YAMLError.self) { try LineForm.read(Array(text.utf8), name: "f.yml") }
    #expect(error?.message.text.hasPrefix(message) == true, "\(error?.message.text ?? "")")
  }

  private static let user: [(name: String, log: String, pattern: String, steps: [String])] = [
    (
      "reads what no form does; other lines are read as before",
      "tok \(token) -> 410/gone\n{\"token\":\"ab\",\"status\":200}\nnothing\n",
      #"tok (?<token>\S+) -> (?<status>\d+)"#,
      ["push 1 token=\(token) status=410", "push 2 token=ab status=200", "unrelated 3+1"]
    ),
    (
      "backtracks for ever, and stops at its limit",
      String(repeating: "a", count: 5000) + "!\n{\"token\":\"ab\",\"status\":200}\n", "(?<token>(a+)+)+$",
      ["bad 1+1 patternSteps", "push 2 token=ab status=200"]
    ),
    (
      "has the log's own time, which dates no token", gone,
      #"(?<time>\S+Z) gone (?<token>\S+) (?<status>\d+) (?<reason>\w+)"#,
      ["push 1 token=\(token) status=410 reason=Unregistered"]
    ),
    (
      "has the time of the invalidation", gone,
      #"(?<invalidated_at>\S+Z) gone (?<token>\S+) (?<status>\d+) (?<reason>\w+)"#,
      ["push 1 token=\(token) status=410 reason=Unregistered time=1700467200000"]
    ),
  ]
  private static let gone = "2023-11-20T08:00:00Z gone \(token) 410 Unregistered\n"

  @Test("A pattern of the user's", .timeLimit(.minutes(1)), arguments: user)
  func pattern(_ name: String, _ log: String, _ pattern: String, _ steps: [String]) throws {
    var options = LogOptions()
    options.forms = [try LineForm(pattern: pattern)]
    options.patternSteps = 1000
    #expect(try DecodedLog(log, options: options).steps == steps, "\(name)")
  }
}
