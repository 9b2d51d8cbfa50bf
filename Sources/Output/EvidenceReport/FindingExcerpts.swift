import Analysis
import PacketCapture
import Reports

/// Collects a few findings of each code, one of every input before a second of any, with the bytes around them.
final class FindingExcerpts: EvidenceSink {
  private let maxExcerpts: Int
  private var excerpts: [FindingCode: FairSample<Excerpt>] = [:]
  private var text = FileText()

  /// - Parameter maxExcerpts: how many to keep of each code.
  init(maxExcerpts: Int) { self.maxExcerpts = maxExcerpts }

  var needs: EvidenceNeeds { .fileText }

  func inputBegan(_ source: String) { text.forget() }

  func text(_ window: [UInt8], at offsets: Range<Int>) { text.keep(window, at: offsets) }

  func excerpt(_ excerpt: Excerpt) {
    var excerpt = excerpt
    let bytes = excerpt.findingBytes
    if let offset = excerpt.finding.fileOffset, bytes.isEmpty || text.isSource(of: bytes, at: offset) {
      (excerpt.isDecoded, excerpt.fileText) = (!bytes.isEmpty, text.lines(with: offset..<offset + 1))
    }
    excerpts[excerpt.finding.code, default: FairSample(capacity: maxExcerpts)]
      .add(excerpt, input: excerpt.input, at: FairSample.Position(stream: 0, offset: excerpt.number))
  }

  /// Findings of a code, by input, and in the order in which they were found.
  /// - Parameter command: returns the command that shows a finding's bytes.
  func examples(of code: FindingCode, command: (Finding) -> String?) -> [FindingExample] {
    (excerpts[code]?.chosen ?? []).map { excerpt in
      let segments = excerpt.parts.filter { !$0.bytes.isEmpty }.map { part in
        HexSegment(
          offset: part.start,
          bytes: part.bytes.enumerated().map { Self.byte($1, at: part.start + $0, in: excerpt) })
      }
      var example = FindingExample(excerpt.finding, bytes: segments, command: command(excerpt.finding))
      (example.isDecoded, example.fileText) = (excerpt.isDecoded, excerpt.fileText)
      return example
    }
  }

  private static func byte(_ value: UInt8, at offset: Int, in excerpt: Excerpt) -> HexSegment.Byte {
    if let range = excerpt.range, range.contains(offset) { return HexSegment.Byte(value, .finding) }
    guard let tuple = excerpt.tuples.first(where: { $0.range.contains(offset) }) else {
      return HexSegment.Byte(value, .other)
    }
    switch offset - tuple.range.lowerBound {
    case 0..<4: return HexSegment.Byte(value, .time, isOfNoToken: tuple.isSure)
    case 4..<6: return HexSegment.Byte(value, .length, isOfNoToken: tuple.isSure)
    default: return HexSegment.Byte(value, .token)
    }
  }
}

/// Consecutive bytes near a finding, each with its kind.
package struct HexSegment: Equatable, Sendable {
  /// The role of a byte.
  package enum Kind: String, Sendable {
    /// Part of the bytes that the finding is about.
    case finding
    case time, length, token
    /// Part of no known feedback tuple.
    case other
  }

  package struct Byte: Equatable, Sendable {
    /// Nil if it is left out.
    package var value: UInt8?
    package var kind: Kind
    /// Whether it is certain that it is part of no token: only in the time or length of a tuple without flags.
    package var isOfNoToken: Bool

    package init(_ value: UInt8?, _ kind: Kind, isOfNoToken: Bool = false) {
      (self.value, self.kind, self.isOfNoToken) = (value, kind, isOfNoToken)
    }
  }

  /// Offset of the first byte in its direction of the stream, from 0.
  package var offset: Int
  package var bytes: [Byte]

  package init(offset: Int, bytes: [Byte]) { (self.offset, self.bytes) = (offset, bytes) }
}
