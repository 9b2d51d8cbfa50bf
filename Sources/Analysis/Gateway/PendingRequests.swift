/// What is remembered of a request that a response may name.
struct PendingRequest {
  /// Offset of its first byte in the client's direction.
  var offset: Int
  /// Where its first byte stands in the order of the capture; comparable within a connection.
  var captureOrder: Int
  /// Where it stands in the queue of evidence.
  var queuePlace: Int
  /// Nil is no identifier: command 0, or command 2 without the item.
  var identifier: UInt32?
}

/// The requests of a connection that a response may name, by the numbers that they have in it (from 0).
struct PendingRequests {
  private var requests: [PendingRequest] = []
  /// How many of the first in `requests` have left.
  private var left = 0
  /// The number of the first one in `requests`.
  private var base = 0

  /// The number of the oldest one that is pending, and the one behind the newest.
  var first: Int { base + left }
  var end: Int { base + requests.count }
  var count: Int { requests.count - left }

  /// The request of a number, which must be pending.
  subscript(number: Int) -> PendingRequest { requests[number - base] }

  mutating func append(_ request: PendingRequest) { requests.append(request) }

  /// The oldest one leaves.
  mutating func dropFirst() {
    left += 1
    // Room is given back now and then, at a cost that does not depend on how many wait.
    guard left > count else { return }
    requests.removeFirst(left)
    base += left
    left = 0
  }

  /// For each of `identifiers`, the pending requests that carry it. One pass, whatever is asked.
  func carriers(of identifiers: some Sequence<UInt32>) -> [UInt32: Carriers] {
    var found: [UInt32: Carriers] = [:]
    for identifier in identifiers { found[identifier] = Carriers() }
    for index in left..<requests.count {
      guard let identifier = requests[index].identifier else { continue }
      found[identifier]?.append(base + index, captureOrder: requests[index].captureOrder)
    }
    return found.mapValues { $0.prepared() }
  }
}

/// The requests that carry one identifier, in the order of their offsets.
struct Carriers {
  private var numbers: [Int] = []
  /// Where each stands in the order of the capture, which need not be that of the offsets.
  private var captureOrders: [Int] = []
  /// The least of the orders from each index on: it never falls.
  private var leastFrom: [Int] = []
  private var sortedOrders: [Int] = []

  fileprivate mutating func append(_ number: Int, captureOrder: Int) {
    numbers.append(number)
    captureOrders.append(captureOrder)
  }

  fileprivate func prepared() -> Carriers {
    var carriers = self
    carriers.sortedOrders = captureOrders.sorted()
    carriers.leastFrom = captureOrders
    for index in captureOrders.indices.dropLast().reversed() {
      carriers.leastFrom[index] = min(carriers.leastFrom[index], carriers.leastFrom[index + 1])
    }
    return carriers
  }

  /// The number of the last one that was captured before `order`; nil without any.
  func last(before order: Int) -> Int? {
    let count = Self.count(in: leastFrom, below: order)
    return count > 0 ? numbers[count - 1] : nil
  }

  /// The number of the one that was captured before `order`; nil where there are more, or none.
  func only(before order: Int) -> Int? {
    Self.count(in: sortedOrders, below: order) == 1 ? last(before: order) : nil
  }

  /// How many of `orders`, which never fall, are below `order`.
  private static func count(in orders: [Int], below order: Int) -> Int {
    var low = 0
    var high = orders.count
    while low < high {
      let middle = (low + high) / 2
      if orders[middle] < order { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
