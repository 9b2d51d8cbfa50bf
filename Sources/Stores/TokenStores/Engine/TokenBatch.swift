import Basics

/// Tokens with their times that are processed together, in the order of their bytes; equal ones in the order of the
/// input.
///
/// A directory finds them by their first bytes, and a binary search among those that share these: no choice of tokens
/// makes it slow.
struct TokenBatch {
  /// A batch is full with this many tokens, or bytes of tokens: it takes about 100 MiB. Each batch reads the table
  /// once.
  static let mostTokens = 1 << 20
  static let mostBytes = 64 << 20

  /// All tokens, one after the other.
  private(set) var bytes: [UInt8] = []
  private var times: [StoreTime] = []
  /// The records that decided the times; empty if they are not needed.
  private var origins: [RecordOrigin?] = []
  /// The offset in `bytes` at which each token ends.
  private var ends: [Int] = []
  private let mostTokens: Int
  private var isOrdered = true
  private var directory = TokenDirectory()

  init(mostTokens: Int) { self.mostTokens = mostTokens }

  /// Tokens without a time, each once.
  init(of tokens: [[UInt8]]) {
    mostTokens = tokens.count
    for token in Set(tokens) { append(token.span.bytes, StoreTime(seconds: 0)) }
    order()
  }

  var count: Int { ends.count }
  /// The range of the token in `bytes`. Tokens are numbered from 0.
  func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }
  func token(_ number: Int) -> ArraySlice<UInt8> { bytes[range(of: number)] }
  func time(_ number: Int) -> StoreTime { times[number] }
  func origin(_ number: Int) -> RecordOrigin? { origins.isEmpty ? nil : origins[number] }

  /// - Parameter origin: given for all tokens, or for none.
  mutating func append(_ token: RawSpan, _ time: StoreTime, from origin: RecordOrigin?? = nil) {
    if isOrdered, count > 0, order(of: count - 1, token) >= 0 { isOrdered = false }
    token.withUnsafeBytes { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
    times.append(time)
    if let origin { origins.append(origin) }
  }

  /// Passes the tokens of a source on, ordered, in batches of at most `mostTokens`.
  static func visit(
    _ source: TimedTokens, mostTokens: Int, origin: (() -> RecordOrigin?)? = nil,
    _ body: (TokenBatch) throws -> Void
  ) throws {
    var batch = TokenBatch(mostTokens: mostTokens)
    try withoutActuallyEscaping(body) { body in
      func pass() throws {
        batch.order()
        try body(batch)
        batch.removeAll()
      }
      try source { token, time in
        if batch.count >= mostTokens || batch.bytes.count >= mostBytes { try pass() }
        batch.append(token, time, from: origin.map { $0() })
      }
      try pass()
    }
  }

  private mutating func append(_ tokens: [Int], of other: TokenBatch) {
    for token in tokens {
      append(
        other.bytes.span.bytes.extracting(other.range(of: token)), other.times[token],
        from: other.origins.isEmpty ? nil : .some(other.origins[token]))
    }
  }

  /// Keeps the memory.
  private mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    isOrdered = true
  }

  /// Sorts the tokens, and makes the directory.
  mutating func order() {
    if !isOrdered { sort() }
    directory = TokenDirectory(of: self)
  }

  private mutating func sort() {
    let old = self
    removeAll()
    // Stable, by their numbers.
    let numbers = (0..<old.count).sorted { one, other in
      let order = old.order(of: one, old.bytes.span.bytes.extracting(old.range(of: other)))
      return order == 0 ? one < other : order < 0
    }
    append(numbers, of: old)
  }

  /// The length of the prefix that all tokens share; there must be a token.
  fileprivate func sharedLength() -> Int { zip(token(0), token(count - 1)).prefix { $0 == $1 }.count }

  /// Some of its tokens, ordered as here.
  func part(_ tokens: [Int]) -> TokenBatch {
    var part = TokenBatch(mostTokens: tokens.count)
    part.append(tokens, of: self)
    part.order()
    return part
  }

  /// Whether the token is equal to the one before it.
  func isRepeated(_ number: Int) -> Bool {
    number > 0 && order(of: number - 1, bytes.span.bytes.extracting(range(of: number))) == 0
  }

  /// The number of the first token that is equal to `token`.
  func number(of token: RawSpan) -> Int? {
    var candidates = directory.candidates(for: token)
    while !candidates.isEmpty {
      var middle = candidates.lowerBound + candidates.count / 2
      let order = order(of: middle, token)
      if order == 0 {
        while isRepeated(middle) { middle -= 1 }
        return middle
      }
      candidates = order < 0 ? middle + 1..<candidates.upperBound : candidates.lowerBound..<middle
    }
    return nil
  }

  /// Below zero if the token of that number comes before `token`, zero if it is equal.
  private func order(of number: Int, _ token: RawSpan) -> Int {
    let range = range(of: number)
    let order = bytes.withUnsafeBytes { bytes in
      token.withUnsafeBytes { token -> Int32 in
        guard let base = bytes.baseAddress, let other = token.baseAddress else { return 0 }
        return memcmp(base + range.lowerBound, other, min(range.count, token.count))
      }
    }
    return order == 0 ? range.count - token.byteCount : Int(order)
  }
}

/// Finds sorted tokens by their first bytes.
private struct TokenDirectory {
  /// The number of the first token of each bucket, and after the last bucket the number of all.
  private var starts: [UInt32] = []
  /// The length of the prefix that all tokens share.
  private var prefix = 0
  private var lowest: UInt32 = 0
  private var highest: UInt32 = 0
  /// Keys less than `1 << shift` apart share a bucket.
  private var shift: UInt32 = 0

  /// Four bytes of a token as a number, padded with zeros.
  private static func key(_ token: RawSpan, after length: Int) -> UInt32 {
    if token.byteCount >= length + 4 { return token.bigEndianUInt32(at: length) }
    var key: UInt32 = 0
    for index in length..<length + 4 {
      key = key << 8 | (index < token.byteCount ? UInt32(token.byte(at: index)) : 0)
    }
    return key
  }

  init() {}

  /// - Parameter batch: sorted, so that its keys ascend.
  init(of batch: TokenBatch) {
    let count = batch.count
    guard count > 0 else { return }
    let prefix = batch.sharedLength()
    func key(_ number: Int) -> UInt32 {
      Self.key(batch.bytes.span.bytes.extracting(batch.range(of: number)), after: prefix)
    }
    (self.prefix, lowest, highest) = (prefix, key(0), key(count - 1))
    // About one bucket for each token.
    shift = UInt32(64 - (UInt64(highest &- lowest) / UInt64(count)).leadingZeroBitCount)
    let buckets = Int((highest &- lowest) >> shift) + 1
    starts.reserveCapacity(buckets + 1)
    for number in 0..<count {
      let bucket = Int((key(number) &- lowest) >> shift)
      while starts.count <= bucket { starts.append(UInt32(truncatingIfNeeded: number)) }
    }
    while starts.count <= buckets { starts.append(UInt32(truncatingIfNeeded: count)) }
  }

  func candidates(for token: RawSpan) -> Range<Int> {
    let key = Self.key(token, after: prefix)
    guard !starts.isEmpty, key >= lowest, key <= highest else { return 0..<0 }
    let bucket = Int((key &- lowest) >> shift)
    return Int(starts[bucket])..<Int(starts[bucket + 1])
  }
}
