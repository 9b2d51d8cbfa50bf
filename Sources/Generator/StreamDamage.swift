/// What is wrong with one record of a stream, or begins in it.
enum StreamDamage: Sendable {
  /// `count` bytes are missing from `place` (in bytes from the record's first) on, further records included.
  case lost(at: Int, count: Int, isBlock: Bool)
  /// `count` bytes from `place` on, which lie in the record, are others.
  case flipped(at: Int, count: Int)
  /// Behind `place`, at which a read of `read` bytes had ended, stands the rest of a buffer of 38.
  case padded(at: Int, read: Int, isStale: Bool)

  /// What readers copied for, in bytes (docs/spec/readers.md#models).
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

/// Whether a record was sent as it is, and what `export` must say of it.
enum Expectation: Sendable {
  /// It comes out of `export` just so.
  case whole
  /// It is there, so close to damage that `export` may doubt or miss it.
  case near
  /// Not all of its bytes are there.
  case damaged
}

/// How far damage can lead a decoder that goes forward. What was sent is fed to it, damage included.
///
/// Of tuples: a header that damage made can reach over a header and the longest token, and none that damage did not
/// make looks like one (RecordSource).
///
/// Of requests: places that look like a request stand in requests that nothing damaged, too (the length of a
/// command-2 frame, without its first byte, is a whole header of command 0), and lead on to others. So every place
/// after damage is looked at, and none may reach over the request that decoding begins with.
struct DamageReach {
  private static let longestTuple = RecordSource.header + Scenario.longestToken

  let isOfTuples: Bool
  /// Bytes from offset `place` on that were sent and not looked at yet.
  private var waiting: [UInt8] = []
  private var place = 0
  /// Where the furthest record that any place claims ends; nil where no damage is near.
  private var clearFrom: Int?

  init(ofTuples isOfTuples: Bool) { self.isOfTuples = isOfTuples }

  /// Damage ends at index `end` of the bytes sent.
  mutating func damage(endingAt end: Int) {
    clearFrom = max(clearFrom ?? 0, isOfTuples ? end + Self.longestTuple : end)
  }

  /// What was sent next.
  mutating func sent(_ bytes: [UInt8]) {
    guard !isOfTuples, clearFrom != nil else {
      place += bytes.count
      return
    }
    waiting += bytes
    lookAtAll()
  }

  /// Whether a record that begins at `offset`, with which decoding can begin, is out of reach.
  mutating func isClear(at offset: Int) -> Bool {
    guard waiting.isEmpty, (clearFrom ?? 0) <= offset else { return false }
    clearFrom = nil
    return true
  }

  private mutating func lookAtAll() {
    var start = 0
    while start < waiting.count, let length = Self.claim(waiting[start...]) {
      if length > 0 { clearFrom = max(clearFrom ?? 0, place + start + length) }
      start += 1
    }
    waiting.removeFirst(start)
    place += start
  }

  /// Length of the request that begins there if its lengths are believed (docs/spec/decoding-rules.md#gateway-requests,
  /// known extent); 0 where none does, and nil where too few bytes are there to tell.
  private static func claim(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let command = bytes.first else { return nil }
    guard command <= 2 else { return 0 }
    func number(_ place: Int, _ width: Int) -> Int? {
      let digits = bytes.dropFirst(place).prefix(width)
      return digits.count == width ? digits.reduce(0) { $0 << 8 | Int($1) } : nil
    }
    if command == 2 { return number(1, 4).map { $0 <= 0xffff ? 5 + $0 : 0 } }
    let head = command == 0 ? 1 : 9
    guard let token = number(head, 2) else { return nil }
    guard token <= Scenario.longestToken else { return 0 }
    guard let payload = number(head + 2 + token, 2) else { return nil }
    let isFill = command == 0 && token == 0 && payload == 0
    return payload <= Self.longestPayload && !isFill ? head + 4 + token + payload : 0
  }

  /// The longest payload that a decoder believes (docs/spec/decoding-rules.md#gateway-requests).
  private static let longestPayload = 4096
}
