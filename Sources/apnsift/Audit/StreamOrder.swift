import Reports

/// Puts streams, which end in any order, into that of their numbers.
struct StreamOrder {
  /// Estimated bytes of rows that wait at most; beyond it they go as far in order as they are.
  private static let maxWaiting = 64 << 20

  /// The number of the stream that goes next.
  private var next = 0
  private var waiting: [Int: [ReaderRow]] = [:]
  private var cost = 0

  /// A stream has ended; returns the rows of those whose turn it is now. One that comes after its turn goes at
  /// once.
  mutating func add(_ rows: [ReaderRow], of number: Int) -> [[ReaderRow]] {
    guard number > next else {
      next = max(next, number + 1)
      return [rows] + takeNext()
    }
    waiting[number] = rows
    cost += rows.reduce(64) { $0 + $1.cost }
    return cost > Self.maxWaiting ? takeAll() : []
  }

  /// No more streams come of this input; returns what still waits.
  mutating func end() -> [[ReaderRow]] {
    defer { next = 0 }
    return takeAll()
  }

  private mutating func takeNext() -> [[ReaderRow]] {
    var taken: [[ReaderRow]] = []
    while let rows = waiting.removeValue(forKey: next) {
      cost -= rows.reduce(64) { $0 + $1.cost }
      taken.append(rows)
      next += 1
    }
    return taken
  }

  private mutating func takeAll() -> [[ReaderRow]] {
    let numbers = waiting.keys.sorted()
    let taken = numbers.compactMap { waiting[$0] }
    next = max(next, (numbers.last ?? -1) + 1)
    waiting = [:]
    cost = 0
    return taken
  }
}
