/// Generates inputs and their truth. Memory does not grow with them.
package enum Generator {
  package enum Kind: String, CaseIterable, Sendable {
    case dump, capture, gateway
  }

  /// - Parameters:
  ///   - source: the input, as `export` will be told its name.
  ///   - output: gets the input, before any compression.
  ///   - truth: gets what `export -t ndjson` must say of it.
  package static func generate(
    _ kind: Kind, _ scenario: Scenario, source: String, to output: any GeneratorOutput,
    truth: any GeneratorOutput
  ) throws -> GeneratedCounts {
    switch kind {
    case .dump:
      var generator = DumpGenerator(scenario, source: source, to: output, truth: truth)
      return try generator.run()
    case .capture:
      var generator = try CaptureGenerator(scenario, source: source, to: output, truth: truth) {
        feedback($0, of: scenario)
      }
      return try generator.run()
    case .gateway:
      var generator = try CaptureGenerator(scenario, source: source, to: output, truth: truth) {
        gateway($0, of: scenario)
      }
      return try generator.run()
    }
  }

  private static func feedback(
    _ opening: Session<TupleSource>.Opening, of scenario: Scenario
  ) -> Session<TupleSource> {
    let source = TupleSource(scenario, connection: opening.number, of: scenario.capture.connections)
    return Session(source, opening, of: scenario)
  }

  private static func gateway(
    _ opening: Session<RequestSource>.Opening, of scenario: Scenario
  ) -> Session<RequestSource> {
    let count = scenario.capture.connections
    // What a response is about may lie before a capture that begins later.
    let verdict =
      opening.isMidstream ? nil : GatewayVerdict(scenario, connection: opening.number, of: count)
    let source = RequestSource(scenario, connection: opening.number, of: count, verdict: verdict)
    return Session(source, opening, of: scenario, verdict: verdict)
  }
}

/// What was generated.
package struct GeneratedCounts: Sendable {
  /// Of the file, before it is compressed.
  package var bytes = 0
}
