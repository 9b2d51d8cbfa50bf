import Basics
import Conformance
import ReaderModels

/// What the streams of a run had. A reader that is right in all of them was not tried on anything else.
struct TriedStreams: Sendable {
  private var traits: StreamTraits = []
  /// Of the longest stream.
  private var records = 0
  private var bytes = 0

  mutating func add(_ stream: ReadableStream) {
    traits.formUnion(StreamTraits(stream))
    records = max(records, stream.records)
    bytes = max(bytes, stream.bytes.count)
  }

  mutating func add(_ others: TriedStreams) {
    traits.formUnion(others.traits)
    records = max(records, others.records)
    bytes = max(bytes, others.bytes)
  }

  /// What no stream had.
  func missing(of kind: ReadableStream.Kind) -> [String] {
    let noun =
      switch kind {
      case .feedback: "tuple"
      case .responses: "error"
      case .pushes: "push"
      }
    return traits.missing(of: kind) + [
      "more than \(Count.of(records, noun)) or \(Count.of(bytes, "byte")) in a stream"
    ]
  }
}

extension ReadableStream {
  /// The number of its true records.
  fileprivate var records: Int {
    switch content {
    case .feedback(let truth): truth.count
    case .responses(let truth): truth.responses.count
    case .pushes(let recorded): recorded.tokens.count
    case .notJudged: 0
    }
  }
}

/// What streams have that readers get wrong.
struct StreamTraits: OptionSet, Sendable {
  let rawValue: UInt32

  private static let splits = StreamTraits(rawValue: 1 << 0)
  private static let joins = StreamTraits(rawValue: 1 << 1)
  private static let repeats = StreamTraits(rawValue: 1 << 2)
  private static let otherLengths = StreamTraits(rawValue: 1 << 3)
  private static let emptyTokens = StreamTraits(rawValue: 1 << 4)
  private static let cutTail = StreamTraits(rawValue: 1 << 5)
  private static let largeNumbers = StreamTraits(rawValue: 1 << 6)
  private static let otherBytes = StreamTraits(rawValue: 1 << 7)
  private static let times = StreamTraits(rawValue: 1 << 8)
  private static let reasons = StreamTraits(rawValue: 1 << 9)
  private static let resets = StreamTraits(rawValue: 1 << 10)
  private static let goaways = StreamTraits(rawValue: 1 << 11)

  private static let usualToken = 32

  /// All traits that streams of a kind can have, with their texts.
  private static func all(of kind: ReadableStream.Kind) -> [(trait: StreamTraits, text: String)] {
    switch kind {
    case .feedback:
      [
        (splits, "tuples in two reads"), (joins, "several tuples in one read"), (repeats, "repeated tuples"),
        (otherLengths, "tokens that have not 32 bytes"), (emptyTokens, "empty tokens"),
        (largeNumbers, "times from 2^31 on"), (cutTail, "a cut tuple at the end"),
      ]
    case .responses:
      [
        (splits, "an error in two reads"),
        (largeNumbers, "identifiers from 2^31 on"),
        (otherBytes, "other commands"),
      ]
    case .pushes:
      [
        (times, "410 with a timestamp"), (reasons, "other errors"), (resets, "resets"), (goaways, "GOAWAY"),
      ]
    }
  }

  /// What no stream had.
  func missing(of kind: ReadableStream.Kind) -> [String] {
    Self.all(of: kind).filter { !contains($0.trait) }.map(\.text)
  }

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(_ stream: ReadableStream) {
    switch stream.content {
    case .feedback(let truth): self.init(truth, stream.chunking)
    case .responses(let truth): self.init(truth, stream.chunking)
    case .pushes(let recorded): self.init(recorded)
    case .notJudged: self = []
    }
  }

  private init(_ truth: TrueRecords, _ chunking: Chunking) {
    self = []
    add(Self.repeats, truth.hasRepeats)
    add(Self.emptyTokens, truth.hasEmptyTokens)
    let ranges = truth.ranges
    add(Self.otherLengths, ranges.contains { $0.count != TrueRecords.header + Self.usualToken })
    add(Self.largeNumbers, truth.latest >= 1 << 31)
    add(Self.cutTail, (ranges.last?.upperBound ?? 0) < truth.bytes.count && !truth.hasEmptyTokens)
    addReads(of: ranges, in: truth.bytes.count, chunking)
  }

  private init(_ truth: TrueResponses, _ chunking: Chunking) {
    self = []
    add(Self.largeNumbers, truth.responses.contains { $0.identifier >= 1 << 31 })
    add(Self.otherBytes, truth.endsInOtherBytes)
    let ranges = truth.responses.map { $0.offset..<$0.offset + TrueResponses.length }
    addReads(of: ranges, in: truth.bytes.count, chunking)
  }

  private init(_ recorded: RecordedAnswers) {
    self = []
    for answer in recorded.answers.values.joined() {
      switch answer {
      case .response(let response) where response.status == 410 && response.timestamp != nil:
        insert(Self.times)
      case .response(let response) where response.status != 200: insert(Self.reasons)
      case .refuse, .cancel: insert(Self.resets)
      case .goaway: insert(Self.goaways)
      case .response, .silence: break
      }
    }
  }

  private mutating func add(_ trait: StreamTraits, _ isThere: Bool) { if isThere { insert(trait) } }

  /// Compares the records with the reads that a reader gets at most.
  private mutating func addReads(of records: [Range<Int>], in count: Int, _ chunking: Chunking) {
    var reads = ChunkedReads(of: count, cut: chunking)
    var next = records[...]
    while case let read = reads.read(.max), !read.isEmpty {
      let whole = next.prefix { $0.upperBound <= read.upperBound }
      next = next.dropFirst(whole.count)
      add(Self.joins, whole.count > 1)
      add(Self.splits, next.first.map { $0.lowerBound < read.upperBound } ?? false)
    }
  }
}
