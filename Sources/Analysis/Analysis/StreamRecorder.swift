import APNsWire
import Basics
import PacketCapture

/// The recorded bytes of one side of a stream, and their packets.
package struct RecordedSide: Sendable {
  /// The beginning of a packet's bytes.
  package struct Arrival: Sendable {
    /// Offset in the stream, in bytes from 0.
    package var offset: Int
    /// Offset in the input.
    package var fileOffset: Int
    package var packet: PacketReference
  }

  package private(set) var bytes: [UInt8] = []
  /// In the order of the stream; empty if the input has no packets.
  package private(set) var arrivals: [Arrival] = []
  /// Offset in the stream after the last byte, gaps included.
  package private(set) var end = 0
  private var keepsBytes = true
  private var keepsArrivals = true

  /// Memory in bytes, without unused capacity of arrays.
  var cost: Int { bytes.count &+ MemoryLayout<Arrival>.stride &* arrivals.count }

  /// Ends of the chunks in which the bytes arrived, without the last; nil if the input has no packets.
  package var chunkEnds: [Int]? { arrivals.isEmpty ? nil : arrivals.dropFirst().map(\.offset) }

  mutating func append(_ more: RawSpan, origins: Span<SourceExtent>, isRecord: Bool) {
    if keepsArrivals, isRecord {
      noteRecord(origins)
    } else if keepsArrivals {
      for index in origins.indices { note(origins[index]) }
    }
    if !origins.isEmpty { end = origins[0].streamOffset &+ more.byteCount }
    if keepsBytes { more.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  /// A record of TLS is read once its last packet is there.
  private mutating func noteRecord(_ origins: Span<SourceExtent>) {
    guard !origins.isEmpty, let packet = origins[origins.count - 1].packet ?? arrivals.last?.packet else {
      return
    }
    arrivals.append(
      Arrival(offset: origins[0].streamOffset, fileOffset: origins[0].fileOffset, packet: packet))
  }

  private mutating func note(_ origin: SourceExtent) {
    let last = arrivals.last?.packet
    guard let packet = origin.packet ?? last, origin.packet == nil || packet != last else { return }
    arrivals.append(Arrival(offset: origin.streamOffset, fileOffset: origin.fileOffset, packet: packet))
  }

  /// Drops the bytes, and the packets unless they are kept, and records no more of it.
  mutating func drop(keepingPackets: Bool = false) {
    (keepsBytes, bytes) = (false, [])
    if !keepingPackets { (keepsArrivals, arrivals) = (false, []) }
  }
}

/// A recorded stream: the bytes of both sides, and the records in them.
package struct RecordedStream: Sendable {
  /// Consecutive tuples of one length.
  package struct Run: Sendable {
    package var offset: Int
    package var tokenLength: Int
    package var count: Int
  }

  package struct Response: Sendable {
    package var offset: Int
    package var response: ErrorResponse
  }

  /// The number of its input, from 1.
  package let input: Int
  private var first = RecordedSide()
  private var second = RecordedSide()
  /// Tuples from the server and, if the roles are reversed, from the client.
  private var serverTuples: [Run] = []
  private var clientTuples: [Run] = []
  package private(set) var responses: [Response] = []
  /// The directions with feedback, with skipped bytes, and without their beginning in the capture.
  private var feedbackOf: Set<Direction> = []
  package private(set) var skippedOf: Set<Direction> = []
  package private(set) var midstreamOf: Set<Direction> = []
  /// Whether the stream exceeded the memory budget, so that nothing of it is kept.
  package private(set) var isOverBudget = false

  init(input: Int) { self.input = input }

  package internal(set) subscript(side: Side) -> RecordedSide {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }

  /// The direction of the feedback. It can be the client's if only the handshake determined the roles.
  package var feedbackSender: Direction {
    feedbackOf.contains(.server) || !feedbackOf.contains(.client) ? .server : .client
  }

  /// The tuples in the direction of the feedback.
  package var tuples: [Run] { feedbackSender == .server ? serverTuples : clientTuples }

  /// Memory in bytes, without unused capacity of arrays.
  var cost: Int {
    first.cost &+ second.cost &+ MemoryLayout<Run>.stride &* (serverTuples.count &+ clientTuples.count)
      &+ MemoryLayout<Response>.stride &* responses.count
  }

  fileprivate mutating func add(_ records: FeedbackRecords, keepsRecords: Bool) {
    feedbackOf.insert(records.direction)
    guard keepsRecords, !isOverBudget else { return }
    let run = Run(
      offset: records.run.offset, tokenLength: Int(records.run.tokenLength), count: records.run.count)
    if records.direction == .server {
      Self.append(run, to: &serverTuples)
    } else {
      Self.append(run, to: &clientTuples)
    }
  }

  /// Appends a run, or extends the last one if it is contiguous: otherwise, a stream in small packets would have
  /// one run per packet.
  private static func append(_ run: Run, to runs: inout [Run]) {
    if let last = runs.last, last.tokenLength == run.tokenLength,
      last.offset + last.count * (Tuple.headerLength + last.tokenLength) == run.offset
    {
      runs[runs.count - 1].count += run.count
    } else {
      runs.append(run)
    }
  }

  fileprivate mutating func add(_ response: Response) { if !isOverBudget { responses.append(response) } }

  fileprivate mutating func add(_ finding: Finding) {
    guard let direction = finding.direction else { return }
    if [.skippedBytes, .separatingBytes].contains(finding.code) { skippedOf.insert(direction) }
    if finding.code == .midstreamStart { midstreamOf.insert(direction) }
  }

  fileprivate mutating func dropAll() {
    first.drop()
    second.drop()
    (serverTuples, clientTuples, responses) = ([], [], [])
    isOverBudget = true
  }
}

/// Records streams until they end: the bytes of servers, and the first bytes of clients, which are needed to
/// detect their content.
///
/// Memory: open streams and the results for ended streams together stay within the budget. A stream that would
/// exceed it is not recorded.
package final class StreamRecorder: EvidenceSink {
  /// Optional contents of recordings, in addition to the bytes of servers.
  package struct Contents: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Tuples and responses.
    package static let records = Contents(rawValue: 1)
    /// The packets of requests, and of bytes after a gap.
    package static let packets = Contents(rawValue: 2)
  }

  private let budget: Int
  private let contents: Contents
  /// The number of the stream to record; nil for all.
  private let wanted: Int?
  private let ended: (RecordedStream, StreamSummary, StreamReport) throws -> Int
  private var streams: [Int: RecordedStream] = [:]
  /// Total memory in bytes.
  private var kept = 0
  private var input = 0

  /// - Parameters:
  ///   - budget: memory in bytes.
  ///   - ended: called with each stream when it ends. Returns the memory of its result in bytes.
  package init(
    budget: Int, contents: Contents, wanted: Int? = nil,
    ended: @escaping (RecordedStream, StreamSummary, StreamReport) throws -> Int
  ) {
    (self.budget, self.contents, self.wanted, self.ended) = (budget, contents, wanted, ended)
  }

  package var needs: EvidenceNeeds { contents.contains(.records) ? [.bytes, .gatewayRecords] : .bytes }

  package func inputBegan(_ source: String) { input += 1 }

  package func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<SourceExtent>) {
    change(direction.stream) { stream in
      // Only the arrival of requests can be useful; nothing of ciphertext and unknown content is.
      if direction.isDecided, direction.content == nil || direction.content == .requests {
        let keepsPackets = contents.contains(.packets) && direction.content == .requests
        stream[direction.side].drop(keepingPackets: keepsPackets)
      }
      stream[direction.side].append(bytes, origins: origins, isRecord: direction.isRecord)
    }
  }

  package func gap(_ gap: StreamGap, in direction: DirectionState) {
    change(direction.stream) { $0[direction.side].drop(keepingPackets: contents.contains(.packets)) }
  }

  /// Records are added when they are decided, before or after their bytes.
  package func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    change(records.labels.stream) { $0.add(records, keepsRecords: contents.contains(.records)) }
  }

  package func response(_ response: ResponseRecord) {
    guard contents.contains(.records) else { return }
    change(response.labels.stream) { $0.add(.init(offset: response.offset, response: response.response)) }
  }

  package func finding(_ finding: Finding) {
    if let stream = finding.stream { change(stream) { $0.add(finding) } }
  }

  package func stream(_ summary: StreamSummary, report: StreamReport) throws {
    if let wanted, summary.number != wanted { return }
    let stream = streams.removeValue(forKey: summary.number) ?? RecordedStream(input: input)
    kept &-= stream.cost
    kept &+= try ended(stream, summary, report)
  }

  /// Changes a recorded stream, and drops it if the budget is exceeded.
  private func change(_ number: Int, _ change: (inout RecordedStream) -> Void) {
    if let wanted, number != wanted { return }
    let before = streams[number]?.cost ?? 0
    change(&streams[number, default: RecordedStream(input: input)])
    kept &+= (streams[number]?.cost ?? 0) &- before
    if kept > budget {
      kept &-= streams[number]?.cost ?? 0
      streams[number]?.dropAll()
    }
  }
}
