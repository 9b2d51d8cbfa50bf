import Analysis
import Corpus
import PacketCapture
import WireBytes

/// What is kept of a stream until it ends: both sides while it is not known who is the server, and the true
/// records, which stand in the server's.
struct KeptStream {
  var first = KeptSide()
  var second = KeptSide()
  /// True tuples of what the server and, where the roles are the other way round, the client sent.
  private(set) var serverTuples: [TupleRun] = []
  private(set) var clientTuples: [TupleRun] = []
  private(set) var responses: [ResponseTruth.Response] = []
  /// Who sent bytes that are no records.
  private(set) var skippedOf: Set<Direction> = []
  /// It took more memory than there is: nothing of it is kept any more.
  private(set) var isGivenUp = false

  subscript(side: Side) -> KeptSide {
    get { side == .first ? first : second }
    _modify {
      if side == .first { yield &first } else { yield &second }
    }
  }

  /// Bytes of memory that are taken, but for what arrays have in reserve.
  var cost: Int {
    first.cost &+ second.cost &+ MemoryLayout<TupleRun>.stride &* (serverTuples.count &+ clientTuples.count)
      &+ MemoryLayout<ResponseTruth.Response>.stride &* responses.count
  }

  mutating func add(_ records: FeedbackRecords) {
    guard !isGivenUp else { return }
    let run = TupleRun(
      offset: records.run.offset, tokenLength: Int(records.run.tokenLength), count: records.run.count)
    if records.direction == .server {
      Self.append(run, to: &serverTuples)
    } else {
      Self.append(run, to: &clientTuples)
    }
  }

  mutating func add(_ record: ResponseRecord) {
    guard !isGivenUp else { return }
    responses.append(
      ResponseTruth.Response(
        offset: record.offset, status: record.response.status, identifier: record.response.identifier))
  }

  /// - Parameter finding: of skipped bytes.
  mutating func add(skipped finding: Finding) {
    if let direction = finding.direction { skippedOf.insert(direction) }
  }

  mutating func giveUp() {
    self = KeptStream()
    first.drop()
    second.drop()
    isGivenUp = true
  }

  /// Runs that go on where the one before ends are one run: a stream in small packets has as many as packets.
  private static func append(_ run: TupleRun, to runs: inout [TupleRun]) {
    if let last = runs.last, last.tokenLength == run.tokenLength, last.end == run.offset {
      runs[runs.count - 1].count += run.count
    } else {
      runs.append(run)
    }
  }
}

extension TupleRun {
  /// Offset in the stream, in bytes from 0, behind the last tuple.
  var end: Int { offset + count * (6 + tokenLength) }
}
