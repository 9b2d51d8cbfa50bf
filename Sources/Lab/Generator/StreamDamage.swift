/// Damage in one record of a stream, or beginning in it.
enum StreamDamage: Sendable {
  /// `count` bytes are missing from index `at` of the record on; the loss may continue in later records.
  case lost(at: Int, count: Int, isBlock: Bool)
  /// `count` bytes from index `at` on, all in the record, are changed.
  case flipped(at: Int, count: Int)
  /// At index `at`, where a read of `read` bytes ended, the rest of a buffer of 38 bytes is inserted.
  case padded(at: Int, read: Int, isStale: Bool)

  /// The buffer size in bytes that readers copy (docs/spec/readers.md#models).
  static let readerBuffer = 38

  var name: String {
    switch self {
    case .lost(_, _, let isBlock): isBlock ? "lost-block" : "lost-bytes"
    case .flipped: "flipped-bytes"
    case .padded: "padding"
    }
  }
}

/// Draws damage for one record after another.
struct StreamDamageSource {
  let rates: StreamDamageRates
  private var numbers: RandomNumbers

  /// - Parameter connection: number of the connection, from 0; 0 for a dump.
  init(_ scenario: Scenario, connection: Int) {
    rates = scenario.damage
    numbers = RandomNumbers(seed: scenario.seed, .damage, number: connection)
  }

  /// Damage of one kind for a record of `length` bytes, at least 2; nil for none.
  mutating func next(length: Int) -> StreamDamage? {
    let index = numbers.within(1...max(1, length - 1))
    if numbers.happens(rates.lostBytes) {
      return .lost(at: numbers.below(length), count: numbers.within(1...20), isBlock: false)
    }
    if numbers.happens(rates.flippedBytes) {
      return .flipped(at: index, count: min(numbers.within(1...3), length - index))
    }
    if numbers.happens(rates.lostBlocks) {
      return .lost(at: numbers.below(length), count: numbers.within(512...4096), isBlock: true)
    }
    guard numbers.happens(rates.padding) else { return nil }
    return .padded(
      at: index, read: numbers.within(1...StreamDamage.readerBuffer - 1), isStale: numbers.below(2) == 0)
  }

  /// The number of bytes to keep of the last record, of `length` bytes, which is cut off. Fewer than 5 do not show that a
  /// tuple begins.
  mutating func tail(length: Int) -> Int { numbers.within(5...max(5, length - 1)) }

  /// A nonzero mask for XOR.
  mutating func change() -> UInt8 { UInt8(truncatingIfNeeded: numbers.within(1...255)) }
}

/// The effect of damage on a record, and the expected output of `export`: the end of its type.
enum Expectation: String, Sendable {
  /// Undamaged: `export` must write it without further flags.
  case whole = ""
  /// Undamaged, but so close to damage that `export` may flag or miss it.
  case near = "-near-damage"
  case damaged = "-damaged"
}

/// Computes how far damage can mislead a decoder, from the sent bytes, damage included.
///
/// Tuples: a header created by damage covers at most a header and the longest token. No other bytes look like a header
/// (RecordSource).
///
/// Requests: undamaged requests also contain bytes that look like a request (the length of a command-2 frame,
/// without its first byte, is a whole header of command 0), and these can chain. So every offset after damage is
/// checked, and no apparent request may overlap the request at which decoding resumes.
struct DamageReach {
  let isOfTuples: Bool
  /// Sent bytes from `offset` on, not checked yet.
  private var pending: [UInt8] = []
  private var offset = 0
  /// The largest end of an apparent record; nil if there is no damage nearby.
  private var clearFrom: Int?

  init(ofTuples isOfTuples: Bool) { self.isOfTuples = isOfTuples }

  /// Adds damage that ends at offset `end` of the sent bytes.
  mutating func damage(endingAt end: Int) {
    clearFrom = max(clearFrom ?? 0, isOfTuples ? end + RecordSource.header + Scenario.longestToken : end)
  }

  mutating func sent(_ bytes: [UInt8]) {
    guard !isOfTuples, clearFrom != nil else {
      offset += bytes.count
      return
    }
    pending += bytes
    checkPending()
  }

  /// Whether a record at offset `start`, with which decoding can begin, is not affected.
  mutating func isClear(at start: Int) -> Bool {
    guard pending.isEmpty, (clearFrom ?? 0) <= start else { return false }
    clearFrom = nil
    return true
  }

  private mutating func checkPending() {
    var start = 0
    while start < pending.count, let length = Self.claim(pending[start...]) {
      if length > 0 { clearFrom = max(clearFrom ?? 0, offset + start + length) }
      start += 1
    }
    pending.removeFirst(start)
    offset += start
  }

  /// Length of the apparent request at the beginning of `bytes` (docs/spec/decoding-rules.md#gateway-requests: extent
  /// known); 0 if there is none, and nil if there are too few bytes.
  private static func claim(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let command = bytes.first else { return nil }
    guard command <= 2 else { return 0 }
    func number(_ index: Int, _ width: Int) -> Int? {
      let digits = bytes.dropFirst(index).prefix(width)
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

  /// The longest plausible payload (docs/spec/decoding-rules.md#gateway-requests).
  private static let longestPayload = 4096
}
