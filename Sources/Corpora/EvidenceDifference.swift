import JSON

/// A record that is expected and was not found so.
package struct EvidenceDifference: Sendable {
  /// What was expected, nil where nothing was; and what was found, nil where nothing was. One of them is there.
  package var expected: EvidenceRecord?
  package var found: EvidenceRecord?

  /// The keys whose values differ, sorted; empty where one of the two is missing.
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

  /// Where it is, for people: `feedback at offset 38 of the server, stream 0 of input.bin`.
  package var place: String {
    guard let place = (expected ?? found)?.place else { return "" }
    var text = String(decoding: place.type, as: UTF8.self)
    if place.offset >= 0 { text += " at offset \(place.offset)" }
    if !place.direction.isEmpty { text += " of the \(String(decoding: place.direction, as: UTF8.self))" }
    if place.stream >= 0 { text += ", stream \(place.stream)" }
    return place.source.isEmpty ? text : text + " of \(String(decoding: place.source, as: UTF8.self))"
  }
}

/// How what was found differs from what is expected.
package struct EvidenceComparison: Sendable {
  /// The first differences, in canonical order.
  package private(set) var first: [EvidenceDifference] = []
  /// How many there are.
  package private(set) var count = 0

  private let limit: Int

  /// - Parameter limit: how many differences are kept.
  package init(expected: Evidence, found: Evidence, limit: Int) {
    self.limit = limit
    compare(expected, found)
    // An expectation without a summary expects none in particular.
    if let summary = expected.summary, summary != found.summary {
      add(EvidenceDifference(expected: summary, found: found.summary))
    }
  }

  /// Walks both, which are sorted, place by place.
  private mutating func compare(_ expected: Evidence, _ found: Evidence) {
    var (left, right) = (0, 0)
    while left < expected.count || right < found.count {
      let places = (
        left < expected.count ? expected.place(at: left) : nil,
        right < found.count ? found.place(at: right) : nil
      )
      let isLeft = places.0.map { place in places.1.map { place <= $0 } ?? true } ?? false
      let isRight = places.1.map { place in places.0.map { place <= $0 } ?? true } ?? false
      let leftEnd = isLeft ? expected.endOfPlace(at: left) : left
      let rightEnd = isRight ? found.endOfPlace(at: right) : right
      if !Self.areWrittenAlike(expected, left..<leftEnd, found, right..<rightEnd) {
        compareHere(
          (left..<leftEnd).map { expected.record(at: $0) }[...],
          (right..<rightEnd).map { found.record(at: $0) }[...])
      }
      (left, right) = (leftEnd, rightEnd)
    }
  }

  /// Whether the records of one place are the same in both, and even spelled alike: so it is nearly always, and
  /// nothing need be read for it.
  private static func areWrittenAlike(
    _ expected: Evidence, _ left: Range<Int>, _ found: Evidence, _ right: Range<Int>
  ) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { expected.written(at: $0) == found.written(at: $1) }
  }

  /// The records of one place, sorted: what is in both goes, the rest is paired in its order.
  private mutating func compareHere(
    _ expected: ArraySlice<EvidenceRecord>, _ found: ArraySlice<EvidenceRecord>
  ) {
    var (left, right) = (expected, found)
    var missing: [EvidenceRecord] = []
    var surplus: [EvidenceRecord] = []
    while let one = left.first, let other = right.first {
      if one == other {
        left = left.dropFirst()
        right = right.dropFirst()
      } else if one < other {
        missing.append(one)
        left = left.dropFirst()
      } else {
        surplus.append(other)
        right = right.dropFirst()
      }
    }
    missing += left
    surplus += right
    for index in 0..<max(missing.count, surplus.count) {
      add(
        EvidenceDifference(
          expected: index < missing.count ? missing[index] : nil,
          found: index < surplus.count ? surplus[index] : nil))
    }
  }

  private mutating func add(_ difference: EvidenceDifference) {
    count += 1
    if first.count < limit { first.append(difference) }
  }
}
