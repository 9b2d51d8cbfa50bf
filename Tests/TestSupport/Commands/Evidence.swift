import Foundation
import Testing

/// The value of null in decoded JSON.
package typealias Null = NSNull

/// JSON as Foundation parses it.
package enum Evidence {
  package typealias Object = [String: Any]

  package static func object(_ text: some StringProtocol) throws -> Object {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object, "no object: \(text)")
  }

  package static func objects(_ text: some StringProtocol) throws -> [Object] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Object], "no array: \(text)")
  }

  /// Whether two lists have the same objects in the same order.
  package static func same(_ left: [Object], _ right: [Object]) -> Bool {
    NSArray(array: left).isEqual(to: right)
  }

  /// The objects of NDJSON.
  package static func lines(_ text: String) throws -> [Object] {
    try text.split(separator: "\n").map { try object($0) }
  }
}

/// Parses CSV according to RFC 4180, but with `\n` line ends.
package func parseCSV(_ text: String) -> [[String]] {
  var rows: [[String]] = []
  var row: [String] = []
  var field = ""
  var isQuoted = false
  var scalars = text.unicodeScalars.makeIterator()
  var next = scalars.next()
  while let scalar = next {
    next = scalars.next()
    switch (scalar, isQuoted) {
    case ("\"", true) where next == "\"":
      field.unicodeScalars.append(scalar)
      next = scalars.next()
    case ("\"", _): isQuoted.toggle()
    case (",", false):
      row.append(field)
      field = ""
    case ("\n", false):
      rows.append(row + [field])
      row = []
      field = ""
    default: field.unicodeScalars.append(scalar)
    }
  }
  return rows
}
