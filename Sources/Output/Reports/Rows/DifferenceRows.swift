import Analysis
import Basics

/// A token that two sets of inputs have differently (docs/spec/interface.md#compare).
package struct TokenDifference: TableRow {
  /// Which side has the token; or both have it, with other times of invalidation.
  package enum Difference: String, CaseIterable, Sendable {
    case onlyA = "only-a"
    case onlyB = "only-b"
    case otherTime = "other-time"
  }

  enum Column: String, RecordColumn {
    case difference, token, invalidatedAtA, invalidatedAtB, sourceA, streamA, offsetA, sourceB, streamB,
      offsetB
  }

  package let token: [UInt8]
  package let first: TokenHistory?
  package let second: TokenHistory?
  package let difference: Difference

  /// Nil if both have the token, and with the same time.
  package init?(_ token: [UInt8], _ first: TokenHistory?, _ second: TokenHistory?) {
    (self.token, self.first, self.second) = (token, first, second)
    switch (first, second) {
    case (let first?, let second?):
      // Of a tuple in whole seconds, of a 410 in milliseconds: `==` would compare the digits, too.
      let times = [first.invalidatedAt, second.invalidatedAt].compactMap { $0 }
      if times.count != 1, times.allSatisfy({ !($0 < times[0]) && !(times[0] < $0) }) { return nil }
      difference = .otherTime
    case (nil, _): difference = .onlyB
    case (_, nil): difference = .onlyA
    }
  }

  /// For the text of a comparison.
  package var line: String {
    let times = [first, second].compactMap { $0 }.map { $0.invalidatedAt?.text ?? "-" }
    return "\(difference.rawValue)  \(Hex.string(token))  \(times.joined(separator: "  "))"
  }

  var textBound: Int { 2 * token.count + RowCursor.bound(first?.source) + RowCursor.bound(second?.source) }

  @inline(__always)
  func put(_ column: Column, to row: inout RowCursor) {
    switch column {
    case .difference: row.put(word: difference.rawValue)
    case .token: row.put(word: Hex.string(token))
    case .invalidatedAtA: row.put(first?.invalidatedAt)
    case .invalidatedAtB: row.put(second?.invalidatedAt)
    case .sourceA: row.put(first?.source)
    case .streamA: row.put(first.map { Int($0.record.stream) })
    case .offsetA: row.put(first?.record.offset)
    case .sourceB: row.put(second?.source)
    case .streamB: row.put(second.map { Int($0.record.stream) })
    case .offsetB: row.put(second?.record.offset)
    }
  }
}

/// Writes differences as text, CSV or JSON, and counts them.
package final class DifferenceWriter {
  package enum Format: String, CaseIterable, Sendable { case text, csv, json }

  /// The most lines of the text; CSV and JSON have all differences.
  private static let mostLines = 100
  private let format: Format
  private let output: OutputBuffer
  private let frame: RowFrame<TokenDifference>
  private var lines: [String] = []
  package private(set) var counts: [TokenDifference.Difference: Int] = [:]
  /// Tokens that both have with the same time.
  package private(set) var same = 0
  private var isFirst = true

  package init(_ format: Format, _ output: OutputBuffer) throws {
    (self.format, self.output) = (format, output)
    let names = TokenDifference.Column.allCases.map(\.name)
    let (style, ends): (RowStyle, _) = format == .json ? (.json, ("{", "}")) : (.csv, ("", "\n"))
    frame = RowFrame(RowForms(style, .lower, nil), ends, names, table: nil)
    switch format {
    case .text: break
    case .csv: try output.append(CSVText.line(names))
    case .json: try output.append("{\"differences\":[")
    }
  }

  package func add(_ token: [UInt8], _ first: TokenHistory?, _ second: TokenHistory?) throws {
    guard let difference = TokenDifference(token, first, second) else {
      same += 1
      return
    }
    counts[difference.difference, default: 0] += 1
    switch format {
    case .text: if lines.count < Self.mostLines { lines.append(difference.line) }
    case .csv: try frame.write(difference, to: output)
    case .json:
      try output.append(isFirst ? "\n" : ",\n")
      try frame.write(difference, to: output)
    }
    isFirst = false
  }

  /// - Parameter names: of the two sets of inputs.
  package func end(_ names: (String, String), version: String) throws {
    let figures =
      TokenDifference.Difference.allCases.map { ($0.rawValue, counts[$0] ?? 0) } + [("same", same)]
    switch format {
    case .csv: break
    case .json:
      let summary = JSONValue.object(figures.map { ($0.0.replacing("-", with: "_"), .int($0.1)) })
      let ends: [(String, JSONValue)] = [
        ("a", .string(names.0)), ("b", .string(names.1)), ("summary", summary), ("version", .string(version)),
      ]
      try output.append("\n]," + JSONValue.object(ends).text.dropFirst() + "\n")
    case .text:
      var table = TextTable([.left, .right])
      let words = ["only in A", "only in B", "in both, other times", "in both, same time"]
      for (word, figure) in zip(words, figures) { table.add([word, "\(figure.1)"]) }
      try output.append("A  \(names.0)\nB  \(names.1)\n\n" + table.text)
      if !lines.isEmpty { try output.append("\n" + lines.joined(separator: "\n") + "\n") }
      let left = counts.values.reduce(0, +) - lines.count
      if left > 0 { try output.append("… and \(left) more: -t csv has all\n") }
    }
  }
}
