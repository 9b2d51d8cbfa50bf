/// A queue from one thread to another that is bounded by the cost of its values, such as their bytes. Several values are
/// passed at once: for small ones, waking a thread costs more than they do.
package final class BoundedQueue<Value>: @unchecked Sendable {
  private let limit: Int
  /// Guards the properties below.
  private let changed = Monitor()
  private var parcels: [(values: [Value], cost: Int)] = []
  private var used: [Value] = []
  /// Of all parcels.
  private var cost = 0
  private var hasEnded = false
  private var isStopped = false

  package init(limit: Int) { self.limit = limit }

  /// Adds values; blocks while there are others and all of them cost more than the limit.
  /// - Returns: used values, for reuse.
  /// - Throws: `CancellationError` after `stop`.
  package func add(_ values: [Value], cost: Int) throws -> [Value] {
    try changed.withLock {
      while !parcels.isEmpty, self.cost + cost > limit, !isStopped { changed.wait() }
      if isStopped { throw CancellationError() }
      parcels.append((values, cost))
      self.cost += cost
      changed.broadcast()
      defer { used.removeAll() }
      return used
    }
  }

  /// Throws `CancellationError` after `stop`.
  package func check() throws { if changed.withLock({ isStopped }) { throw CancellationError() } }

  /// The values of the next `add`; nil after the last ones.
  /// - Parameter used: values for reuse.
  package func next(returning used: [Value]) -> [Value]? {
    changed.withLock {
      self.used += used
      while parcels.isEmpty, !hasEnded { changed.wait() }
      guard !parcels.isEmpty else { return nil }
      let parcel = parcels.removeFirst()
      cost -= parcel.cost
      changed.broadcast()
      return parcel.values
    }
  }

  /// No more values are added.
  package func end() { changed.update { hasEnded = true } }

  /// Drops all values; from now on, `add` throws.
  package func stop() {
    changed.update {
      isStopped = true
      parcels = []
    }
  }
}
