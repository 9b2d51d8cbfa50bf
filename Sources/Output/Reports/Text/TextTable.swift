/// Lines of cells in columns as wide as their widest cell.
package struct TextTable {
  package enum Alignment { case left, right }

  /// A cell, and a style that is applied after padding.
  package struct Cell {
    package var text: String
    package var style: (String) -> String

    package init(text: String, style: @escaping (String) -> String = { $0 }) {
      self.text = text
      self.style = style
    }
  }

  private let alignments: [Alignment]
  private var lines: [[Cell]] = []

  package init(_ alignments: [Alignment]) { self.alignments = alignments }

  /// - Parameter cells: one for each column.
  package mutating func add(_ cells: [Cell]) { lines.append(cells) }

  package mutating func add(_ cells: [String], style: @escaping (String) -> String = { $0 }) {
    lines.append(cells.map { Cell(text: $0, style: style) })
  }

  package var text: String {
    let widths = alignments.indices.map { column in lines.map { $0[column].text.count }.max() ?? 0 }
    return lines.map { line in
      let cells = line.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - line[column].text.count)
        let text = line[column].style(line[column].text)
        // No padding after the last cell of a line.
        if alignments[column] == .right { return padding + text }
        return column + 1 < line.count ? text + padding : text
      }
      return cells.joined(separator: "  ").trimming { $0 == " " } + "\n"
    }.joined()
  }
}
