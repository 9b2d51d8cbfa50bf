import CommandTestSupport
import Foundation
import Testing

/// A reading as `records correct wrong missed outcome`, and the index from 0 of the first difference.
struct AuditReading: Equatable, CustomStringConvertible {
  var text: String
  var difference: Int?

  init(_ text: String, _ difference: Int?) {
    self.text = text
    self.difference = difference
  }

  init(_ row: Evidence.Object) throws {
    let counts = ["records", "correct", "wrong", "missed"].map { key in
      (row[key] as? Int).map { String($0) } ?? "-"
    }
    text = (counts + [try #require(row["outcome"] as? String)]).joined(separator: " ")
    difference = (row["first_difference"] as? Evidence.Object)?["record"] as? Int
  }

  var description: String { "\(text), \(difference.map { "record \($0)" } ?? "no difference")" }
}

extension TestDirectory {
  /// The rows of `audit`, from JSON.
  func auditRows(_ arguments: [String]) throws -> [Evidence.Object] {
    let outcome = try apnsift(["audit", "--json"] + arguments)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let document = try Evidence.object(outcome.text)
    #expect(document["schema"] as? String == "apnsift/1")
    return try #require(document["readers"] as? [Evidence.Object])
  }

  /// The first row of a reader.
  func auditRow(_ reader: String, _ arguments: [String]) throws -> Evidence.Object {
    try #require(try auditRows(arguments).first { $0["name"] as? String == reader })
  }

  /// Writes a file for `--chunk-sizes`; returns its name.
  func writeSizes(_ sizes: [Int]) throws -> String {
    try write(sizes.map { "\($0)\n" }.joined(), to: "sizes.txt")
    return "sizes.txt"
  }
}

/// The first difference of a row; there must be one.
func firstDifference(_ row: Evidence.Object) throws -> Evidence.Object {
  try #require(row["first_difference"] as? Evidence.Object)
}
