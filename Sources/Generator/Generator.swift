/// Generates inputs and their truth. Memory does not grow with them.
package enum Generator {
  package enum Kind: String, CaseIterable, Sendable {
    case dump, capture, gateway, pair
  }

  /// - Parameters:
  ///   - source: the input, as `export` will be told its name.
  ///   - output: gets the input, before any compression.
  ///   - responses: gets the other dump of a pair.
  ///   - truth: gets what `export -t ndjson` must say of it.
  package static func generate(
    _ kind: Kind, _ scenario: Scenario, source: String, to output: any GeneratorOutput,
    responses: (any GeneratorOutput)? = nil, truth: any GeneratorOutput
  ) throws -> GeneratedCounts {
    switch kind {
    case .dump:
      var generator = DumpGenerator(
        RecordSource(scenario, isFromServer: true), scenario, source: source, to: output, truth: truth)
      return try generator.run()
    case .pair:
      let verdict = scenario.damage.isNone ? GatewayVerdict(scenario, connection: 0, of: 1) : nil
      var generator = DumpGenerator(
        RecordSource(scenario, isFromServer: false, verdict: verdict), scenario, verdict: verdict,
        source: source, to: output, truth: truth)
      return try generator.run(responses: responses)
    case .capture, .gateway:
      var generator = try CaptureGenerator(
        scenario, isGateway: kind == .gateway, source: source, to: output, truth: truth)
      return try generator.run()
    }
  }
}

/// What was generated.
package struct GeneratedCounts: Sendable {
  /// Of the file, before it is compressed.
  package var bytes = 0
}

/// Takes what is generated. The command gives it a file.
package protocol GeneratorOutput: AnyObject {
  func write(_ bytes: RawSpan) throws
}

/// Bytes on their way to an output, in pieces that are worth a call.
struct OutputPieces {
  private static let size = 1 << 16

  private let output: any GeneratorOutput
  private var waiting: [UInt8] = []
  /// How many bytes came so far: the offset, in bytes from 0, of the next.
  private(set) var count = 0

  init(_ output: any GeneratorOutput) {
    self.output = output
    waiting.reserveCapacity(2 * Self.size)
  }

  mutating func append(_ bytes: some Collection<UInt8>) throws {
    waiting.append(contentsOf: bytes)
    count += bytes.count
    if waiting.count >= Self.size { try flush() }
  }

  mutating func flush() throws {
    guard !waiting.isEmpty else { return }
    try output.write(waiting.span.bytes)
    waiting.removeAll(keepingCapacity: true)
  }
}

func appendBigEndian(_ value: UInt32, to bytes: inout [UInt8]) {
  appendBigEndian(UInt16(truncatingIfNeeded: value >> 16), to: &bytes)
  appendBigEndian(UInt16(truncatingIfNeeded: value), to: &bytes)
}

func appendBigEndian(_ value: UInt16, to bytes: inout [UInt8]) {
  bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  bytes.append(UInt8(truncatingIfNeeded: value))
}
