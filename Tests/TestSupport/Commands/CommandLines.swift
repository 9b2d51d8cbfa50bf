extension String {
  /// The words of a command line without quotes.
  package var words: [String] { split(separator: " ").map(String.init) }
}

extension Outcome {
  /// The rows of CSV, without the header.
  package var rows: [[String]] { Array(parseCSV(text).dropFirst()) }
}

extension Exported {
  package var summary: Evidence.Object { objects("summary").first ?? [:] }
}
