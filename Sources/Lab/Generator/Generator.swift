/// Generates inputs and their truth. Memory does not depend on their size.
package enum Generator {
  package enum Kind: String, CaseIterable, Sendable {
    case dump, capture, gateway, pair, pushes
    case pushLog = "push-log"
  }

  /// - Parameters:
  ///   - source: the name of the input as `export` will get it.
  ///   - output: receives the input, before compression.
  ///   - responses: receives the other dump of a pair.
  ///   - truth: receives the expected output of `export -t ndjson`.
  /// - Returns: the number of bytes of the input.
  package static func generate(
    _ kind: Kind, _ scenario: Scenario, source: String, to output: any GeneratorOutput,
    responses: (any GeneratorOutput)? = nil, truth: any GeneratorOutput
  ) throws -> Int {
    switch kind {
    case .dump, .pair:
      let response =
        kind == .pair && scenario.damage.isNone ? GeneratedResponse(scenario, connection: 0, of: 1) : nil
      let records = RecordSource(scenario, isFromServer: kind == .dump, response: response)
      var generator = DumpGenerator(records, source: source, to: output, truth: truth)
      return try generator.run(responses: responses)
    case .capture, .gateway:
      return try CaptureGenerator<Session>(
        scenario, isGateway: kind == .gateway, source: source, to: output, truth: truth
      ).run()
    case .pushes:
      return try CaptureGenerator<PushSession>(scenario, source: source, to: output, truth: truth).run()
    case .pushLog: return try PushLogGenerator(scenario, source: source, to: output, truth: truth).run()
    }
  }

  /// Whether the truth is less than what `export` writes, which depends on the bytes that are left.
  package static func isUncertain(_ kind: Kind, _ scenario: Scenario) -> Bool {
    kind == .pushes ? PushSession.isUncertain(scenario) : scenario.isDamaged
  }

  /// Sizes in bytes of the chunks of a stream, in turn and repeated.
  package static func chunks(seed: UInt64) -> [Int] {
    var numbers = RandomNumbers(seed: seed, .chunks)
    return (0..<numbers.within(1...4)).map { _ in numbers.within(1...100) }
  }
}

/// Receives generated data.
package protocol GeneratorOutput: AnyObject { func write(_ bytes: RawSpan) throws }

struct BufferedOutput {
  private static let size = 1 << 16

  private let output: any GeneratorOutput
  private var buffer: [UInt8] = []
  /// The number of bytes appended so far: the offset of the next byte, from 0.
  private(set) var count = 0

  init(_ output: any GeneratorOutput) {
    self.output = output
    buffer.reserveCapacity(2 * Self.size)
  }

  mutating func append(_ bytes: some Collection<UInt8>) throws {
    buffer.append(contentsOf: bytes)
    count += bytes.count
    if buffer.count >= Self.size { try flush() }
  }

  mutating func flush() throws {
    guard !buffer.isEmpty else { return }
    try output.write(buffer.span.bytes)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// The bytes of a number in network byte order.
func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
