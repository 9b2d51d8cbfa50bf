import Basics

/// Text for XML 1.0.
enum XMLText {
  /// Text with markup escaped, and without characters that XML does not allow.
  static func escaped(_ text: String) -> String {
    VisibleText.of(text).unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: String(scalar)
      }
    }.joined()
  }
}
