import Basics

/// Text for XML 1.0.
enum XMLText {
  /// Text with markup escaped, and without characters that XML does not allow.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in VisibleText.of(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
