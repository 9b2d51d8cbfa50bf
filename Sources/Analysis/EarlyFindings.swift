/// Findings of a source about bytes that the decoder has not decided: they wait, so that what is said of a direction
/// comes in the order of its offsets (interface.md, "export").
struct EarlyFindings {
  /// So many wait at most; those that come then are told at once, out of order.
  private static let maxCount = 4096

  /// In the order of their offsets, those of one offset in the order in which they came.
  private var findings: [StreamFinding] = []

  var first: StreamFinding? { findings.first }

  /// Keeps `finding` where its offset is not before `covered`, up to which all has been said; else false.
  mutating func take(_ finding: StreamFinding, from covered: Int) -> Bool {
    guard let offset = finding.offset, offset >= covered, findings.count < Self.maxCount else { return false }
    var place = findings.count
    while place > 0, let before = findings[place - 1].offset, before > offset { place -= 1 }
    findings.insert(finding, at: place)
    return true
  }

  /// Takes the first finding off if it lies before `offset`.
  mutating func removeFirst(before offset: Int) -> StreamFinding? {
    guard let first = findings.first?.offset, first < offset else { return nil }
    return findings.removeFirst()
  }
}
