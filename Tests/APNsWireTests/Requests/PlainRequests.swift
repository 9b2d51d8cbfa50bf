/// A second implementation of docs/spec/decoding-rules.md#gateway-requests: sentence by sentence, over a whole run in
/// memory. It shares no code with the library and is slow. If the two differ, one of them is wrong.
/// PlainContent.swift reads the fields of a request.
struct PlainRequests {
  /// The options of the rules. Lengths in bytes.
  struct Limits: Sendable {
    var allowed: Set<Int>
    /// "longest token (…, 100; raised to the largest allowed one)".
    var longest: Int
    var payload: Int

    init(allowed: Set<Int> = [32], longest: Int = 100, payload: Int = 4096) {
      self.allowed = allowed
      self.longest = max(longest, allowed.max() ?? 0)
      self.payload = payload
    }
  }

  let bytes: [UInt8]
  let limits: Limits
  /// "n is the run's length."
  let n: Int

  init(_ bytes: [UInt8], _ limits: Limits = .init()) {
    self.bytes = bytes
    self.limits = limits
    n = bytes.count
  }

  /// Decodes the run, whose first byte is at `offset` of its stream.
  func decode(offset: Int = 0, beginsStream: Bool = true) -> [GatewayEvidence] {
    var evidence: [GatewayEvidence] = []
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

extension PlainRequests {
  /// The known lengths of a request with command 0, 1 or 2.
  private struct Lengths {
    /// "The lengths that are there are within limits."
    var isWithinLimits: Bool
    /// "All lengths are there": then this is where the frame ends.
    var end: Int?
    var isZeroFill = false
  }

  /// The number of `count` bytes at `o`; nil if some are missing.
  func number(_ o: Int, _ count: Int) -> Int? {
    guard o + count <= n else { return nil }
    return (o..<o + count).reduce(0) { $0 * 256 + Int(bytes[$1]) }
  }

  /// Nil for other commands.
  private func lengths(_ o: Int) -> Lengths? {
    switch bytes[o] {
    case 0, 1:
      let tokenLength = o + (bytes[o] == 0 ? 1 : 9)
      guard let token = number(tokenLength, 2) else { return Lengths(isWithinLimits: true) }
      let payloadLength = tokenLength + 2 + token
      guard let payload = number(payloadLength, 2) else {
        return Lengths(isWithinLimits: token <= limits.longest)
      }
      return Lengths(
        isWithinLimits: token <= limits.longest && payload <= limits.payload,
        end: payloadLength + 2 + payload, isZeroFill: bytes[o] == 0 && token == 0 && payload == 0)
    case 2:
      guard let frame = number(o + 1, 4) else { return Lengths(isWithinLimits: true) }
      return Lengths(isWithinLimits: frame <= 65_535, end: o + 5 + frame)
    default: return nil
    }
  }

  /// "extent known: the command is 0, 1 or 2 and all lengths are there and within limits; not so for command 0
  /// with both lengths 0 (zero fill)." Returns the end of the frame, which may be beyond n.
  private func extent(_ o: Int) -> Int? {
    guard o < n, let lengths = lengths(o), lengths.isWithinLimits, !lengths.isZeroFill else { return nil }
    return lengths.end
  }

  /// "cut: the command is 0, 1 or 2, and the lengths that are there are within limits, but not all are there, or
  /// the frame ends beyond n."
  private func cut(_ o: Int) -> Bool {
    guard o < n, let lengths = lengths(o), lengths.isWithinLimits else { return false }
    guard let end = lengths.end else { return true }
    return end > n
  }

  /// "no byte is left; or extent known (the frame may end beyond n); or cut."
  private func boundary(_ o: Int) -> Bool { o == n || extent(o) != nil || cut(o) }

  /// "a whole frame with extent known and an allowed token length; a payload that begins with `{` and ends with
  /// `}`; for command 2, items that fill the frame exactly, ids 1 to 5 only, each at most once, of the right
  /// size, 1 and 2 present; plausible after it."
  private func start(_ p: Int) -> Bool {
    guard let end = extent(p), end <= n, boundary(end) else { return false }
    if bytes[p] == 2 {
      let (items, fill) = items(p, end)
      let ids = items.map(\.id)
      guard fill, ids.allSatisfy((1...5).contains), Set(ids).count == ids.count,
        items.allSatisfy(isOfRightSize), ids.contains(1), ids.contains(2)
      else { return false }
    }
    let content = content(p, end)
    guard let token = content.token, let payload = content.payload else { return false }
    return limits.allowed.contains(token.count) && payload.first == 0x7b && payload.last == 0x7d
  }

  /// The first start in [low, high).
  private func firstStart(_ low: Int, _ high: Int) -> Int? { (low..<max(low, high)).first(where: start) }
}

// MARK: - The steps

extension PlainRequests {
  private func walk(from begin: Int, _ say: (GatewayEvidence) -> Void) {
    var o = begin
    var skippedBefore = false
    while o < n {
      var flags: [String] = []
      var resume: Int?
      if cut(o) {
        // 2. the first start in (o, n), if any: [o, it) is skipped, go on there. Else `truncated-record`.
        resume = firstStart(o + 1, n)
        if resume == nil { return say(.truncated(offset: o, length: n - o)) }
      } else if let end = extent(o) {
        // 3. if boundary(end(o)), a request. Else the first start in (o, end(o)): found, [o, it) is skipped;
        //    not found, a request with flag `unconfirmed-boundary`.
        if !boundary(end) {
          resume = firstStart(o + 1, end)
          if resume == nil { flags = ["unconfirmed-boundary"] }
        }
      } else {
        // 5. the first start in (o, n), or n, "and a finding of length 1 at o beside the `skipped-bytes`".
        say(.undecodable(offset: o, command: Int(bytes[o])))
        resume = firstStart(o + 1, n) ?? n
      }
      if let resume {
        say(.skipped(offset: o, length: resume - o))
        o = resume
        skippedBefore = true
      } else if let end = extent(o) {
        flags += self.flags(o, end) + (skippedBefore ? ["resynchronised"] : [])
        say(.request(offset: o, length: end - o, content: content(o, end), flags: flags.sorted()))
        o = end
        skippedBefore = false
      }
    }
  }
}
