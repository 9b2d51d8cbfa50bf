import Mustache

/// How every text gets into the page: `&`, `<`, `>` and both quotes escaped, and what cannot be seen spelled out.
///
/// The library's own escaping goes by characters: a quote with a combining mark behind it is another character than a
/// quote, is left as it is, and ends an attribute. This one goes by Unicode scalars, as a browser does.
struct PageText: MustacheContentType {
  /// The name that the template asks for it by.
  static let name = "PAGE"

  func escapeText(_ text: String) -> String { Self.escaped(text) }

  static func escaped(_ text: String) -> String {
    let exact = VisibleText.exact(text)
    guard exact.utf8.contains(where: isSpecial) else { return exact }
    var escaped = String.UnicodeScalarView()
    for scalar in exact.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
    default: false
    }
  }
}
