import EvidenceReport
import TestSupport
import Testing

/// Literals are markup, and what is put into them is text.
@Suite("Markup and text")
struct HTMLTests {
  private func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

  /// A quote with a combining mark is one character to Swift, but a browser still parses the quote.
  @Test(
    "text is escaped in an element and in an attribute",
    arguments: Fixtures.rows("escaped for HTML", in: "page-texts") as [(String, String, String)])
  func escaping(_ name: String, _ special: String, _ escaped: String) {
    #expect(text("<p>\(special)</p>") == "<p>\(escaped)</p>", "\(name)")
    #expect(text("<p title=\"\(special)\">") == "<p title=\"\(escaped)\">", "\(name)")
    #expect(text("<p title='\(special)'>") == "<p title='\(escaped)'>", "\(name)")
    #expect(text("\(special)") == escaped, "\(name)")
  }

  @Test("markup is not escaped, and text in it is escaped once")
  func markup() {
    let item: HTML = "<b>\("a & b")</b>"
    let known: HTML? = item
    let none: HTML? = nil
    #expect(text("<b>&amp;\"'</b>") == "<b>&amp;\"'</b>")
    #expect(text("<p>\(item)</p>") == "<p><b>a &amp; b</b></p>")
    #expect(text("<p>\(known)\(none)</p>") == "<p><b>a &amp; b</b></p>")
    #expect(text("<p>\(["<", ">"].map { "<i>\($0)</i>" })</p>") == "<p><i>&lt;</i><i>&gt;</i></p>")
    #expect(text("<p>\(if: true, item)\(if: false, item)</p>") == "<p><b>a &amp; b</b></p>")
    #expect(text("<p>\("\("\("<")" as HTML)" as HTML)</p>") == "<p>&lt;</p>")
    #expect(text("<p>\(-7)</p>") == "<p>-7</p>")
  }

  @Test("a literal in an expression of text is text", arguments: [(true, "&lt;"), (false, "&gt;")])
  func literalsOfText(_ isLess: Bool, _ escaped: String) {
    #expect(text("<p>\(isLess ? "<" : ">")</p>") == "<p>\(escaped)</p>")
  }
}
