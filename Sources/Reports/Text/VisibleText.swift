import WireBytes

/// Text from outside, as it can be shown to people: a file may have any name.
package enum VisibleText {
  /// `text` with its control characters spelled out (`\\n`, `\\x1b`): a line stays a line, and a terminal
  /// gets no commands.
  package static func of(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _ where isControl(scalar): "\\x" + Hex.string([UInt8(truncatingIfNeeded: scalar.value)])
      default: String(scalar)
      }
    }.joined()
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
