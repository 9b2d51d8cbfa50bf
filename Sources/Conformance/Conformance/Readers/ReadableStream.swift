import Analysis
import Basics
import PacketCapture
import ReaderModels

/// A stream as a reader receives it, with its true records.
package struct ReadableStream: Sendable {
  /// The records that readers are judged by.
  package enum Kind: String, CaseIterable, Sendable { case feedback, responses, pushes }

  package enum TrueContent: Sendable {
    case feedback(TrueRecords)
    case responses(TrueResponses)
    /// A server's answers to the pushes of one case.
    case pushes(RecordedAnswers)
    /// Why readers cannot be judged on it.
    case notJudged(Message)
  }

  package let source: String
  package let number: Int
  package let kind: Kind
  package let content: TrueContent
  package private(set) var chunking: Chunking
  /// Whether it has bytes that are in no record, not counting an incomplete tail.
  let hasSkipped: Bool

  /// Nil if the stream is of another kind.
  /// - Parameters:
  ///   - kind: nil takes both.
  ///   - memoryOption: the option that sets `memory`.
  init?(
    _ stream: RecordedStream, _ summary: StreamSummary, kind: Kind? = nil, takesDamaged: Bool = true,
    memory: Int, memoryOption: String = "--memory"
  ) {
    let side: Side
    switch summary.streamProtocol {
    case .feedback where kind == nil || kind == .feedback:
      self.kind = .feedback
      side = stream.feedbackSender == .server ? summary.serverSide : summary.serverSide.other
    case .gateway where (kind == nil || kind == .responses) && summary.serverBytes > 0:
      (self.kind, side) = (.responses, summary.serverSide)
    default: return nil
    }
    source = summary.source
    number = summary.number
    chunking = stream[side].chunkEnds.map { .ends($0) } ?? .standard
    hasSkipped = stream.skippedOf.contains(side == summary.serverSide ? .server : .client)
    let mayRefuse = self.kind == .responses && stream.responseTruth(of: side).endsInOtherBytes
    let first = self.kind == .feedback ? stream.tuples.first?.offset : stream.responses.first?.offset
    if let obstacle = stream.obstacle(
      summary, side, firstRecord: first, memory: memory, memoryOption: memoryOption)
    {
      content = .notJudged(obstacle)
    } else if !takesDamaged, hasSkipped, !mayRefuse {
      content = .notJudged(
        "the stream has bytes that are in no record, which no server sends (use --damaged to judge it)")
    } else if self.kind == .feedback {
      let runs = stream.tuples.map { ($0.offset, $0.tokenLength, $0.count) }
      content = .feedback(TrueRecords(bytes: stream[side].bytes, runs: runs))
    } else {
      content = .responses(stream.responseTruth(of: side))
    }
  }

  /// The pushes of a case, which a client under test sends.
  init(_ answers: RecordedAnswers, of source: String) {
    (self.source, number, kind, content) = (source, 0, .pushes, .pushes(answers))
    (chunking, hasSkipped) = (.standard, false)
  }

  package var isJudged: Bool { if case .notJudged = content { false } else { true } }

  /// What a reader gets: of pushes the tokens, a line for each.
  package var bytes: [UInt8] {
    switch content {
    case .feedback(let truth): truth.bytes
    case .responses(let truth): truth.bytes
    case .pushes(let answers): Array(answers.tokens.map { "\($0)\n" }.joined().utf8)
    case .notJudged: []
    }
  }

  /// The stream cut into chunks of these sizes, unless its packets are known.
  package func cut(_ sizes: [Int]) -> ReadableStream {
    var stream = self
    if case .sizes = chunking, !sizes.isEmpty { stream.chunking = .sizes(sizes) }
    return stream
  }
}

extension RecordedStream {
  /// The bytes of a side, with the true error responses in them.
  fileprivate func responseTruth(of side: Side) -> TrueResponses {
    TrueResponses(
      bytes: self[side].bytes,
      responses: responses.map {
        TrueResponses.Response(
          offset: $0.offset, status: $0.response.status, identifier: $0.response.identifier)
      })
  }

  /// Why readers of this side cannot be judged; nil if they can be.
  /// - Parameter firstRecord: offset of the first true record; nil if there is none.
  fileprivate func obstacle(
    _ summary: StreamSummary, _ side: Side, firstRecord: Int?, memory: Int, memoryOption: String
  ) -> Message? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    if missing > 0 {
      return "the input is missing \(Count.of(missing, "byte")) of the stream that the reader received"
    }
    if isOverBudget { return "the stream takes more than the \(ByteSize.text(memory)) of \(memoryOption)" }
    if midstreamOf.contains(isServer ? .server : .client), bytes > 0, firstRecord != 0 {
      return "the input is missing the beginning of the stream, which the reader received"
    }
    return self[side].bytes.count == bytes ? nil : "the stream could not be decoded"
  }
}

extension StreamChunks {
  /// The chunkings of a stream, with the chunk size for the rows.
  /// - Parameter captured: by its packets, or the usual one if they are unknown.
  func cuts(captured: Chunking) -> [(size: Int?, chunking: Chunking)] {
    switch self {
    case .asCaptured: [(nil, captured)]
    case .sizes(let sizes): [(nil, .sizes(sizes))]
    case .everySize: Self.everySizes.map { ($0, .size($0)) }
    }
  }
}
