import TestSupport

/// Generates streams of malformed requests, damaged as a whole. The same seed gives the same streams.
struct DamagedRequests {
  var generator: SeededGenerator
  let limits: RequestLimits
  private let lengths: [Int]

  init(seed: UInt64, _ limits: RequestLimits = .init()) {
    generator = SeededGenerator(seed: seed)
    self.limits = limits
    lengths = limits.allowed.filter { $0 <= 300 }.sorted()
  }

  /// Up to `requests` requests, damaged in a few positions, or noise of some kind.
  mutating func next(requests: Int = 12) -> [UInt8] {
    let count = generator.pick(1...requests)
    switch generator.pick(0...19) {
    case 0: return self.requests(count)
    case 1: return generator.bytes(generator.pick(1...600))
    case 2: return Array(edge().prefix(generator.pick(0...20)))
    case 3: return self.requests(count) + request().dropLast(generator.pick(1...60))
    case 4:
      return (0..<generator.pick(1...30)).flatMap { _ in request().prefix(generator.pick([3, 5, 7, 13])) }
    case 5, 6: return almost(generator.pick(1...400))
    case 7: return self.requests(count) + edge() + self.requests(2)
    default: return generator.damaged(self.requests(count), count: generator.pick([1, 1, 2, 3, 8]))
    }
  }

  /// A stream of at least `length` bytes that is damaged about every eighth request.
  mutating func long(length: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < length { bytes += generator.damaged(requests(8), count: 1) }
    return bytes
  }

  private mutating func requests(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in request() } }

  private mutating func request() -> [UInt8] {
    switch generator.pick(0...15) {
    case 0...3: return RequestBytes.simple(token(), payload())
    case 4...7:
      return RequestBytes.enhanced(
        token(), payload(), identifier: generator.pick(0...0xffff_ffff), expiry: generator.pick([0, 1 << 31]))
    case 8: return edge()
    default: return RequestBytes.frame(items())
    }
  }
}

// MARK: - Parts

extension DamagedRequests {
  private mutating func token() -> [UInt8] {
    let odd = [0, 1, 31, 33, limits.longest, limits.longest + 1].filter { $0 <= 400 }
    let length = generator.chance(10) ? generator.pick(odd) : generator.pick(lengths)
    return generator.token(length)
  }

  private mutating func payload() -> [UInt8] {
    guard generator.chance(4) else { return RequestBytes.json(generator.pick(8...60)) }
    if generator.chance(4) {
      let sizes = [16, 17, 256, 257, 2048, 2049, 4096, 4097, limits.payload, limits.payload + 1]
      return RequestBytes.json(generator.pick(sizes.filter { (8...5000).contains($0) }))
    }
    let texts = [
      "", "{}", "{", "}", "{x}", "[1]", "null", "{\"a\":1} ", " {}", "{\"a\":[1,2.5,{\"b\":\"é\"}]}",
      "{\"a\":}",
    ]
    if generator.chance(6) { return [0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d] }
    return Array(generator.pick(texts).utf8)
  }

  /// The items of a frame, with a error about every third time.
  private mutating func items() -> [UInt8] {
    var items = [
      RequestBytes.item(1, token()), RequestBytes.item(2, payload()),
      RequestBytes.item(3, generator.bytes(4)), RequestBytes.item(4, generator.bytes(4)),
      RequestBytes.item(5, [generator.pick([5, 10, 10, 10, 0])]),
    ]
    if generator.chance(2) { items.shuffle(using: &generator) }
    if generator.chance(5) { items.remove(at: generator.pick(0...4)) }
    if generator.chance(12) { items.append(generator.pick(items)) }
    if generator.chance(12) { items.append(wrongSize()) }
    if generator.chance(24) { items.insert(wrongSize(), at: 0) }
    if generator.chance(12) { items.append(RequestBytes.item(generator.pick([0, 6, 7, 255]), [1, 2])) }
    if generator.chance(12) { items.append(generator.bytes(generator.pick(1...5))) }
    return Array(items.joined())
  }

  private mutating func wrongSize() -> [UInt8] {
    RequestBytes.item(generator.pick([3, 4, 5]), generator.bytes(generator.pick(0...6)))
  }

  /// The beginning of a request with lengths at the limits of the rules, and up to 20 bytes after it.
  private mutating func edge() -> [UInt8] {
    let tokens = [0, 1, 32, 100, 101, 255, 256, limits.longest, limits.longest + 1].filter { $0 <= 65_535 }
    let payloads = [0, 1, 4096, 4097, limits.payload, limits.payload + 1].filter { $0 <= 65_535 }
    let frames = [0, 1, 5, 60, 255, 256, 65_535, 65_536, 1 << 24]
    let length = generator.pick(tokens)
    // A long token would be most of the stream.
    let token = generator.bytes(min(length, 400))
    let head: [UInt8] =
      switch generator.pick(0...2) {
      case 0: [0] + RequestBytes.u16(length) + token + RequestBytes.u16(generator.pick(payloads))
      case 1:
        [1] + generator.bytes(8) + RequestBytes.u16(length) + token
          + RequestBytes.u16(generator.pick(payloads))
      default: [2] + RequestBytes.u32(generator.pick(frames))
      }
    return head + generator.bytes(generator.pick(0...20))
  }

  /// Nothing but bytes that requests begin with, and zeros.
  private mutating func almost(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in generator.pick([0, 0, 0, 0, 1, 2, 2, 3, 5, 0x7b, 0x7d, 32]) }
  }
}
