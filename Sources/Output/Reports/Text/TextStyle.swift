import PacketCapture

/// Emphasis for terminals; plain text elsewhere.
package struct TextStyle: Sendable {
  private let isColoured: Bool

  package init(isColoured: Bool) { self.isColoured = isColoured }

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func yellow(_ text: String) -> String { wrap(text, "33") }

  package func severity(_ severity: Severity, _ text: String) -> String {
    switch severity {
    case .error: wrap(text, "31")
    case .warning: wrap(text, "33")
    case .note: wrap(text, "36")
    }
  }

  /// `text` between an SGR sequence (ECMA-48) and the one that ends it.
  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
