import EvidenceReport
import Testing

/// Literals are markup, and what is put into them is text.
@Suite("Markup and text")
struct HTMLTests {
  private func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

  static let special: [(name: String, text: String, escaped: String)] = [
    ("an ampersand", "&", "&amp;"), ("less-than", "<", "&lt;"), ("greater-than", ">", "&gt;"),
    ("a quote", "\"", "&quot;"), ("an apostrophe", "'", "&#39;"),
    ("all of them", "&<>\"'", "&amp;&lt;&gt;&quot;&#39;"),
    ("an element", "<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"), ("the end of a comment", "-->", "--&gt;"),
    ("an entity, whose ampersand is text", "&lt;", "&amp;lt;"),
    // A quote with a combining mark is one character to Swift, but a browser still parses the quote.
    ("a quote with a combining mark", "\"\u{301}", "&quot;\u{301}"),
    ("an apostrophe with a variation selector", "'\u{fe0f}", "&#39;\\u{fe0f}"),
    ("less-than with a combining mark", "<\u{338}", "&lt;\u{338}"),
    ("a change of direction", "\u{202e}", "\\u{202e}"), ("a zero-width space", "\u{200b}", "\\u{200b}"),
    ("a control character", "\u{0}\n", "\\x00\\n"), ("letters", "Grüße, 東京 👋", "Grüße, 東京 👋"),
    ("nothing", "", ""),
  ]

  @Test("text is escaped in an element and in an attribute", arguments: special)
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
