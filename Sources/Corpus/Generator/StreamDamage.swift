/// What is wrong with one record of a stream, or begins in it.
enum StreamDamage: Sendable {
  /// `count` bytes are missing from `place` (in bytes from the record's first) on, further records included.
  case lost(at: Int, count: Int, isBlock: Bool)
  /// `count` bytes from `place` on, which lie in the record, are others.
  case flipped(at: Int, count: Int)
  /// Behind `place`, at which a read of `read` bytes had ended, stands the rest of a buffer of 38.
  case padded(at: Int, read: Int, isStale: Bool)

  /// What readers copied for, in bytes (readers.md).
  static let readerBuffer = 38

  var name: StaticString {
    switch self {
    case .lost(_, _, let isBlock): isBlock ? "lost-block" : "lost-bytes"
    case .flipped: "flipped-bytes"
    case .padded: "padding"
    }
  }
}

/// Draws damage for record after record.
struct StreamDamageSource {
  private let rates: StreamDamageRates
  private var numbers: RandomNumbers

  /// - Parameter connection: its number, from 0; 0 for a dump.
  init(_ scenario: Scenario, connection: Int) {
    rates = scenario.damage
    numbers = RandomNumbers(seed: scenario.seed, .damage, number: connection)
  }

  var isNone: Bool { rates.isNone }
  var cutsTail: Bool { rates.cutsTail }

  /// Damage of a record of `length` bytes, which are more than one; at most of one kind.
  mutating func next(length: Int) -> StreamDamage? {
    let place = numbers.within(1...max(1, length - 1))
    if numbers.happens(rates.lostBytes) {
      return .lost(at: numbers.below(length), count: numbers.within(1...20), isBlock: false)
    }
    if numbers.happens(rates.flippedBytes) {
      return .flipped(at: place, count: min(numbers.within(1...3), length - place))
    }
    if numbers.happens(rates.lostBlocks) {
      return .lost(at: numbers.below(length), count: numbers.within(512...4096), isBlock: true)
    }
    guard numbers.happens(rates.padding) else { return nil }
    return .padded(
      at: place, read: numbers.within(1...StreamDamage.readerBuffer - 1), isStale: numbers.below(2) == 0)
  }

  /// How many bytes are left of a record of `length` that is the last and is cut off.
  mutating func tail(length: Int) -> Int { numbers.within(1...max(1, length - 1)) }

  /// What turns a byte into another one.
  mutating func change() -> UInt8 { UInt8(truncatingIfNeeded: numbers.within(1...255)) }
}
