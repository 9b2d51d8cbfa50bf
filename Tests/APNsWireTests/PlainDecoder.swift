/// A second implementation of docs/spec/decoding-rules.md#feedback-tuples: sentence by sentence, over a whole run in
/// memory. It shares no code with the library and is slow. If the two differ, one of them is wrong.
struct PlainDecoder {
  /// The options of the rules. Times in seconds since 1970, lengths in bytes.
  struct Limits: Sendable {
    var allowed: Set<Int> = [32]
    /// "longest token (…, 100; raised to the largest allowed one)".
    var longest: Int
    var earliest = 1_245_196_800
    var latest = 1_619_740_800

    init(
      allowed: Set<Int> = [32], longest: Int = 100, earliest: Int = 1_245_196_800,
      latest: Int = 1_619_740_800
    ) {
      self.allowed = allowed
      self.longest = max(longest, allowed.max() ?? 0)
      self.earliest = earliest
      self.latest = latest
    }
  }

  private let bytes: [UInt8]
  private let limits: Limits
  /// "n is the run's length."
  private let n: Int

  init(_ bytes: [UInt8], _ limits: Limits) {
    self.bytes = bytes
    self.limits = limits
    n = bytes.count
  }

  /// Decodes the run, whose first byte is at `offset` of its stream.
  func decode(offset: Int = 0, beginsStream: Bool = true) -> [Evidence] {
    var evidence: [Evidence] = []
    var begin = 0
    if !beginsStream {
      begin = firstStart(0, n) ?? n
      if begin > 0 { evidence.append(.skipped(offset: offset, length: begin)) }
    }
    walk(from: begin) { evidence.append($0.moved(by: offset)) }
    return evidence
  }
}

// MARK: - The predicates

extension PlainDecoder {
  private func left(_ o: Int) -> Int { n - o }

  private func time(_ o: Int) -> Int {
    Int(bytes[o]) << 24 + Int(bytes[o + 1]) << 16 + Int(bytes[o + 2]) << 8 + Int(bytes[o + 3])
  }

  private func length(_ o: Int) -> Int { Int(bytes[o + 4]) << 8 + Int(bytes[o + 5]) }

  private func end(_ o: Int) -> Int { o + 6 + length(o) }

  private func isAllowed(_ o: Int) -> Bool { limits.allowed.contains(length(o)) }

  private func isPlausible(_ o: Int) -> Bool { limits.earliest <= time(o) && time(o) <= limits.latest }

  /// "L(o) is not allowed, L(o) <= longest, t(o) is plausible."
  private func odd(_ o: Int) -> Bool { !isAllowed(o) && length(o) <= limits.longest && isPlausible(o) }

  /// "The time bytes that are there are the beginning of some plausible time, and the fifth, if there, is at
  /// most longest >> 8."
  private func tail(_ o: Int) -> Bool {
    let there = Array(bytes[o..<n])
    let missing = 4 - min(4, there.count)
    // The earliest and latest time that begin with the existing bytes.
    let first = there.prefix(4).reduce(0) { $0 * 256 + Int($1) } << (8 * missing)
    let last = first + 1 << (8 * missing) - 1
    let beginsSomePlausibleTime = first <= limits.latest && limits.earliest <= last
    return beginsSomePlausibleTime && (there.count < 5 || Int(there[4]) <= limits.longest >> 8)
  }

  private func boundary(_ o: Int) -> Bool {
    // 1. fewer than 6 bytes are left: tail(o);
    if left(o) < 6 { return tail(o) }
    // 2. L(o) is allowed: yes;
    if isAllowed(o) { return true }
    // 3. odd(o) and: end(o) > n, or after it fewer than 6 bytes are left and tail(end(o)), or 6 are and
    //    L(end(o)) is allowed or odd(end(o)).
    guard odd(o) else { return false }
    if end(o) > n { return true }
    if left(end(o)) < 6 { return tail(end(o)) }
    return isAllowed(end(o)) || odd(end(o))
  }

  /// "A whole header is there, L(p) is allowed, t(p) is plausible, end(p) <= n, boundary(end(p))."
  private func start(_ p: Int) -> Bool {
    left(p) >= 6 && isAllowed(p) && isPlausible(p) && end(p) <= n && boundary(end(p))
  }

  /// The first start in [low, high).
  private func firstStart(_ low: Int, _ high: Int) -> Int? { (low..<max(low, high)).first(where: start) }
}

// MARK: - The steps

extension PlainDecoder {
  private func walk(from begin: Int, _ say: (Evidence) -> Void) {
    var o = begin
    var skippedBefore = false
    while o < n {
      // 1. fewer than 6 bytes are left: if tail(o), finding `truncated-record` over [o, n), else skipped. Done.
      if left(o) < 6 {
        return say(tail(o) ? .truncated(offset: o, length: n - o) : .skipped(offset: o, length: n - o))
      }
      var flags: [String] = []
      var resume: Int?
      if isAllowed(o) || odd(o), end(o) > n {
        // 2. the first start in (o, n), if any: [o, it) is skipped, go on there. Else `truncated-record`.
        resume = firstStart(o + 1, n)
        if resume == nil { return say(.truncated(offset: o, length: n - o)) }
      } else if isAllowed(o) {
        // 3. if boundary(end(o)), a record. Else the first start in (o, end(o)): found, [o, it) is skipped;
        //    not found, a record with flag `unconfirmed-boundary`.
        if !boundary(end(o)) {
          resume = firstStart(o + 1, end(o))
          if resume == nil { flags = ["unconfirmed-boundary"] }
        }
      } else if odd(o), boundary(o) {
        // 4. a record with flag `unexpected-token-length`, or `zero-length-token` where L(o) = 0.
        flags = [length(o) == 0 ? "zero-length-token" : "unexpected-token-length"]
      } else {
        // 5. the first start in (o, n), or n: the bytes up to it are skipped, go on there.
        resume = firstStart(o + 1, n) ?? n
      }
      if let resume {
        say(.skipped(offset: o, length: resume - o))
        o = resume
        skippedBefore = true
      } else {
        say(record(o, flags: flags + (skippedBefore ? ["resynchronised"] : [])))
        o = end(o)
        skippedBefore = false
      }
    }
  }

  private func record(_ o: Int, flags: [String]) -> Evidence {
    let token = Array(bytes[(o + 6)..<end(o)])
    var flags = flags
    if !isPlausible(o) { flags.append("implausible-timestamp") }
    if hasEightZeros(token) { flags.append("zero-filled-token") }
    return .record(offset: o, time: time(o), token: token, flags: flags.sorted())
  }

  private func hasEightZeros(_ token: [UInt8]) -> Bool {
    guard token.count >= 8 else { return false }
    return (0...(token.count - 8)).contains { begin in (begin..<(begin + 8)).allSatisfy { token[$0] == 0 } }
  }
}
