import Basics
import Conformance
import ReaderModels

/// What the streams of a run had that readers get wrong. A reader that is right in all of them was not tried on anything
/// else.
struct TriedStreams: Sendable {
  private typealias Trait<Truth> = (text: String, isIn: @Sendable (Truth, RecordReads) -> Bool)

  private static let ofTuples: [Trait<TrueRecords>] = [
    ("tuples in two reads", { $1.splits }), ("several tuples in one read", { $1.joins }),
    ("repeated tuples", { truth, _ in truth.hasRepeats }),
    ("tokens that have not 32 bytes", { $1.records.contains { $0.count != TrueRecords.header + 32 } }),
    ("empty tokens", { truth, _ in truth.hasEmptyTokens }),
    ("times from 2^31 on", { truth, _ in truth.latest >= 1 << 31 }),
    (
      "a cut tuple at the end",
      { ($1.records.last?.upperBound ?? 0) < $0.bytes.count && !$0.hasEmptyTokens }
    ),
  ]
  private static let ofErrors: [Trait<TrueResponses>] = [
    ("an error in two reads", { $1.splits }),
    ("identifiers from 2^31 on", { truth, _ in truth.responses.contains { $0.identifier >= 1 << 31 } }),
    ("other commands", { truth, _ in truth.endsInOtherBytes }),
  ]
  private static let ofPushes: [Trait<[PushAnswer]>] = [
    ("410 with a timestamp", { answers, _ in answers.contains { $0.hasTime } }),
    ("other errors", { answers, _ in answers.contains { $0.isError && !$0.hasTime } }),
    ("resets", { answers, _ in answers.contains(.refuse) || answers.contains(.cancel) }),
    ("GOAWAY", { answers, _ in answers.contains(.goaway) }),
  ]

  /// Texts of traits.
  private var had: Set<String> = []
  /// Of the longest stream.
  private var records = 0
  private var bytes = 0

  mutating func add(_ stream: ReadableStream) {
    bytes = max(bytes, stream.bytes.count)
    switch stream.content {
    case .feedback(let truth):
      add(truth, RecordReads(truth.ranges, in: truth.bytes.count, stream.chunking), Self.ofTuples)
    case .responses(let truth):
      let ranges = truth.responses.map { $0.offset..<$0.offset + TrueResponses.length }
      add(truth, RecordReads(ranges, in: truth.bytes.count, stream.chunking), Self.ofErrors)
    case .pushes(let recorded):
      add(Array(recorded.answers.values.joined()), RecordReads([], in: 0, stream.chunking), Self.ofPushes)
      records = max(records, recorded.tokens.count)
    case .notJudged: break
    }
  }

  private mutating func add<Truth>(_ truth: Truth, _ reads: RecordReads, _ traits: [Trait<Truth>]) {
    had.formUnion(traits.filter { $0.isIn(truth, reads) }.map(\.text))
    records = max(records, reads.records.count)
  }

  mutating func add(_ others: TriedStreams) {
    had.formUnion(others.had)
    records = max(records, others.records)
    bytes = max(bytes, others.bytes)
  }

  /// What no stream had.
  func missing(of kind: ReadableStream.Kind) -> [String] {
    let (noun, traits) =
      switch kind {
      case .feedback: ("tuple", Self.ofTuples.map(\.text))
      case .responses: ("error", Self.ofErrors.map(\.text))
      case .pushes: ("push", Self.ofPushes.map(\.text))
      }
    return traits.filter { !had.contains($0) } + [
      "more than \(Count.of(records, noun)) or \(Count.of(bytes, "byte")) in a stream"
    ]
  }
}

/// True records, compared with the reads that a reader gets at most.
private struct RecordReads {
  var records: [Range<Int>] = []
  /// Whether a record is in two reads, or a read has several.
  var splits = false
  var joins = false

  init(_ records: [Range<Int>], in count: Int, _ chunking: Chunking) {
    self.records = records
    var reads = ChunkedReads(of: count, cut: chunking)
    var next = records[...]
    while case let read = reads.read(.max), !read.isEmpty {
      let whole = next.prefix { $0.upperBound <= read.upperBound }
      next = next.dropFirst(whole.count)
      joins = joins || whole.count > 1
      splits = splits || next.first.map { $0.lowerBound < read.upperBound } ?? false
    }
  }
}

extension PushAnswer {
  fileprivate var given: PushResponse? { if case .response(let given) = self { given } else { nil } }
  fileprivate var isError: Bool { given.map { $0.status != 200 } ?? false }
  fileprivate var hasTime: Bool { given?.status == 410 && given?.timestamp != nil }
}
