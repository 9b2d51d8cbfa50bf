import APNsWire
import Basics
import PacketCapture

/// Collects the records of each token: feedback, requests and pushes; in bounded memory.
package final class TokenSightings: EvidenceSink {
  /// The most topics with a name, and the bytes of one: others are left out of the tokens' lists.
  private static let mostTopics = 1 << 16
  private static let longestTopic = 1 << 10

  private let sort: ExternalSort<TokenSighting>
  private let origins = TokenOrigins()
  private let takesAll: Bool
  private var count = 0
  /// Plausible times, in seconds since 1970.
  private let plausibleTimes: ClosedRange<UInt32>
  private(set) var topics: [String] = []
  private var topicNumbers: [String: UInt32] = [:]
  /// Of streams whose server has a name of Apple's.
  private var environments: [Stream: PushEnvironment] = [:]
  /// Pushes whose topic has no name.
  package private(set) var unnamedTopics = 0

  /// The set of inputs that the next records are from.
  package var side: UInt8 = 0

  private struct Stream: Hashable { let input, number: UInt32 }

  /// - Parameters:
  ///   - memory: limit in bytes, of which names and lists are no part; at least 1 MiB.
  ///   - now: the latest plausible time of a 410, in seconds since 1970.
  ///   - takesAll: whether to collect more than pushes.
  package init(
    memory: Int, temporaryDirectory: String = TemporaryDirectory.path, now: UInt32, takesAll: Bool = true
  ) {
    self.takesAll = takesAll
    sort = ExternalSort(memory: memory, temporaryDirectory: temporaryDirectory, rank: \.rank)
    plausibleTimes = min(FeedbackRules.serviceStart, now)...now
  }

  package var needs: EvidenceNeeds { takesAll ? [.extents, .gatewayRecords] : [] }

  package func counts() throws -> TokenCounts {
    var counts = TokenCounts()
    try visit { _, history in counts.add(history) }
    return counts
  }

  /// Calls `body` with each token, in their order, and what the records of side 0 and those of side 1 say of it; nil for
  /// the side that lacks it.
  package func visitSides(
    _ body: (_ token: [UInt8], _ first: TokenHistory?, _ second: TokenHistory?) throws -> Void
  ) throws {
    // Those of side 0 come before the same ones of side 1.
    var waiting: (token: [UInt8], history: TokenHistory)?
    try visit { bytes, history in
      let token = bytes.withUnsafeBytes { Array($0) }
      if let first = waiting.take() {
        if history.side == 1, first.token == token { return try body(token, first.history, history) }
        try body(first.token, first.history, nil)
      }
      if history.side == 0 { waiting = (token, history) } else { try body(token, nil, history) }
    }
    if let waiting { try body(waiting.token, waiting.history, nil) }
  }

  /// Calls `body` with each token, in their order; once for each side that has it.
  package func visit(_ body: (_ token: RawSpan, _ history: TokenHistory) throws -> Void) throws {
    var current: (token: [UInt8], history: TokenHistory)?
    try sort.visit { token, sighting in
      let isSame = current.map { current in
        current.history.side == sighting.side && token.withUnsafeBytes { $0.elementsEqual(current.token) }
      }
      if let last = current, isSame == false { try body(last.token.span.bytes, last.history) }
      if isSame != true {
        let history = TokenHistory(sighting, source: source(of: sighting))
        current = (token.withUnsafeBytes { Array($0) }, history)
      }
      current?.history.add(sighting, self)
    }
    if let current { try body(current.token.span.bytes, current.history) }
  }

  func source(of sighting: TokenSighting) -> String { origins.sources[Int(sighting.input)] }

  func environment(of sighting: TokenSighting) -> PushEnvironment? {
    let ofStream = environments[Stream(input: sighting.input, number: sighting.stream)]
    return ofStream ?? (sighting.isSandbox ? .sandbox : nil)
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    if records.run.tokenLength == 0 || !takesAll { return }
    try records.eachExtent { part in
      var sighting = sighting(part.labels, part.origin.packet)
      let run = part.run
      (sighting.isSend, sighting.outcome) = (false, .invalidated)
      sighting.isRecovered = run.flags.contains(.carved)
      sighting.isDoubtful = !run.flags.subtracting(.carved).isEmpty
      for index in 0..<run.count {
        sighting.offset = run.offset + index * run.stride
        sighting.fileOffset = part.origin.fileOffset(of: sighting.offset)
        let time = CaptureTime(seconds: Int64(run.time(of: index, in: bytes)))
        sighting.invalidatedAt = run.flags.isEmpty ? time : nil
        sighting.seenAt = sighting.packet?.time ?? sighting.invalidatedAt
        try add(bytes.extracting(run.token(of: index)), sighting)
      }
    }
  }

  private func add(_ token: RawSpan, _ sighting: TokenSighting) throws {
    var sighting = sighting
    sighting.number = count
    count += 1
    try sort.add(token, sighting)
  }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    guard takesAll else { return }
    for request in requests.records {
      guard let token = request.fields.token, !token.isEmpty else { continue }
      var sighting = sighting(requests.labels, request.packet)
      (sighting.offset, sighting.fileOffset) = (request.offset, request.fileOffset)
      sighting.outcome =
        switch request.outcome {
        case .accepted: .accepted
        case .rejected: .rejected
        case .unknown: .unknown
        case .discarded: nil
        }
      sighting.isRecovered = request.flags.contains(.carved)
      sighting.isDoubtful = !request.flags.intersection(.tokenFlags).subtracting(.carved).isEmpty
      try add(bytes.extracting(token), sighting)
    }
  }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    for push in pushes.records {
      guard let token = push.fields[.token], !token.isEmpty else { continue }
      var sighting = sighting(pushes.labels, push.packet)
      (sighting.offset, sighting.fileOffset) = (push.offset, push.fileOffset)
      sighting.outcome = push.fields.outcome
      sighting.isRefused =
        push.fields.outcome == .invalidated || push.fields.status == 400 && push.fields.blamesToken(bytes)
      sighting.kind = push.fields.tokenKind(in: bytes)
      sighting.topic = push.fields[.topic].flatMap { topic($0, in: bytes) }
      sighting.isSandbox = push.fields[.uniqueID] != nil
      let isPlausible = push.fields.timestamp.map { number in
        UInt32(exactly: number / 1000).map(plausibleTimes.contains) ?? false
      }
      // Nothing is doubtful about a status 200 that a client calls success.
      let inferred: PushFlags = push.fields.outcome == .accepted ? .statusInferred : []
      sighting.isDoubtful =
        !push.fields.flags.intersection(.tokenFlags).subtracting(inferred).isEmpty
        || push.fields.outcome == .invalidated && isPlausible == false
      if push.fields.outcome == .invalidated, !sighting.isDoubtful, let number = push.fields.timestamp {
        sighting.invalidatedAt = CaptureTime(milliseconds: number)
      }
      sighting.seenAt = push.answeredAt ?? sighting.invalidatedAt
      (sighting.isTimed, sighting.sentAt) = (push.answeredAt != nil, push.sentAt)
      try add(bytes.extracting(token), sighting)
    }
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) {
    guard let name = stream.encryption?.serverName, let environment = PushEnvironment(serverName: name),
      let input = origins.number(of: stream.source)
    else { return }
    environments[Stream(input: input, number: UInt32(clamping: stream.number))] = environment
  }

  private func sighting(_ labels: StreamLabels, _ packet: PacketReference?) -> TokenSighting {
    var sighting = TokenSighting()
    sighting.side = side
    let origin = origins.origin(labels, 0)
    (sighting.input, sighting.stream) = (origin.input, origin.stream)
    sighting.packet = packet
    (sighting.seenAt, sighting.isTimed, sighting.sentAt) = (packet?.time, packet?.time != nil, packet?.time)
    return sighting
  }

  /// The number of a topic; nil for one that gets no name.
  private func topic(_ range: Range<Int>, in bytes: RawSpan) -> UInt32? {
    if range.isEmpty { return nil }
    let name = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    if let known = topicNumbers[name] { return known }
    guard topics.count < Self.mostTopics, range.count <= Self.longestTopic else {
      unnamedTopics += 1
      return nil
    }
    let number = UInt32(topics.count)
    topics.append(name)
    topicNumbers[name] = number
    return number
  }
}
