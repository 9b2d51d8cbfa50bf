import PacketCapture
import TestSupport

/// What is fuzzed: parsers, and laws that hold for any input.
struct Target: Sendable {
  var name: String
  /// How many bytes of a sample are options: they choose limits and formats.
  var optionCount: Int
  var run: @Sendable (Sample) -> Void

  init(_ name: String, optionCount: Int = 1, _ check: @escaping @Sendable (Sample) -> Void) {
    self.name = name
    self.optionCount = optionCount
    run = { check($0.withOptions(optionCount)) }
  }

  static let all = decoders + texts + captures + connections + settings + [analysis, exchanges, histories]
}

/// An input of a target.
struct Sample {
  private(set) var options: [UInt8] = []
  private(set) var bytes: [UInt8]

  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  /// Options that are missing are 0.
  func withOptions(_ count: Int) -> Sample {
    var sample = self
    sample.options = Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
    sample.bytes = Array(bytes.dropFirst(count))
    return sample
  }

  /// Makes the same choices for the same sample.
  var generator: SeededGenerator {
    var hash = Hash()
    hash.add(options)
    hash.add(bytes)
    return SeededGenerator(seed: hash.value)
  }

  /// How bytes are cut into chunks.
  enum Chunking: CaseIterable {
    case whole, bytes, short, long
  }

  /// The whole first, and one of the others, which the sample chooses.
  func chunkings(besides others: [Chunking] = [.bytes, .short, .long]) -> [Chunking] {
    var generator = generator
    return [.whole, generator.pick(others)]
  }

  /// The function that gives lengths of chunks. One of some short ones is long: all of them would take most of the time,
  /// and other samples are cut elsewhere.
  func lengths(_ chunking: Chunking) -> () -> Int {
    var generator = generator
    return switch chunking {
    case .whole: { 1 << 40 }
    case .bytes: { generator.chance(6) ? generator.pick(10...100) : 1 }
    case .short: { generator.chance(6) ? generator.pick(10...100) : generator.pick(1...9) }
    case .long: { generator.pick(1...400) }
    }
  }
}

/// FNV-1a with 64 bits.
struct Hash: Equatable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }

  mutating func add(_ number: Int) { withUnsafeBytes(of: number) { add($0) } }
}

extension CaptureOptions {
  /// For few connections: the table of many of them takes memory that AddressSanitizer would mark in each run.
  static var small: CaptureOptions {
    var options = CaptureOptions()
    options.maxConnections = 64
    return options
  }
}
