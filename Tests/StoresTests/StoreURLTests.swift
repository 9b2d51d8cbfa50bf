import Stores
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
    ("oracle://user:secret@host/db", .unknownScheme("oracle")),
  ])
  func refusal(_ text: String, _ error: StoreURLError) {
    #expect(throws: error) { try StoreURL(text) }
    #expect(error.message.contains("sqlite:"))
    #expect(!error.message.contains("secret"))
  }

  @Test(arguments: [
    ("postgres:", "postgresql://", "postgresql://"),
    ("postgresql:///db", "postgresql:///db", "postgresql:///db"),
    ("postgres://host", "postgresql://host", "postgresql://host"),
    ("POSTGRES://me@host:5433/db", "postgresql://me@host:5433/db", "postgresql://me@host:5433/db"),
    ("postgres://me:secret@host/db", "postgresql://me:secret@host/db", "postgresql://me@host/db"),
    ("postgres://:secret@/db", "postgresql://:secret@/db", "postgresql://@/db"),
    ("postgres://a:1,[::1]:2/db", "postgresql://a:1,[::1]:2/db", "postgresql://a:1,[::1]:2/db"),
    (
      "postgres://h/db?sslmode=require&password=secret&sslpassword=secret&user=m@c",
      "postgresql://h/db?sslmode=require&password=secret&sslpassword=secret&user=m@c",
      "postgresql://h/db?sslmode=require&user=m@c"
    ),
    ("postgres://h?p%61ssword=secret", "postgresql://h?p%61ssword=secret", "postgresql://h"),
  ])
  func postgreSQL(_ text: String, _ uri: String, _ shown: String) throws {
    guard case .postgreSQL(let found) = try StoreURL(text) else { throw StoreURLError.notAURL(text) }
    #expect(found.text == uri)
    #expect(found.shown == shown)
    #expect(try StoreURL(text).text == shown)
  }

  /// What libpq would take apart elsewhere than was meant: a part of a password would be a host or a name.
  @Test(arguments: [
    "postgres:db", "postgresql:/db", "postgres://me:sec/ret@host/db", "postgres://me:sec?ret@host/db",
    "postgres://me:sec@ret@host/db", "postgres://me:12/34secret@host", "postgres://me:12?secret@host",
    "postgres://h/db?password=secret=x", "postgres://h:port/db",
  ])
  func refusedPostgreSQL(_ text: String) {
    let error = #expect(throws: StoreURLError.self) { try StoreURL(text) }
    #expect(error?.message.contains("postgresql://USER@HOST:PORT/DATABASE") == true)
    #expect(error?.message.contains("secret") == false && error?.message.contains("ret@") == false)
  }
}
