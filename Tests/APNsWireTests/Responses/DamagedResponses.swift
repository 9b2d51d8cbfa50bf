import TestSupport

/// Generates damaged streams of error responses. The same seed gives the same streams.
enum DamagedResponses {
  static func next(_ generator: inout SeededGenerator) -> [UInt8] {
    switch generator.pick(0...9) {
    case 0: generator.bytes(generator.pick(0...60))
    // Nothing but bytes that starts are made of.
    case 1, 2: (0..<generator.pick(0...60)).map { _ in generator.pick([8, 8, 8, 0, 1, 9, 10, 255]) }
    case 3: responses(&generator) + [UInt8](repeating: 8, count: generator.pick(0...8))
    case 4: responses(&generator)
    default: generator.damaged(responses(&generator), count: generator.pick([1, 1, 2, 3]))
    }
  }

  private static func responses(_ generator: inout SeededGenerator) -> [UInt8] {
    (0..<generator.pick(1...20)).flatMap { _ in
      [8, generator.pick([0, 1, 5, 7, 8, 9, 10, 11, 127, 128, 129, 254, 255])] + generator.bytes(4)
    }
  }
}
