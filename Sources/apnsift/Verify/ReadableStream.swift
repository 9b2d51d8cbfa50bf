import Analysis
import ArgumentParser
import Corpus
import PacketCapture
import ReaderModels

/// A stream of a case, as somebody else's reader gets it, and what is true of it.
struct ReadableStream {
  /// What readers are judged by.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case feedback, responses
  }

  enum Content {
    case feedback(FeedbackTruth)
    case responses(ResponseTruth)
    /// Why readers cannot be judged by it: a sentence without its full stop.
    case notJudged(String)
  }

  let source: String
  let number: Int
  let content: Content
  /// How it came.
  private(set) var chunking: Chunking
  private let hasPackets: Bool

  /// Nil where the stream is of another kind.
  init?(
    _ stream: RecordedStream, _ summary: StreamSummary, kind: Kind, takesDamaged: Bool, memory: Int
  ) {
    let side: Side
    switch (kind, summary.speaks) {
    case (.feedback, .feedback): side = stream.feedbackSide(summary)
    case (.responses, .gateway) where summary.serverBytes > 0: side = summary.serverSide
    default: return nil
    }
    source = summary.source
    number = summary.number
    let ends = stream[side].chunkEnds
    hasPackets = ends != nil
    chunking = ends.map { .ends($0) } ?? .standard
    let first = kind == .feedback ? stream.tuples.first?.offset : stream.responses.first?.offset
    if let obstacle = stream.obstacle(summary, side, firstRecord: first, memory: memory) {
      content = .notJudged(obstacle)
    } else if !takesDamaged, stream.hasSkipped(of: side, summary) {
      content = .notJudged(
        "the stream has bytes that are no records, which no server sends (--damaged judges it)")
    } else if kind == .feedback {
      content = .feedback(stream.feedbackTruth(of: side))
    } else {
      content = .responses(stream.responseTruth(of: side))
    }
  }

  /// The stream as it came in reads of these sizes, unless the packets say how it came.
  func cut(_ sizes: [Int]) -> ReadableStream {
    var stream = self
    if !hasPackets, !sizes.isEmpty { stream.chunking = .sizes(sizes) }
    return stream
  }
}
