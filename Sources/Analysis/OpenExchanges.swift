import APNsWire

/// The open exchanges of an HTTP/2 connection, within the limits of all connections, and those that are complete.
///
/// An exchange keeps its index until it is emitted.
struct OpenExchanges: ~Copyable {
  private let budget: PushBudget
  /// Memory of the open exchanges in bytes, roughly.
  private var used = 0
  private var exchanges: [PushExchange] = []
  /// Indices in `exchanges` that are not used.
  private var unused: [Int] = []
  /// The open exchanges by their streams.
  private var open: [UInt32: Int] = [:]
  /// Their streams from the oldest on, with some that are complete.
  private var order: [UInt32] = []
  private var oldest = 0
  private var completed: [Int] = []
  /// The first exchange that a limit evicted.
  private var evicted: (origin: FrameOrigin, direction: Direction)?
  private var hasEvicted = false

  init(_ budget: PushBudget) { self.budget = budget }

  deinit { budget.used -= used }

  subscript(index: Int) -> PushExchange {
    _read { yield exchanges[index] }
    _modify { yield &exchanges[index] }
  }

  /// The index of the open exchange of a stream.
  func index(of id: UInt32) -> Int? { open[id] }

  /// Opens an exchange.
  mutating func begin(_ id: UInt32) -> Int {
    let index = unused.popLast() ?? exchanges.count
    if index == exchanges.count { exchanges.append(PushExchange()) }
    exchanges[index].begin(id)
    open[id] = index
    order.append(id)
    return index
  }

  /// Counts the memory of an exchange that has grown, and evicts the oldest ones while there are too many.
  mutating func grow(_ index: Int) {
    let growth = exchanges[index].cost &- exchanges[index].counted
    exchanges[index].counted &+= growth
    used &+= growth
    budget.used &+= growth
    if isOverLimit { evict() }
  }

  private var isOverLimit: Bool {
    open.count > budget.limits.maxPending || used > 0 && budget.used > budget.limits.memory
  }

  private mutating func evict() {
    while open.count > 1, isOverLimit, oldest < order.count {
      let id = order[oldest]
      oldest &+= 1
      guard let index = open[id] else { continue }
      if !hasEvicted {
        hasEvicted = true
        evicted = exchanges[index].firstFrame
      }
      complete(index)
    }
  }

  /// The exchange will not change any more.
  mutating func complete(_ index: Int) {
    guard open.removeValue(forKey: exchanges[index].id) != nil else { return }
    completed.append(index)
    used &-= exchanges[index].counted
    budget.used &-= exchanges[index].counted
    exchanges[index].counted = 0
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
      unused.append(index)
    }
    completed.removeAll(keepingCapacity: true)
  }

  /// The first frame of the first exchange that a limit evicted, once.
  mutating func removeEvicted() -> (origin: FrameOrigin, direction: Direction)? { evicted.take() }
}

/// The limits of open pushes, which all connections share.
final class PushBudget {
  let limits: GatewayLimits
  /// Memory of open pushes in bytes, roughly.
  var used = 0

  init(_ limits: GatewayLimits) { self.limits = limits }
}
