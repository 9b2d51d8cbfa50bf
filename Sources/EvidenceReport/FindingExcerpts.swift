import Analysis
import Reports

/// Collects a few findings of each code, one of every input before a second of any, with the bytes around them.
package final class FindingExcerpts: EvidenceSink {
  private let redacts: Bool
  private let maxExcerpts: Int
  private var excerpts: [FindingCode: FairSample<Excerpt>] = [:]

  /// - Parameters:
  ///   - maxExcerpts: how many to keep of each code.
  ///   - redacts: whether to hide bytes that may be part of a token.
  package init(maxExcerpts: Int, redacts: Bool) { (self.maxExcerpts, self.redacts) = (maxExcerpts, redacts) }

  package func excerpt(_ excerpt: Excerpt) {
    excerpts[excerpt.finding.code, default: FairSample(capacity: maxExcerpts)]
      .add(excerpt, input: excerpt.input, at: FairSample.Position(stream: 0, offset: excerpt.number))
  }

  /// Findings of a code, by input, and in the order in which they were found.
  /// - Parameter command: returns the command that shows a finding's bytes.
  package func examples(of code: FindingCode, command: (Finding) -> String?) -> [FindingExample] {
    (excerpts[code]?.chosen ?? []).map { excerpt in
      FindingExample(excerpt.finding, window: window(of: excerpt), command: command(excerpt.finding))
    }
  }

  private func window(of excerpt: Excerpt) -> HexWindow? {
    let segments = excerpt.parts.map { part in
      HexWindow.Segment(
        offset: part.start,
        bytes: part.bytes.enumerated().map { byte($0.element, at: part.start + $0.offset, in: excerpt) })
    }
    return segments.isEmpty ? nil : HexWindow(segments)
  }

  /// A redacted report shows only the times and lengths of confirmed records.
  private func byte(_ value: UInt8, at offset: Int, in excerpt: Excerpt) -> HexWindow.Byte {
    if let range = excerpt.range, range.contains(offset) {
      return HexWindow.Byte(redacts ? nil : value, .finding)
    }
    guard let tuple = excerpt.tuples.first(where: { $0.range.contains(offset) }) else {
      return HexWindow.Byte(redacts ? nil : value, .other)
    }
    let kind: HexWindow.Kind =
      switch offset - tuple.range.lowerBound {
      case 0..<4: .time
      case 4..<6: .length
      default: .token
      }
    let isShown = !redacts || tuple.isSure && kind != .token
    return HexWindow.Byte(isShown ? value : nil, kind)
  }
}
