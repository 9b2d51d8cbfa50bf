import Basics

package struct EvidenceDifference: Sendable {
  /// At least one of them is not nil: nil for `expected` is a surplus record, nil for `found` a missing one.
  package var expected: EvidenceRecord?
  package var found: EvidenceRecord?

  /// The keys whose values differ, sorted; empty if one record is missing.
  package var fields: [String] {
    guard let expected, let found else { return [] }
    let (left, right) = (Self.members(of: expected), Self.members(of: found))
    let keys = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
    return keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  private static func members(of record: EvidenceRecord) -> [[UInt8]: [UInt8]] {
    guard let object = try? JSONReader.value(of: record.canonical[...]) else { return [:] }
    return Dictionary(object.members.map { (Array($0.0.utf8), Array($0.1.text.utf8)) }) { $1 }
  }

  /// What differs, and where.
  package var location: Message {
    guard let position = (expected ?? found)?.position else { return "" }
    let offset = position.offset >= 0 ? " at offset \(position.offset)" : ""
    let direction = position.direction.isEmpty ? "" : " of the \(position.direction)"
    let stream = position.stream >= 0 ? ", stream \(position.stream)" : ""
    let source = position.source.isEmpty ? "" : " of \(position.source)"
    return "\(position.type)\(offset)\(direction)\(stream)\(source)"
  }
}

/// The differences between a result and its expectation.
package struct EvidenceComparison: Sendable {
  /// The first differences, in canonical order.
  package private(set) var first: [EvidenceDifference] = []
  /// Number of all differences.
  package private(set) var count = 0

  private let limit: Int

  /// - Parameter limit: the most differences to keep.
  package init(expected: Evidence, found: Evidence, limit: Int) {
    self.limit = limit
    var (missing, surplus) = Self.unmatched(expected.records[...], found.records[...])
    // A missing and a surplus record at the same position are one difference.
    while let position = [missing.first, surplus.first].compactMap({ $0?.position }).min() {
      let isMissing = missing.first?.position == position
      let isSurplus = surplus.first?.position == position
      add(
        EvidenceDifference(
          expected: isMissing ? missing.popFirst() : nil, found: isSurplus ? surplus.popFirst() : nil))
    }
    // An expectation without a summary matches any summary.
    if let summary = expected.summary, summary != found.summary {
      add(EvidenceDifference(expected: summary, found: found.summary))
    }
  }

  /// The records of each side, sorted, that are absent from the other.
  private static func unmatched(
    _ expected: ArraySlice<EvidenceRecord>, _ found: ArraySlice<EvidenceRecord>
  ) -> (missing: ArraySlice<EvidenceRecord>, surplus: ArraySlice<EvidenceRecord>) {
    var (left, right) = (expected, found)
    var (missing, surplus): (ArraySlice<EvidenceRecord>, ArraySlice<EvidenceRecord>) = ([], [])
    while let one = left.first, let other = right.first {
      if one == other {
        (left, right) = (left.dropFirst(), right.dropFirst())
      } else if one < other {
        missing.append(left.removeFirst())
      } else {
        surplus.append(right.removeFirst())
      }
    }
    return (missing + left, surplus + right)
  }

  private mutating func add(_ difference: EvidenceDifference) {
    count += 1
    if first.count < limit { first.append(difference) }
  }
}
