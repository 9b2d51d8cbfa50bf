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
        TupleSource(scenario), scenario, source: source, to: output, truth: truth)
      return try generator.run()
    case .pair:
      let verdict = scenario.damage.isNone ? GatewayVerdict(scenario, connection: 0, of: 1) : nil
      let requests = RequestSource(scenario, connection: 0, of: 1, verdict: verdict)
      var generator = DumpGenerator(
        requests, scenario, verdict: verdict, source: source, to: output, truth: truth)
      return try generator.run(responses: responses)
    case .capture, .gateway:
      return try capture(kind, scenario, source, output, truth)
    }
  }

  private static func capture(
    _ kind: Kind, _ scenario: Scenario, _ source: String, _ output: any GeneratorOutput,
    _ truth: any GeneratorOutput
  ) throws -> GeneratedCounts {
    func run<Source: RecordSource>(
      _ makeSession: @escaping (SessionOpening) -> Session<Source>
    ) throws -> GeneratedCounts {
      var generator = try CaptureGenerator(
        scenario, source: source, to: output, truth: truth, makeSession: makeSession)
      return try generator.run()
    }
    switch (kind == .gateway, scenario.damage.isNone) {
    case (false, true): return try run { Session(tuples($0, of: scenario), $0, of: scenario) }
    case (false, false):
      return try run { Session(damaged(tuples($0, of: scenario), $0, of: scenario), $0, of: scenario) }
    case (true, true): return try run { gateway($0, of: scenario) }
    case (true, false):
      return try run {
        Session(damaged(requests($0, of: scenario, nil), $0, of: scenario), $0, of: scenario)
      }
    }
  }

  private static func damaged<Source: RecordSource>(
    _ source: Source, _ opening: SessionOpening, of scenario: Scenario
  ) -> DamagedRecords<Source> {
    DamagedRecords(source, scenario, connection: opening.number)
  }

  private static func tuples(_ opening: SessionOpening, of scenario: Scenario) -> TupleSource {
    TupleSource(scenario, connection: opening.number, of: scenario.capture.connections)
  }

  private static func requests(
    _ opening: SessionOpening, of scenario: Scenario, _ verdict: GatewayVerdict?
  ) -> RequestSource {
    RequestSource(
      scenario, connection: opening.number, of: scenario.capture.connections, verdict: verdict)
  }

  private static func gateway(_ opening: SessionOpening, of scenario: Scenario) -> Session<RequestSource> {
    // What a response is about may lie before a capture that begins later, be damaged or be cut.
    let isAnswered = !opening.isMidstream && opening.isSpared && scenario.capture.snapLength == nil
    let count = scenario.capture.connections
    let verdict = isAnswered ? GatewayVerdict(scenario, connection: opening.number, of: count) : nil
    return Session(requests(opening, of: scenario, verdict), opening, of: scenario, verdict: verdict)
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
