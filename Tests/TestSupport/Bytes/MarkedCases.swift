/// A case of a text in Tests/Fixtures, whose first lines describe its form: its name, and after it lines that begin with two
/// blanks and a mark.
package struct MarkedCase: Sendable {
  package var section: String
  package var name: String
  /// Lines marked `|`, and those marked `:`, which have no end.
  package private(set) var text = ""
  private var others: [(mark: Character, line: String)] = []

  package static func all(_ file: String) -> [MarkedCase] {
    guard let data = try? Fixtures.data(file) else { return [] }
    var cases: [MarkedCase] = []
    var section: String?
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("[") {
        section = String(line.dropFirst().dropLast())
      } else if line.hasPrefix("  ") {
        cases[cases.count - 1].read(line)
      } else if let section {
        cases.append(MarkedCase(section: section, name: String(line)))
      }
    }
    return cases
  }

  package func lines(_ mark: Character) -> [String] { others.filter { $0.mark == mark }.map(\.line) }

  private mutating func read(_ line: Substring) {
    let rest = [("<CR>", "\r"), ("<TAB>", "\t"), ("<SP>", " "), ("<BOM>", "\u{feff}"), ("<ESC>", "\u{1b}")]
      .reduce(String(line.dropFirst(4))) { $0.replacing($1.0, with: $1.1) }
    switch line.dropFirst(2).first {
    case "|": text += rest + "\n"
    case ":": text += rest
    case let mark: others.append((mark ?? " ", rest))
    }
  }
}
