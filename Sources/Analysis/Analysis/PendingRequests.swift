import APNsWire
import Basics

/// A request that a response may name.
package struct PendingRequest {
  /// Offset of the first byte in the client's direction.
  package var offset: Int
  /// The position of the first byte in the capture, comparable within a connection.
  var captureOrder: Int
  /// The position of the request in the queue of evidence.
  var queuePosition: Int
  /// Nil without identifier: command 0, or command 2 without the item.
  var identifier: UInt32?
  var payloadLength: UInt16 = 0
  /// Equal for equal tokens; 0 without one.
  var tokenHash: UInt64 = 0

  package init(offset: Int, captureOrder: Int, queuePosition: Int, identifier: UInt32?) {
    (self.offset, self.captureOrder, self.queuePosition) = (offset, captureOrder, queuePosition)
    self.identifier = identifier
  }

  /// Notes what may make a gateway refuse the request.
  package mutating func note(_ fields: RequestFields, in bytes: RawSpan) {
    if let payload = fields.payload { payloadLength = UInt16(clamping: payload.count) }
    guard let token = fields.token else { return }
    var (index, hash) = (token.lowerBound, UInt64(token.count) + 1)
    while index < token.upperBound {
      let isWord = token.upperBound &- index >= 4
      let next = isWord ? bytes.bigEndianUInt32(at: index) : UInt32(bytes.byte(at: index))
      hash = ((hash << 29 | hash >> 35) ^ UInt64(next)) &* 0x9e37_79b9_7f4a_7c15
      index &+= isWord ? 4 : 1
    }
    tokenHash = hash
  }
}

/// The requests of a connection that a response may name, by their numbers in the connection (from 0).
package struct PendingRequests {
  private var requests: [PendingRequest] = []
  /// The number of requests removed from the front of `requests`.
  private var removed = 0
  /// The number of the first request in `requests`.
  private var base = 0
  /// The lowest and the highest identifier of a removed request; nil if none had one.
  private var left: ClosedRange<UInt32>?

  package init() {}

  /// The number of the oldest pending request, and the number after the newest.
  package var first: Int { base + removed }
  package var end: Int { base + requests.count }
  package var count: Int { requests.count - removed }

  package subscript(number: Int) -> PendingRequest { requests[number - base] }

  package mutating func append(_ request: PendingRequest) { requests.append(request) }

  /// Whether a removed request may have had `identifier`.
  package func mayHaveLeft(_ identifier: UInt32) -> Bool { left?.contains(identifier) ?? false }

  /// Removes the oldest request.
  package mutating func dropFirst() {
    if let identifier = requests[removed].identifier {
      left = min(left?.lowerBound ?? identifier, identifier)...max(left?.upperBound ?? identifier, identifier)
    }
    removed += 1
    // Removed entries are freed from time to time, in amortised constant time.
    guard removed > count else { return }
    requests.removeFirst(removed)
    base += removed
    removed = 0
  }

  /// Whether pending requests show that each has an identifier of its own: they have several, none with two tokens.
  package var haveOwnIdentifiers: Bool {
    var tokens: [UInt32: UInt64] = [:]
    for request in requests[removed...] {
      guard let identifier = request.identifier else { continue }
      let known = tokens.updateValue(request.tokenHash, forKey: identifier)
      if let known, known != request.tokenHash { return false }
    }
    return tokens.count > 1
  }

  /// The pending requests with each of `identifiers`, found in one pass.
  package func carriers(of identifiers: some Sequence<UInt32>) -> [UInt32: Carriers] {
    var found: [UInt32: [Int]] = [:]
    for identifier in identifiers { found[identifier] = [] }
    for index in removed..<requests.count {
      guard let identifier = requests[index].identifier else { continue }
      found[identifier]?.append(base + index)
    }
    return found.mapValues { Carriers($0, among: self) }
  }
}

/// The requests with one identifier, in the order of the capture, which may differ from that of the offsets.
package struct Carriers {
  /// Each request, together with those captured before it.
  private var carriers: [(captureOrder: Int, candidates: Candidates)] = []

  fileprivate init(_ numbers: [Int], among requests: PendingRequests) {
    for number in numbers.sorted(by: { requests[$0].captureOrder < requests[$1].captureOrder }) {
      let request = requests[number]
      let before = carriers.last?.candidates
      carriers.append((request.captureOrder, before?.with(number, request) ?? Candidates(number, request)))
    }
  }

  /// The requests captured before `order`; nil if there are none.
  package func candidates(before order: Int) -> Candidates? {
    let next = carriers.partitioningIndex { $0.captureOrder >= order }
    return next > 0 ? carriers[next - 1].candidates : nil
  }
}

/// The requests that a response may name: those with its identifier, captured before it.
package struct Candidates {
  /// From the first to the last of them. Those between them may have other identifiers.
  package private(set) var numbers: ClosedRange<Int>
  private let tokenHash: UInt64
  private let payloadLength: UInt16
  private var haveSameToken = true
  private var haveSameLength = true

  fileprivate init(_ number: Int, _ request: PendingRequest) {
    numbers = number...number
    (tokenHash, payloadLength) = (request.tokenHash, request.payloadLength)
  }

  fileprivate func with(_ number: Int, _ request: PendingRequest) -> Candidates {
    var sum = self
    sum.numbers = min(numbers.lowerBound, number)...max(numbers.upperBound, number)
    sum.haveSameToken = haveSameToken && request.tokenHash == tokenHash
    sum.haveSameLength = haveSameLength && request.payloadLength == payloadLength
    return sum
  }

  package var isSingle: Bool { numbers.lowerBound == numbers.upperBound }

  /// The number of the request that a response with `status` names; nil if nothing proves which one it is.
  ///
  /// The gateway stops at the first request that it refuses. If it refuses all alike, that is the first.
  package func named(by status: UInt8) -> Int? {
    let areAlike =
      switch ErrorStatus(rawValue: status) {
      case .missingToken, .invalidTokenSize, .invalidToken: haveSameToken
      case .missingTopic, .missingPayload, .invalidTopicSize, .invalidPayloadSize:
        haveSameToken && haveSameLength
      default: false
      }
    return isSingle || areAlike ? numbers.lowerBound : nil
  }
}

/// The outcome of a connection's requests, as its first response determines it (docs/spec/decoding-rules.md#correlation).
/// Requests are numbered from 0 in the order of their offsets. What nothing proves is unknown.
struct ConnectionOutcome {
  /// All requests before this one were accepted.
  private var acceptedEnd = 0
  /// This request and all after it were discarded, but for the rejected one.
  private var discardedStart = Int.max
  private(set) var rejected: (number: Int, status: UInt8)?

  /// No response, or one that decides nothing.
  init() {}

  /// - Parameter candidates: the requests that the response may name; nil if none is found.
  init(status: UInt8, candidates: Candidates?) {
    guard let candidates, ErrorStatus(rawValue: status) != .noErrors else { return }
    let numbers = candidates.numbers
    let isShutdown = ErrorStatus(rawValue: status) == .shutdown
    acceptedEnd = numbers.lowerBound + (isShutdown ? 1 : 0)
    discardedStart = numbers.upperBound + 1
    guard !isShutdown, let named = candidates.named(by: status) else { return }
    rejected = (named, status)
    discardedStart = named + 1
  }

  /// - Parameter request: the number of a request.
  func outcome(of request: Int) -> RequestOutcome {
    if request < acceptedEnd { return .accepted }
    if request >= discardedStart { return .discarded }
    return request == rejected?.number ? .rejected : .unknown
  }

  /// The outcomes of the requests from number `first` up to but not including `end`.
  func counts(from first: Int, to end: Int) -> GatewayCounts {
    var counts = GatewayCounts()
    counts.accepted = max(0, acceptedEnd - first)
    counts.rejected = rejected == nil ? 0 : 1
    counts.discarded = max(0, end - discardedStart)
    counts.unknown = end - first - counts.accepted - counts.rejected - counts.discarded
    assert(counts.unknown >= 0, "each request has one outcome")
    return counts
  }
}
