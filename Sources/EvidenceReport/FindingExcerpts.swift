import Analysis
import Reports

/// Collects the first few findings of each code, with the bytes around them.
package final class FindingExcerpts: EvidenceSink {
  private let redacts: Bool
  private var excerpts: [FindingCode: [Excerpt]] = [:]

  /// - Parameter redacts: whether to hide bytes that may be part of a token.
  package init(redacts: Bool) { self.redacts = redacts }

  package func excerpt(_ excerpt: Excerpt) {
    excerpts[excerpt.finding.code, default: []].append(excerpt)
  }

  /// The findings of a code, in the order in which they were found.
  /// - Parameter command: returns the command that shows a finding's bytes.
  package func examples(of code: FindingCode, command: (Finding) -> String?) -> [FindingExample] {
    excerpts[code, default: []].sorted { $0.number < $1.number }.map { excerpt in
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
