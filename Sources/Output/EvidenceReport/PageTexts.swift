/// Texts of the page that are the same for all inputs, from texts.txt.
enum PageTexts {
  /// What the faulty readers do (docs/spec/readers.md#models), by name.
  static let habits = Dictionary(uniqueKeysWithValues: texts(of: "readers"))
  private static let terms = texts(of: "glossary")

  /// The terms that the page uses and their meanings, in their order.
  static func glossary(_ head: ReportHead) -> [(name: String, value: String?)] {
    terms.map { name, text in
      switch name {
      case "Local time": (name, head.clock.map { text.replacing("ZONE", with: $0.name) })
      case "Pseudonym": (name, head.isRedacted ? text : nil)
      default: (name, text)
      }
    }
  }

  private static func texts(of kind: String) -> [(String, String)] {
    let parts = String(decoding: PackageResources.texts_txt, as: UTF8.self).split(separator: "\n\n")
    let lines = parts.first { $0.hasPrefix(kind + "\n") }?.split(separator: "\n").dropFirst() ?? []
    return lines.compactMap { line in
      line.firstRange(of: ": ").map { (String(line[..<$0.lowerBound]), String(line[$0.upperBound...])) }
    }
  }
}
