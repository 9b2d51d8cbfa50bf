import Foundation

extension Fixtures {
  /// The rows of a table of cases in `FILE.json`, by the types of their cells. What cannot be read ends the tests.
  package static func rows<each Cell: Decodable & Sendable>(
    _ table: String, in file: String
  ) -> [(repeat each Cell)] {
    do {
      let tables = try JSONSerialization.jsonObject(with: data("\(file).json")) as? [String: [Any]]
      guard let rows = tables?[table] else { fatalError("\(file).json has no table \(table)") }
      let text = try JSONSerialization.data(withJSONObject: rows)
      return try JSONDecoder().decode([CaseRow<repeat each Cell>].self, from: text).map { $0.cells }
    } catch { fatalError("\(table) of \(file).json: \(error)") }
  }
}

private struct CaseRow<each Cell: Decodable>: Decodable {
  let cells: (repeat each Cell)

  init(from decoder: any Decoder) throws {
    var row = try decoder.unkeyedContainer()
    cells = (repeat try row.decode((each Cell).self))
  }
}
