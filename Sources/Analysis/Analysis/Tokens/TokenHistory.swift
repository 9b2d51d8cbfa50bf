import APNsWire
import Basics

/// What all records say of one token (docs/spec/interface.md#tokens).
package struct TokenHistory: Sendable {
  /// What the token is for; nil if no push says it, or if pushes disagree.
  package var kind: TokenKind? { kinds.value }
  /// Those of its pushes, each once.
  package private(set) var topics: [String] = []
  /// Nil if no record says it, or if records disagree.
  package var environment: PushEnvironment? { environments.value }
  /// The times of its packets, or of the records themselves unless they are doubtful.
  package private(set) var seen: ClosedRange<CaptureTime>?
  package private(set) var records = 0
  /// Requests and pushes to it.
  package private(set) var sends = 0
  package private(set) var outcomes = SendCounts()
  /// The latest time of a tuple or a 410 that is not doubtful.
  package private(set) var invalidatedAt: CaptureTime?
  /// The name of the input of `record`.
  package private(set) var source: String
  /// The record with `invalidatedAt`, else the latest one.
  package private(set) var record: TokenSighting
  /// Requests and pushes to it that were sent later than the first answer 410.
  package private(set) var sendsAfter410 = 0
  private var first410: CaptureTime?
  /// Whether its last answer without doubt accepts a push, after one that calls it invalid.
  package var isAcceptedAgain: Bool { answers.areAcceptedAgain }
  private var answers = AnswerOrder()
  /// The record with the earliest time of invalidation, and the name of its input; nil without one.
  package private(set) var first: (record: TokenSighting, source: String)?
  /// Records whose token or time is doubtful, and those found by a search.
  package private(set) var doubtful = 0
  package private(set) var recovered = 0
  /// The number of inputs with a record of it.
  package var inputs: Int { 1 + otherInputs.count }
  private var kinds = Agreed<TokenKind>()
  private var environments = Agreed<PushEnvironment>()
  private var topicNumbers: [UInt32] = []
  private let firstInput: UInt32
  /// That of all its records.
  package let side: UInt8
  private var otherInputs: Set<UInt32> = []

  /// - Parameter first: is not added yet.
  init(_ first: TokenSighting, source: String) {
    (record, self.source, firstInput, side) = (first, source, first.input, first.side)
  }

  /// - Parameter sighting: is not earlier than those before.
  mutating func add(_ sighting: TokenSighting, _ names: TokenSightings) {
    kinds.add(sighting.kind)
    environments.add(names.environment(of: sighting))
    if let topic = sighting.topic, !topicNumbers.contains(topic) {
      topicNumbers.append(topic)
      topics.append(names.topics[Int(topic)])
    }
    if sighting.input != firstInput { otherInputs.insert(sighting.input) }
    records += 1
    if sighting.isSend {
      sends += 1
      count(after410: sighting)
    }
    outcomes.add(sighting.outcome)
    if sighting.isDoubtful { doubtful += 1 } else { answers.add(sighting) }
    if sighting.isRecovered { recovered += 1 }
    if isDated(better: sighting) {
      record = sighting
      source = names.source(of: sighting)
    }
    if let time = sighting.invalidatedAt, first?.record.invalidatedAt.map({ time < $0 }) ?? true {
      first = (sighting, names.source(of: sighting))
    }
    invalidatedAt = [invalidatedAt, sighting.invalidatedAt].compactMap { $0 }.max()
    guard let time = sighting.seenAt else { return }
    seen = min(seen?.lowerBound ?? time, time)...max(seen?.upperBound ?? time, time)
  }

  /// Replaces the topics, and the names of inputs.
  package mutating func replaceTexts(_ replacement: (String) -> String) {
    (topics, source) = (topics.map(replacement), replacement(source))
    first = first.map { ($0.record, replacement($0.source)) }
  }

  private mutating func count(after410 sighting: TokenSighting) {
    if let first410, let time = sighting.sentAt, first410 < time { sendsAfter410 += 1 }
    guard let time = sighting.seenAt, sighting.isTimed else { return }
    if first410 == nil, sighting.outcome == .invalidated, !sighting.isDoubtful { first410 = time }
  }

  /// Whether a record dates the token better than those before it. Of equal ones, the first of the inputs does.
  private func isDated(better sighting: TokenSighting) -> Bool {
    guard let time = sighting.invalidatedAt else {
      guard invalidatedAt == nil, let time = sighting.seenAt else { return false }
      return seen.map { $0.upperBound < time } ?? true
    }
    return invalidatedAt.map { $0 < time || !(time < $0) && sighting.number < record.number } ?? true
  }
}

extension TokenCounts {
  package mutating func add(_ history: TokenHistory) {
    all += 1
    sentTo += history.sends > 0 ? 1 : 0
    invalidated += history.invalidatedAt != nil ? 1 : 0
    doubtful += history.doubtful > 0 ? 1 : 0
    recovered += history.recovered > 0 ? 1 : 0
    sentAfter410 += history.sendsAfter410 > 0 ? 1 : 0
    sendsAfter410 += history.sendsAfter410
  }
}

/// The order of the answers that call a token invalid and of those that accept a push to it.
private struct AnswerOrder: Sendable {
  /// Whether all answers that call it invalid have times; nil before the first one.
  private var refusalsAreTimed: Bool?
  private var isLaterAccepted = false
  /// Without times, the order in the stream counts that has all answers that call it invalid.
  private var (allAreTimed, areRefusedInOne) = (true, true)
  private var refusing: SIMD2<UInt32>?
  /// The number of the last one among all records, -1 before the first; and of the last one in each stream.
  private var lastRefused = -1
  private var lastAccepted: [SIMD2<UInt32>: Int] = [:]

  var areAcceptedAgain: Bool {
    guard !isLaterAccepted, !allAreTimed, areRefusedInOne, let refusing else { return isLaterAccepted }
    return lastRefused < lastAccepted[refusing] ?? -1
  }

  mutating func add(_ sighting: TokenSighting) {
    guard sighting.isRefused || sighting.outcome == .accepted else { return }
    let other = SIMD2(sighting.input, sighting.stream)
    if sighting.isRefused {
      areRefusedInOne = areRefusedInOne && refusing ?? other == other
      refusing = other
      (refusalsAreTimed, isLaterAccepted) = (refusalsAreTimed != false && sighting.isTimed, false)
      lastRefused = max(lastRefused, sighting.number)
    } else {
      if refusalsAreTimed == true, sighting.isTimed { isLaterAccepted = true }
      lastAccepted[other] = max(lastAccepted[other] ?? -1, sighting.number)
    }
    allAreTimed = allAreTimed && sighting.isTimed
  }
}

/// A fact that records may say: no value if none does, or if they disagree.
private struct Agreed<Fact: Equatable & Sendable>: Sendable {
  private(set) var value: Fact?
  private var disagree = false

  mutating func add(_ fact: Fact?) {
    guard let fact, !disagree else { return }
    disagree = value.map { $0 != fact } ?? false
    value = disagree ? nil : fact
  }
}

package enum PushEnvironment: String, CaseIterable, Sendable {
  case production, sandbox

  /// By the name of a server of Apple's.
  init?(serverName: String) {
    guard serverName.hasSuffix(".push.apple.com") else { return nil }
    self = serverName.contains(".sandbox.") || serverName.contains(".development.") ? .sandbox : .production
  }
}

/// What became of the records of a token. Discarded requests, which were not processed, are in none of them.
package struct SendCounts: Sendable {
  package private(set) var accepted = 0
  package private(set) var rejected = 0
  /// Answers 410, and feedback tuples.
  package private(set) var invalidated = 0
  package private(set) var unknown = 0

  mutating func add(_ outcome: PushOutcome?) {
    switch outcome {
    case .accepted: accepted += 1
    case .rejected: rejected += 1
    case .invalidated: invalidated += 1
    case .unknown: unknown += 1
    case nil: break
    }
  }
}

/// A record of a token.
package struct TokenSighting: BitwiseCopyable, Sendable {
  /// The number of the input in the order of their first records, from 0, and of its stream.
  var input: UInt32 = 0
  /// Of a comparison: the number of its set of inputs; else 0.
  var side: UInt8 = 0
  package var stream: UInt32 = 0
  /// In its direction of the stream, and in the file.
  package var offset = 0
  package var fileOffset = 0
  package var packet: PacketReference?
  /// Index in the topics.
  var topic: UInt32?
  var kind: TokenKind?
  /// Nil for a discarded request.
  var outcome: PushOutcome?
  /// Whether it is a request or a push.
  var isSend = true
  /// Its number among all records, from 0.
  var number = 0
  /// When it was captured or logged; else its own time, if that is not doubtful.
  var seenAt: CaptureTime?
  /// Whether it is a push whose answer calls the token invalid.
  var isRefused = false
  /// Whether it was captured or logged then.
  var isTimed = false
  /// When a request or a push was captured or logged.
  var sentAt: CaptureTime?
  /// The time of a tuple or a 410 that is not doubtful.
  package var invalidatedAt: CaptureTime?
  /// Whether a field says that it is of the sandbox.
  var isSandbox = false
  var isDoubtful = false
  /// Whether it was found by a search.
  var isRecovered = false

  /// By side, then by time; records without a time come first.
  var rank: Int {
    let mostTime = Int64(1) << 60 - 1
    let time = seenAt.map { min(max($0.hasText ? $0.microseconds : 0, 0), mostTime - 1) + 1 } ?? 0
    return Int(side) << 60 | Int(time)
  }
}
