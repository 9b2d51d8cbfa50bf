import Basics
import Testing
import TokenStores
import Wording

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

  static let refused: [(text: String, message: Message)] = [
    ("sqlite:", "token store 'sqlite:': expected a path after the colon, as in sqlite:tokens.sqlite"),
    ("", .notAStoreURL("")),
    ("tokens.sqlite", .notAStoreURL("tokens.sqlite")),
    ("/var/lib/tokens.db", .notAStoreURL("/var/lib/tokens.db")),
    ("c:tokens", .notAStoreURL("c:tokens")),
    (
      "sqlite://tokens.db",
      "token store 'sqlite://tokens.db': expected sqlite:PATH without slashes of a URL; write "
        + "sqlite:tokens.db for a relative path, sqlite:/tokens.db for an absolute one"
    ),
    (
      "oracle://user:secret@host/db",
      "token store: expected sqlite:PATH, or a postgresql:// or mysql:// URI, found a URL that begins "
        + "with oracle://"
    ),
  ]

  @Test(arguments: refused)
  func refusal(_ text: String, _ message: Message) {
    #expect(throws: UsageError(message)) { try StoreURL(text) }
    #expect(!message.text.contains("secret"))
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
    guard case .postgreSQL(let found) = try StoreURL(text) else { throw UsageError(.notAStoreURL(text)) }
    #expect(found.text == uri)
    #expect(found.shown == shown)
    #expect(try StoreURL(text).text == shown)
  }

  /// What libpq would take apart elsewhere than was meant: a part of a password would be a host or a name.
  static let refusedURIs: [(text: String, problem: Message)] = [
    ("postgres:db", .uriWithoutSlashes), ("postgresql:/db", .uriWithoutSlashes),
    ("postgres://me:sec/ret@host/db", .databaseWithAt), ("postgres://me:sec?ret@host/db", .portIsNoNumber),
    ("postgres://me:sec@ret@host/db", "a host contains an @"),
    ("postgres://me:12/34secret@host", .databaseWithAt),
    ("postgres://me:12?secret@host", .parameterWithoutValue),
    ("postgres://h/db?password=secret=x", .parameterWithoutValue), ("postgres://h:port/db", .portIsNoNumber),
  ]

  @Test(arguments: refusedURIs)
  func refusedPostgreSQL(_ text: String, _ problem: Message) {
    let error = #expect(throws: UsageError.self) { try StoreURL(text) }
    #expect(error?.message == .unreadableURI("postgresql", problem))
    #expect(error?.message.text.contains("secret") == false && error?.message.text.contains("ret@") == false)
  }
}
