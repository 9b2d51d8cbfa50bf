import Platform
import WireBytes

/// Tokens with their times that are judged together: in the order of their bytes, and of those that are the same in the
/// order in which they came.
///
/// A directory finds them by their first bytes, and halving finds them among those that share these: so no choice of
/// tokens makes it slow.
struct TokenBatch {
  /// A batch is full with so many tokens, or bytes of them: some 100 MiB with all that belongs to it. Each batch reads
  /// the table once.
  static let mostTokens = 1 << 20
  static let mostBytes = 64 << 20

  /// All tokens, one after the other.
  private(set) var bytes: [UInt8] = []
  private(set) var times: [UInt32] = []
  /// The records that decided the times; none where nobody asks for them.
  private var origins: [RecordOrigin?] = []
  /// The offset in `bytes` at which each token ends.
  private var ends: [Int] = []
  private let mostTokens: Int
  private var isOrdered = true
  private var directory = TokenDirectory()

  /// - Parameter mostTokens: that fill it.
  init(mostTokens: Int) { self.mostTokens = mostTokens }

  var count: Int { ends.count }

  var isFull: Bool { count >= mostTokens || bytes.count >= Self.mostBytes }

  /// Where in `bytes` the token is. Tokens are numbered from 0.
  func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

  func token(_ number: Int) -> ArraySlice<UInt8> { bytes[range(of: number)] }

  func origin(_ number: Int) -> RecordOrigin? { origins.isEmpty ? nil : origins[number] }

  /// - Parameter origin: given for all tokens, or for none.
  mutating func append(_ token: RawSpan, _ time: UInt32, from origin: RecordOrigin?? = nil) {
    if isOrdered, count > 0, order(of: count - 1, token) >= 0 { isOrdered = false }
    token.withUnsafeBytes { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
    times.append(time)
    if let origin { origins.append(origin) }
  }

  /// Keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    isOrdered = true
  }

  /// Makes ready for what follows.
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
    for number in numbers {
      append(
        old.bytes.span.bytes.extracting(old.range(of: number)), old.times[number],
        from: old.origins.isEmpty ? nil : .some(old.origins[number]))
    }
  }

  /// The number of bytes that all tokens begin with; there must be one.
  fileprivate func sharedLength() -> Int {
    let (first, last) = (range(of: 0), range(of: count - 1))
    var length = 0
    while length < min(first.count, last.count),
      bytes[first.lowerBound + length] == bytes[last.lowerBound + length]
    {
      length += 1
    }
    return length
  }

  /// Four bytes of the token as a number, with zeros for those that are missing.
  fileprivate func key(of number: Int, after length: Int) -> UInt32 {
    TokenDirectory.key(bytes.span.bytes.extracting(range(of: number)), after: length)
  }

  /// Whether the token is the one before it, again.
  func isRepeated(_ number: Int) -> Bool {
    number > 0 && order(of: number - 1, bytes.span.bytes.extracting(range(of: number))) == 0
  }

  /// The number of the first of those that are `token`.
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

  /// Below zero where the token of that number comes before `token`, zero where it is the same.
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

/// Where in a row of ordered tokens those with a certain beginning are.
private struct TokenDirectory {
  /// The number of the first token of each part, and after the last part the number of all.
  private var starts: [UInt32] = []
  /// The bytes that all tokens share say nothing.
  private var prefix = 0
  private var lowest: UInt32 = 0
  private var highest: UInt32 = 0
  /// Keys less than `1 << shift` apart share a part.
  private var shift: UInt32 = 0

  static func key(_ token: RawSpan, after length: Int) -> UInt32 {
    if token.byteCount >= length + 4 { return token.bigEndianUInt32(at: length) }
    var key: UInt32 = 0
    for place in length..<length + 4 {
      key = key << 8 | (place < token.byteCount ? UInt32(token.byte(at: place)) : 0)
    }
    return key
  }

  init() {}

  /// - Parameter batch: whose tokens are in order: so their keys never fall.
  init(of batch: TokenBatch) {
    let count = batch.count
    guard count > 0 else { return }
    prefix = batch.sharedLength()
    (lowest, highest) = (batch.key(of: 0, after: prefix), batch.key(of: count - 1, after: prefix))
    // About a part for each token.
    shift = UInt32(64 - (UInt64(highest &- lowest) / UInt64(count)).leadingZeroBitCount)
    let parts = Int((highest &- lowest) >> shift) + 1
    starts.reserveCapacity(parts + 1)
    for number in 0..<count {
      let part = Int((batch.key(of: number, after: prefix) &- lowest) >> shift)
      while starts.count <= part { starts.append(UInt32(truncatingIfNeeded: number)) }
    }
    while starts.count <= parts { starts.append(UInt32(truncatingIfNeeded: count)) }
  }

  func candidates(for token: RawSpan) -> Range<Int> {
    let key = Self.key(token, after: prefix)
    guard !starts.isEmpty, key >= lowest, key <= highest else { return 0..<0 }
    let part = Int((key &- lowest) >> shift)
    return Int(starts[part])..<Int(starts[part + 1])
  }
}
