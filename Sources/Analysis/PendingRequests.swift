import APNsWire

/// What is remembered of a request that a response may name.
package struct PendingRequest {
  /// Offset of its first byte in the client's direction.
  package var offset: Int
  /// Where its first byte is in the order of the capture; comparable within a connection.
  var captureOrder: Int
  /// Its position in the queue of evidence.
  var queuePosition: Int
  /// Nil is no identifier: command 0, or command 2 without the item.
  var identifier: UInt32?

  package init(offset: Int, captureOrder: Int, queuePosition: Int, identifier: UInt32?) {
    self.offset = offset
    self.captureOrder = captureOrder
    self.queuePosition = queuePosition
    self.identifier = identifier
  }
}

/// The requests of a connection that a response may name, by the numbers that they have in it (from 0).
package struct PendingRequests {
  private var requests: [PendingRequest] = []
  /// How many of the first in `requests` have left.
  private var left = 0
  /// The number of the first one in `requests`.
  private var base = 0
  /// Whether one with identifier 0 has left: a response with that cannot be told whose it is.
  package private(set) var zeroHasLeft = false

  package init() {}

  /// The number of the oldest one that is pending, and the one after the newest.
  package var first: Int { base + left }
  package var end: Int { base + requests.count }
  package var count: Int { requests.count - left }

  /// The request of a number, which must be pending.
  package subscript(number: Int) -> PendingRequest { requests[number - base] }

  package mutating func append(_ request: PendingRequest) { requests.append(request) }

  /// The oldest one leaves.
  package mutating func dropFirst() {
    if requests[left].identifier == 0 { zeroHasLeft = true }
    left += 1
    // Room is given back now and then, at a cost that does not depend on how many wait.
    guard left > count else { return }
    requests.removeFirst(left)
    base += left
    left = 0
  }

  /// For each of `identifiers`, the pending requests that carry it. One pass, whatever is asked.
  package func carriers(of identifiers: some Sequence<UInt32>) -> [UInt32: Carriers] {
    var found: [UInt32: Carriers] = [:]
    for identifier in identifiers { found[identifier] = Carriers() }
    for index in left..<requests.count {
      guard let identifier = requests[index].identifier else { continue }
      found[identifier]?.append(base + index, captureOrder: requests[index].captureOrder)
    }
    return found.mapValues { $0.sorted() }
  }
}

/// The requests that carry one identifier, in the order of the capture, which need not be that of the offsets.
package struct Carriers {
  private var carriers: [(captureOrder: Int, number: Int)] = []

  fileprivate mutating func append(_ number: Int, captureOrder: Int) {
    carriers.append((captureOrder, number))
  }

  fileprivate func sorted() -> Carriers {
    var sorted = self
    sorted.carriers.sort { $0 < $1 }
    return sorted
  }

  /// The number of the last one that was captured before `order`; nil without any.
  package func last(before order: Int) -> Int? {
    let count = count(before: order)
    return count > 0 ? carriers[count - 1].number : nil
  }

  /// The number of the one that was captured before `order`; nil where there are more, or none.
  package func only(before order: Int) -> Int? {
    count(before: order) == 1 ? carriers[0].number : nil
  }

  private func count(before order: Int) -> Int {
    var low = 0
    var high = carriers.count
    while low < high {
      let middle = (low + high) / 2
      if carriers[middle].captureOrder < order { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// What the first response of a connection says of its requests (docs/spec/decoding-rules.md#correlation). Requests are
/// numbered from 0 in the order of their offsets.
enum Verdict: Equatable {
  /// There is no response, or it tells nothing: all stay unknown.
  case none
  /// Status 10: requests up to this one were accepted, those after it discarded.
  case acceptedThrough(Int)
  /// Requests before this one were accepted, those after it discarded.
  case rejected(Int, status: UInt8)

  /// - Parameter request: the request that the response names; nil where none is found.
  init(status: UInt8, request: Int?) {
    switch (request, ErrorStatus(rawValue: status)) {
    case (nil, _), (_, .noErrors): self = .none
    case (let request?, .shutdown): self = .acceptedThrough(request)
    case (let request?, _): self = .rejected(request, status: status)
    }
  }

  /// - Parameter request: the number of a request.
  func outcome(of request: Int) -> RequestOutcome {
    switch self {
    case .none: .unknown
    case .acceptedThrough(let last): request <= last ? .accepted : .discarded
    case .rejected(let named, _): request == named ? .rejected : request < named ? .accepted : .discarded
    }
  }

  /// The outcomes of the requests from `first` (from 0) up to and without `end`.
  func counts(from first: Int, to end: Int) -> GatewayCounts {
    var counts = GatewayCounts()
    switch self {
    case .none:
      counts.unknown = end - first
    case .acceptedThrough(let last):
      counts.accepted = last + 1 - first
      counts.discarded = end - last - 1
    case .rejected(let named, _):
      counts.accepted = named - first
      counts.rejected = 1
      counts.discarded = end - named - 1
    }
    return counts
  }
}
