import Basics
import TestSupport
import Testing
import TokenStores
import Wording

@Suite("URIs of MariaDB")
struct MySQLURITests {
  @Test("Every part is optional")
  func parts() throws {
    let all = try uri("mysql://ann:secret@db.example:3307/tokens")
    #expect(all.user == "ann" && all.password == "secret" && all.host == "db.example" && all.port == 3307)
    #expect(all.database == "tokens" && all.socket == nil)
    #expect(all.shown == "mysql://ann@db.example:3307/tokens")
    let socket = try uri("mariadb://ann@/tokens?socket=/run/mysqld/mysqld.sock")
    #expect(socket.socket == "/run/mysqld/mysqld.sock" && socket.host == nil && socket.password == nil)
    #expect(socket.shown == "mysql://ann@/tokens?socket=/run/mysqld/mysqld.sock")
    let options = try uri(
      "mysql:///?ssl-mode=verify_identity&defaults-file=/etc/a%20b.cnf&defaults-group=apnsift")
    #expect(options.tls == .verified && options.defaultsGroup == "apnsift" && socket.tls == nil)
    #expect(options.defaultsFile == "/etc/a b.cnf" && options.socket == nil && socket.defaultsFile == nil)
    for nothing in ["mysql:", "mysql://", "mysql:///", "mysql:///?"] {
      let uri = try uri(nothing)
      #expect(uri.user == nil && uri.host == nil && uri.port == nil && uri.database == nil)
    }
    #expect(try uri("mysql://[::1]:3306/").host == "::1")
    #expect(try uri("mysql://ann:@host").password == "")
    #expect(try uri("mysql://host:").port == nil)
    #expect(try uri("mysql://a:b:c@host").password == "b:c")
  }

  @Test("Special characters are written as %XX, and no password is shown")
  func decoding() throws {
    let read = try uri("mysql://a%40b:p%2F%3f%40%C3%A9@h/d%2Fe?socket=")
    #expect(read.user == "a@b" && read.password == "p/?@é" && read.database == "d/e")
    #expect(read.shown == "mysql://a%40b@h/d%2Fe?socket=")
  }

  @Test(
    "What may be a mistake is refused, without showing it",
    arguments: Fixtures.rows("refused of MySQL", in: "store-urls") as [(String, String)])
  func refused(_ text: String, _ problem: String) throws {
    let error = #expect(throws: UsageError.self) { try uri(text) }
    #expect(error?.message == .unreadableURI("mysql", .verbatim(problem)))
    #expect(error?.message.text.contains("secret") == false)
  }
}
