import Basics
import StreamInputs

/// Markup. A literal is markup; what is interpolated into it is text and gets escaped, unless it is `HTML` itself.
///
/// Nothing makes markup of a String at run time: literals are `StaticString`, which only the source code can contain.
package struct HTML: ExpressibleByStringInterpolation, StringInterpolationProtocol {
  /// In UTF-8.
  package private(set) var bytes: [UInt8] = []

  package init(literalCapacity: Int, interpolationCount: Int) { bytes.reserveCapacity(literalCapacity) }

  package init(stringLiteral markup: StaticString) { appendLiteral(markup) }

  package init(stringInterpolation html: HTML) { self = html }

  static var styleSheet: HTML { HTML(bytes: PackageResources.report_css) }

  /// What the report cannot show.
  static var limits: HTML { HTML(bytes: PackageResources.limits_html) }

  /// The script of an interactive page, and its digest as a Content-Security-Policy names it.
  static var script: HTML { HTML(bytes: PackageResources.report_js) }

  static var scriptDigest: String {
    let hash = InputHash()
    hash.update(PackageResources.report_js.span.bytes)
    return hash.hexDigest().flatMap { Hex.bytes($0) }.map { "sha256-" + Base64.text(of: $0) } ?? "none"
  }

  /// JSON in which nothing ends its element.
  static func data(_ value: JSONValue) -> HTML {
    HTML(bytes: Array(value.text.replacing("<", with: "\\u003c").utf8))
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  package mutating func appendLiteral(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Nil adds nothing.
  package mutating func appendInterpolation(_ html: HTML?) { if let html { bytes += html.bytes } }

  package mutating func appendInterpolation(_ parts: some Sequence<HTML>) {
    for part in parts { bytes += part.bytes }
  }

  package mutating func appendInterpolation(if condition: Bool, _ html: @autoclosure () -> HTML) {
    if condition { bytes += html().bytes }
  }

  package mutating func appendInterpolation(_ number: Int) { appendInterpolation(String(number)) }

  /// Escapes by byte, as a browser parses: to Swift, a quote followed by a combining mark is another character, yet it
  /// ends an attribute. Invisible characters become visible.
  package mutating func appendInterpolation(_ text: String) {
    for byte in VisibleText.of(text).utf8 {
      switch byte {
      case UInt8(ascii: "&"): appendLiteral("&amp;")
      case UInt8(ascii: "<"): appendLiteral("&lt;")
      case UInt8(ascii: ">"): appendLiteral("&gt;")
      case UInt8(ascii: "\""): appendLiteral("&quot;")
      case UInt8(ascii: "'"): appendLiteral("&#39;")
      default: bytes.append(byte)
      }
    }
  }
}
