import TestSupport

/// Generates damaged feedback streams. The same seed gives the same streams.
struct DamagedStreams {
  var generator: SeededGenerator
  let limits: FeedbackLimits
  private let lengths: [Int]

  init(seed: UInt64, _ limits: FeedbackLimits) {
    generator = SeededGenerator(seed: seed)
    self.limits = limits
    // Short ones: a stream with only a few long tokens would test little.
    lengths = limits.allowed.filter { $0 <= 300 }.sorted()
  }

  /// Up to `tuples` tuples, damaged in a few positions, or noise of some kind.
  mutating func next(tuples: Int = 30) -> [UInt8] {
    switch generator.pick(0...19) {
    case 0: self.tuples(generator.pick(1...tuples))
    case 1: generator.bytes(generator.pick(1...600))
    case 2: Array(edges().prefix(generator.pick(0...12)))
    case 3: self.tuples(generator.pick(1...tuples)) + edges().prefix(generator.pick(0...8))
    case 4: (0..<generator.pick(1...60)).flatMap { _ in tuple().prefix(generator.pick([6, 6, 7, 12])) }
    default:
      generator.damaged(self.tuples(generator.pick(1...tuples)), count: generator.pick([1, 1, 2, 3, 8]))
    }
  }

  /// A stream of at least `length` bytes that is damaged about every `distance` bytes.
  mutating func long(length: Int, distance: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < length {
      bytes += generator.damaged(tuples(max(1, distance / 38)), count: 1)
    }
    return bytes
  }

  private mutating func tuples(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in tuple() } }

  private mutating func tuple() -> [UInt8] {
    let seconds = generator.chance(20) ? edgeTime() : generator.pick(limits.earliest...limits.latest)
    let time = UInt32(truncatingIfNeeded: seconds)
    switch generator.pick(0...19) {
    case 0, 1: return Tuples.of(generator.token(oddLength()), time: time)
    case 2: return Tuples.header(time: time, length: edgeLength()) + generator.token(generator.pick(lengths))
    default: return Tuples.of(generator.token(generator.pick(lengths)), time: time)
    }
  }

  private mutating func oddLength() -> Int {
    generator.pick([0, 1, 31, 33, 54, 80, 99, 100, 101, generator.pick(0...130)])
  }

  private mutating func edgeLength() -> Int {
    generator.pick([0, 1, 100, 101, 255, 256, 300, 8192, 65_535, limits.longest, limits.longest + 1])
  }

  private mutating func edgeTime() -> Int {
    let edges = [limits.earliest - 1, limits.earliest, limits.latest, limits.latest + 1]
    return generator.pick(edges + [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff])
  }

  /// Twelve bytes with the values that the rules compare.
  private mutating func edges() -> [UInt8] {
    if generator.chance(3) { return generator.bytes(12) }
    let header = Tuples.header(time: UInt32(truncatingIfNeeded: edgeTime()), length: edgeLength())
    return header + generator.bytes(6)
  }
}
