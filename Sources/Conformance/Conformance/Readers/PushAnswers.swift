import APNsWire
import Analysis
import Basics
import Synchronization

package enum PushAnswer: Sendable, Equatable {
  case response(PushResponse)
  /// RST_STREAM with the code REFUSED_STREAM.
  case refuse
  /// RST_STREAM with the code CANCEL.
  case cancel
  /// GOAWAY that excludes the push.
  case goaway
  /// No response.
  case silence
  /// Another answer after this time; those to later requests may come before.
  indirect case late(PushAnswer, milliseconds: Int)

  /// Status 200, with an apns-id of the server.
  package static let accepted = PushAnswer.response(PushResponse(status: 200))

  /// Whether later requests for the token get the same answer.
  fileprivate var isLasting: Bool {
    switch self {
    case .response(let response): response.status != 429 && response.status < 500
    case .late(let answer, _): answer.isLasting
    case .refuse, .cancel, .goaway, .silence: false
    }
  }
}

package struct PushResponse: Sendable, Equatable {
  package var status: Int
  package var reason: String?
  /// When the token became invalid, in milliseconds since 1970.
  package var timestamp: Int64?
  package var retryAfter: Int?
  /// Of a channel that was created.
  package var channelID: String?
  /// The body of an answer without an error.
  package var content: String?
  /// The apns-id if the request has none; nil for a random one.
  package var apnsID: String?
  package var uniqueID: String?

  package init(status: Int, reason: String? = nil, timestamp: Int64? = nil) {
    (self.status, self.reason, self.timestamp) = (status, reason, timestamp)
  }

  /// The body, as Apple writes it.
  package var body: String {
    guard let reason else { return content ?? "" }
    let time = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
    return "{\"reason\":\(JSONValue.quoted(reason))\(time)}"
  }
}

/// The outcomes of the input's pushes, by token. Each request for a token gets its next outcome. After that,
/// a permanent status repeats; after a temporary one, the token is like one that is not in the input.
package final class PushAnswers: Sendable {
  private struct Played {
    var answers: [PushAnswer] = []
    var next = 0

    /// The next answer. The last one repeats if it is lasting, or if `repeats`.
    mutating func take(repeats: Bool) -> PushAnswer? {
      guard next < answers.count else { return answers.last.flatMap { repeats || $0.isLasting ? $0 : nil } }
      defer { next += 1 }
      return answers[next]
    }
  }

  private let tokens: Mutex<[String: Played]>
  private let topics: [String: Set<String>]
  /// By what requests ask.
  private let demanded: Mutex<[ServiceRequest: Played]>

  /// - Parameter demanded: answers to requests, whatever they are for, of which the last repeats; those to pushes are for
  ///   tokens that are not in the input.
  package init(_ recorded: RecordedAnswers, demanded: [ServiceRequest: [PushAnswer]] = [:]) {
    tokens = Mutex(recorded.answers.mapValues { Played(answers: $0) })
    topics = recorded.topics
    self.demanded = Mutex(demanded.mapValues { Played(answers: $0) })
  }

  /// The answer to the next push to a token.
  /// - Parameter token: the part of the path after `/3/device/`.
  package func next(for token: String) -> PushAnswer {
    tokens.withLock { $0[token.lowercased()]?.take(repeats: false) } ?? next(.push)
  }

  /// The answer to the next request, by what it asks alone; accepted if nothing else was demanded.
  package func next(_ request: ServiceRequest) -> PushAnswer {
    demanded.withLock { $0[request]?.take(repeats: true) } ?? .accepted
  }

  /// Whether a token may be for a topic: the input has the token with it, or with none.
  package func isFor(_ topic: String, token: String) -> Bool {
    topics[token.lowercased()]?.contains(topic) ?? true
  }
}

/// The outcomes of the input's pushes.
package struct RecordedAnswers: Sendable {
  /// In the order of their first pushes, in lower case.
  package private(set) var tokens: [String] = []
  package private(set) var answers: [String: [PushAnswer]] = [:]
  /// Those that the service took, by token.
  fileprivate var topics: [String: Set<String>] = [:]

  package init() {}

  mutating func add(_ answer: PushAnswer, to token: String) {
    if answers[token] == nil { tokens.append(token) }
    answers[token, default: []].append(answer)
  }

  /// Those that a client under test can be given: each request gets an answer, and no token needs an escape in a path.
  package var forClients: RecordedAnswers {
    var kept = RecordedAnswers()
    for token in tokens where !token.isEmpty && token.utf8.allSatisfy({ Hex.value(ofDigit: $0) != nil }) {
      for answer in answers[token] ?? [] where answer != .silence { kept.add(answer, to: token) }
    }
    return kept
  }
}

/// Collects the outcomes of pushes, in at most `memory` bytes.
package final class PushAnswerCollector: EvidenceSink {
  private let memory: Int
  private var used = 0
  package private(set) var recorded = RecordedAnswers()
  /// The number of pushes with (`count`) and without (`skipped`) a token and an outcome.
  package private(set) var count = 0
  package private(set) var skipped = 0
  package private(set) var exceedsMemory = false

  package init(memory: Int) { self.memory = memory }

  package func pushes(_ pushes: PushRecords, in bytes: RawSpan) throws {
    for push in pushes.records where !exceedsMemory {
      guard let token = Self.token(push.fields, in: bytes), let answer = Self.answer(push.fields, in: bytes)
      else {
        skipped += 1
        continue
      }
      count += 1
      // About 200 bytes of tables, and the token.
      used += 200 + token.utf8.count
      if let topic = Self.topic(push.fields, in: bytes),
        recorded.topics[token, default: []].insert(topic).inserted
      {
        used += 200 + topic.utf8.count
      }
      exceedsMemory = used > memory
      recorded.add(answer, to: token)
    }
  }

  private static func token(_ fields: PushFields, in bytes: RawSpan) -> String? {
    if let range = fields[.token] { return bytes.extracting(range).withUnsafeBytes { Hex.string($0) } }
    return text(.tokenText, of: fields, in: bytes)?.lowercased()
  }

  /// Nil if it is not known, or may be what the service refused.
  private static func topic(_ fields: PushFields, in bytes: RawSpan) -> String? {
    fields.status == 200 || fields.status == 410 ? text(.topic, of: fields, in: bytes) : nil
  }

  private static func text(_ text: PushFields.Text, of fields: PushFields, in bytes: RawSpan) -> String? {
    fields[text].map { range in
      bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Nil if the outcome is not known.
  private static func answer(_ fields: PushFields, in bytes: RawSpan) -> PushAnswer? {
    if let status = fields.status {
      var response = PushResponse(
        status: Int(status), reason: text(.reason, of: fields, in: bytes), timestamp: fields.timestamp)
      response.apnsID = text(.apnsID, of: fields, in: bytes)
      response.uniqueID = text(.uniqueID, of: fields, in: bytes)
      return .response(response)
    }
    if fields.flags.contains(.goaway) { return .goaway }
    if fields.flags.contains(.refused) { return .refuse }
    if fields.flags.contains(.streamReset) { return .cancel }
    return fields.flags.contains(.noResponse) ? .silence : nil
  }
}
