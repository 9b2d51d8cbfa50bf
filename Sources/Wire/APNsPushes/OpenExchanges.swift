import APNsWire

/// The open and the complete exchanges of an HTTP/2 connection. All connections share one budget.
///
/// An exchange keeps its index until it is emitted.
struct OpenExchanges: ~Copyable {
  private let budget: PushBudget
  private var exchanges: [PushExchange] = []
  /// Free indices in `exchanges`.
  private var unused: [Int] = []
  /// Indices of the open exchanges by stream id.
  private var open: [UInt32: Int] = [:]
  /// Stream ids, oldest first. Some of their exchanges are complete already.
  private var order: [UInt32] = []
  private var oldest = 0
  private var completed: [Int] = []
  /// The first evicted exchange, until it is reported.
  private var evicted: Evicted?
  private var hasEvicted = false

  init(_ budget: PushBudget) { self.budget = budget }

  subscript(index: Int) -> PushExchange {
    _read { yield exchanges[index] }
    _modify { yield &exchanges[index] }
  }

  func index(of id: UInt32) -> Int? { open[id] }

  mutating func begin(_ id: UInt32) -> Int {
    assert(open[id] == nil, "a stream has one open exchange")
    let index = unused.popLast() ?? exchanges.count
    if index == exchanges.count { exchanges.append(PushExchange()) }
    exchanges[index].begin(id)
    open[id] = index
    order.append(id)
    return index
  }

  /// Updates the memory of an exchange, and evicts the oldest exchanges while a limit is exceeded.
  mutating func grow(_ index: Int) {
    assert(open[exchanges[index].id] == index, "only an open exchange grows")
    let growth = exchanges[index].cost &- exchanges[index].counted
    exchanges[index].counted &+= growth
    budget.used &+= growth
    if isOverLimit { evict() }
  }

  private var isOverLimit: Bool { open.count > budget.maxPending || budget.used > budget.memory }

  private mutating func evict() {
    while open.count > 1, isOverLimit, oldest < order.count {
      let id = order[oldest]
      oldest &+= 1
      guard let index = open[id] else { continue }
      if !hasEvicted {
        hasEvicted = true
        evicted = exchanges[index].firstFrame.map {
          Evicted(origin: $0.origin, direction: $0.direction, isOfMemory: open.count <= budget.maxPending)
        }
      }
      complete(index)
    }
  }

  /// Marks an open exchange as complete: it does not change any more.
  mutating func complete(_ index: Int) {
    open.removeValue(forKey: exchanges[index].id)
    completed.append(index)
    budget.used &-= exchanges[index].counted
    exchanges[index].counted = 0
    assert(budget.used >= 0, "the budget has the memory of all open exchanges")
    if order.count > 2 &* open.count &+ 1024 {
      order.removeFirst(oldest)
      oldest = 0
      order.removeAll { open[$0] == nil }
    }
  }

  mutating func completeAll() {
    for id in open.keys.sorted() { if let index = open[id] { complete(index) } }
  }

  // MARK: - Complete exchanges

  var hasComplete: Bool { !completed.isEmpty }

  /// Removes the complete exchanges, in the order in which they were completed.
  mutating func removeComplete(_ use: (inout PushExchange) throws -> Void) rethrows {
    for index in completed {
      try use(&exchanges[index])
      exchanges[index].freeLongBuffers()
      unused.append(index)
    }
    completed.removeAll(keepingCapacity: true)
    assert(open.count + unused.count == exchanges.count, "an exchange is open, complete or free")
  }

  /// The first frame of the first evicted exchange; nil from the second call on.
  mutating func removeEvicted() -> Evicted? { evicted.take() }
}

/// The first frame of an exchange that left because a limit was reached.
package struct Evicted {
  package let origin: FrameOrigin
  package let direction: Direction
  /// Whether the memory of all open pushes was full; else too many of the connection were open.
  package let isOfMemory: Bool
}

/// The limits of pushes, which all connections share.
package final class PushBudget {
  /// The maximum number of open pushes of a connection, and the memory of all in bytes.
  let maxPending, memory: Int
  /// Those without a flag.
  let tokenLengths: TokenLengths
  /// Approximate memory of open pushes in bytes.
  var used = 0
  /// Those of all connections.
  package internal(set) var keys = ProviderKeys()

  package init(maxPending: Int, memory: Int, tokenLengths: TokenLengths = .standard) {
    (self.maxPending, self.memory, self.tokenLengths) = (maxPending, memory, tokenLengths)
  }
}
