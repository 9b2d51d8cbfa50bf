import Testing
import TokenStores

@Suite struct StoreURLTests {
  @Test(arguments: [
    ("sqlite:tokens.sqlite", "tokens.sqlite"),
    ("sqlite:/var/lib/tokens.db", "/var/lib/tokens.db"),
    ("sqlite:///var/lib/tokens.db", "///var/lib/tokens.db"),
    ("sqlite:my tokens/a b.sqlite", "my tokens/a b.sqlite"),
    ("sqlite:a:b?mode=ro#c%20d", "a:b?mode=ro#c%20d"),
    ("sqlite::memory:", ":memory:"),
    ("SQLite:x", "x"),
  ])
  func path(_ text: String, _ path: String) throws {
    #expect(try StoreURL(text) == .sqlite(path: path))
  }

  @Test(arguments: [
    ("sqlite:", StoreURLError.emptyPath),
    ("", .notAURL("")),
    ("tokens.sqlite", .notAURL("tokens.sqlite")),
    ("/var/lib/tokens.db", .notAURL("/var/lib/tokens.db")),
    ("c:tokens", .notAURL("c:tokens")),
    ("sqlite://tokens.db", .twoSlashes("tokens.db")),
    ("postgres://user:secret@host/db", .postgreSQL),
    ("postgresql:///db", .postgreSQL),
    ("mysql://user:secret@host/db", .unknownScheme("mysql")),
  ])
  func refusal(_ text: String, _ error: StoreURLError) {
    #expect(throws: error) { try StoreURL(text) }
    #expect(error.message.contains("sqlite:"))
    #expect(!error.message.contains("secret"))
  }
}
