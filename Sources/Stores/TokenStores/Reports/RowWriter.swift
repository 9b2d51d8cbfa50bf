import Basics
import Reports

/// Writes rows of named values as CSV, a JSON array or NDJSON.
package final class RowWriter {
  package enum Format: String, CaseIterable, Sendable { case csv, json, ndjson }

  private let names: [String]
  private let format: Format
  private let delimiter: UInt8
  private let output: OutputBuffer
  package private(set) var count = 0

  package init(
    _ names: [String], as format: Format = .csv, delimiter: UInt8 = UInt8(ascii: ","), to output: OutputBuffer
  ) {
    (self.names, self.format, self.delimiter, self.output) = (names, format, delimiter, output)
  }

  package func begin() throws {
    switch format {
    case .csv: try output.append(CSVText.line(names, delimiter: delimiter))
    case .json: try output.append("[\n")
    case .ndjson: break
    }
  }

  package func write(_ values: [JSONValue]) throws {
    if format == .csv {
      // A text is without quotes, and null is empty.
      let fields = values.map { $0.stringValue ?? ($0.isNull ? "" : $0.text) }
      try output.append(CSVText.line(fields, delimiter: delimiter))
    } else {
      if format == .json, count > 0 { try output.append(",\n") }
      try output.append(JSONValue.object(Array(zip(names, values))).text)
    }
    if format == .ndjson { try output.append("\n") }
    count += 1
  }

  package func end() throws {
    if format == .json { try output.append(count > 0 ? "\n]\n" : "]\n") }
    try output.flush()
  }
}
