import CommandTestSupport
import Testing

/// The claims of SECURITY.md that no other suite tests.
@Suite("Injections and secrets")
struct SecurityTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])

  /// Text that would end a string, a statement or a command, wherever it were pasted.
  private static let hostile = "x'; DROP TABLE device_tokens; -- \"$(touch pasted)` "

  @Test("SQL in the name of an app is a name")
  func sqlInAnApp() throws {
    let options = ["--store", "sqlite:tokens.sqlite", "--app", Self.hostile]
    try directory.apnsift(["replay", "dump.bin", "--create"] + options).exits(0)
    let stored = "SELECT count(*), count(DISTINCT app), min(app) FROM device_tokens"
    #expect(try directory.sqlite("tokens.sqlite", stored) == "3|1|\(Self.hostile)")
    try directory.apnsift(["store", "list"] + options).exits(0)
    try directory.apnsift(["store", "undo", "last"] + options.prefix(2)).exits(0)
    #expect(try directory.names == ["dump.bin", "tokens.sqlite"])
  }

  @Test("SQL in the name of a table or column is a name")
  func sqlInATable() throws {
    try directory.sqlite(
      "app.sqlite",
      """
      CREATE TABLE "t""; DROP TABLE victim; --" ("c"" = 1 OR ""1" BLOB PRIMARY KEY, gone INTEGER);
      CREATE TABLE victim (a);
      INSERT INTO "t""; DROP TABLE victim; --" VALUES (x'\(hex(tuples(3)[0].token))', NULL);
      """)
    try directory.write(
      """
      table:
        name: 't"; DROP TABLE victim; --'
      token: {column: 'c" = 1 OR "1', form: bytes}
      registered: none
      action: mark
      invalidated: {column: gone, form: seconds}

      """, to: "app.yml")
    try directory.apnsift(
      "replay", "dump.bin", "--store", "sqlite:app.sqlite", "--mapping", "app.yml", "--max-invalidate", "100%"
    ).exits(0)
    #expect(
      try directory.sqlite(
        "app.sqlite", #"SELECT count(gone) FROM "t""; DROP TABLE victim; --"; SELECT count(*) FROM victim"#)
        == "1\n0")
  }

  @Test("HTML and shell commands in names are text in a report")
  func htmlInAName() throws {
    let name = "<img src=x onerror=alert(1)>$(touch pasted)'.bin"
    try directory.write(feedback(tuples(3)), to: name)
    let page = try directory.report([name]).html
    #expect(!page.contains("<img src=x") && page.contains("&lt;img src=x"))
    #expect(page.contains("Content-Security-Policy"))
    // In single quotes of a shell, and as HTML.
    #expect(
      page.contains(#"&#39;&lt;img src=x onerror=alert(1)&gt;$(touch pasted)&#39;\&#39;&#39;.bin&#39;"#))
  }

  @Test(
    "a password in the URL of a store is in no output",
    arguments: ["postgresql", "mysql"], ["store list", "store history", "replay dump.bin --json"])
  func passwords(_ scheme: String, _ command: String) throws {
    let url = "\(scheme)://me:s3cr3tw0rd@127.0.0.1:1/db"
    let outcome = try directory.apnsift("\(command) --store \(url)".words).exits(2)
    #expect(!outcome.errors.contains("s3cr3tw0rd") && !outcome.text.contains("s3cr3tw0rd"))
  }
}
