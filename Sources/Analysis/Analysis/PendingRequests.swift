import APNsWire

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

  package init(offset: Int, captureOrder: Int, queuePosition: Int, identifier: UInt32?) {
    (self.offset, self.captureOrder, self.queuePosition) = (offset, captureOrder, queuePosition)
    self.identifier = identifier
  }
}

/// The requests of a connection that a response may name, by their numbers in the connection (from 0).
package struct PendingRequests {
  private var requests: [PendingRequest] = []
  /// The number of requests removed from the front of `requests`.
  private var removed = 0
  /// The number of the first request in `requests`.
  private var base = 0
  /// Whether a request with identifier 0 was removed: responses with that identifier are then ambiguous.
  package private(set) var zeroHasLeft = false

  package init() {}

  /// The number of the oldest pending request, and the number after the newest.
  package var first: Int { base + removed }
  package var end: Int { base + requests.count }
  package var count: Int { requests.count - removed }

  /// The pending request with the given number.
  package subscript(number: Int) -> PendingRequest { requests[number - base] }

  package mutating func append(_ request: PendingRequest) { requests.append(request) }

  /// Removes the oldest request.
  package mutating func dropFirst() {
    if requests[removed].identifier == 0 { zeroHasLeft = true }
    removed += 1
    // Removed entries are freed from time to time, in amortised constant time.
    guard removed > count else { return }
    requests.removeFirst(removed)
    base += removed
    removed = 0
  }

  /// The pending requests with each of `identifiers`, found in one pass.
  package func carriers(of identifiers: some Sequence<UInt32>) -> [UInt32: Carriers] {
    var found: [UInt32: Carriers] = [:]
    for identifier in identifiers { found[identifier] = Carriers() }
    for index in removed..<requests.count {
      guard let identifier = requests[index].identifier else { continue }
      found[identifier]?.append(base + index, captureOrder: requests[index].captureOrder)
    }
    return found.mapValues { $0.sorted() }
  }
}

/// The requests with one identifier, in the order of the capture, which may differ from that of the offsets.
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

  /// The number of the last request captured before `order`; nil if there is none.
  package func last(before order: Int) -> Int? {
    let count = count(before: order)
    return count > 0 ? carriers[count - 1].number : nil
  }

  /// The number of the only request captured before `order`; nil if there are several or none.
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

/// The outcome of a connection's requests, as its first response determines it (docs/spec/decoding-rules.md#correlation).
/// Requests are numbered from 0 in the order of their offsets.
enum ConnectionOutcome: Equatable {
  /// No response, or one that decides nothing: all outcomes are unknown.
  case none
  /// Status 10: requests up to this one were accepted, later ones discarded.
  case acceptedThrough(Int)
  /// Requests before this one were accepted, later ones discarded.
  case rejected(Int, status: UInt8)

  /// - Parameter request: the number of the request that the response names; nil if none is found.
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

  /// The outcomes of the requests from number `first` up to but not including `end`.
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
