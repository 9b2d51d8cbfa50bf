import Basics
import TestSupport
import Testing
import TokenStores
import Wording

@Suite struct StoreURLTests {
  @Test(arguments: Fixtures.rows("SQLite", in: "store-urls") as [(String, String)])
  func path(_ text: String, _ path: String) throws {
    #expect(try StoreURL(text) == .sqlite(path: path))
  }

  @Test(arguments: Fixtures.rows("refused", in: "store-urls") as [(String, String)])
  func refusal(_ text: String, _ message: String) {
    #expect(throws: UsageError(.verbatim(message))) { try StoreURL(text) }
    #expect(!message.contains("secret"))
  }

  @Test(arguments: Fixtures.rows("PostgreSQL", in: "store-urls") as [(String, String, String)])
  func postgreSQL(_ text: String, _ uri: String, _ shown: String) throws {
    guard case .postgreSQL(let found) = try StoreURL(text) else { throw UsageError("no URI") }
    #expect(found.text == uri)
    #expect(found.shown == shown)
    #expect(try StoreURL(text).text == shown)
  }

  /// What libpq would take apart elsewhere than was meant: a part of a password would be a host or a name.
  @Test(arguments: Fixtures.rows("refused of PostgreSQL", in: "store-urls") as [(String, String)])
  func refusedPostgreSQL(_ text: String, _ problem: String) {
    let error = #expect(throws: UsageError.self) { try StoreURL(text) }
    #expect(error?.message == .unreadableURI("postgresql", .verbatim(problem)))
    #expect(error?.message.text.contains("secret") == false && error?.message.text.contains("ret@") == false)
  }
}
