import ArgumentParser
import Generator

/// Outcomes of generated pushes, and the format of generated logs.
struct GeneratePushOptions: ParsableArguments {
  private static let standard = PushRates()

  @Option(help: .init("Status 410 with a time, per 1000 pushes.", valueName: "RATE"))
  var invalidated = GeneratePushOptions.standard.invalidated
  @Option(help: .init("Status 400 BadDeviceToken, per 1000.", valueName: "RATE"))
  var badTokens = GeneratePushOptions.standard.badTokens
  @Option(help: .init("Status 429 TooManyRequests, per 1000.", valueName: "RATE"))
  var throttled = GeneratePushOptions.standard.throttled
  @Option(help: .init("Other errors, per 1000.", valueName: "RATE"))
  var otherErrors = GeneratePushOptions.standard.otherErrors
  @Option(help: .init("Streams that one side resets, per 1000.", valueName: "RATE"))
  var streamResets = GeneratePushOptions.standard.streamResets
  @Option(help: .init("Connections that end with a GOAWAY, per 1000.", valueName: "RATE"))
  var goaways = GeneratePushOptions.standard.goaways
  @Option(help: .init("Log format. (default: csv if OUT ends so, else ndjson)", valueName: "NAME"))
  var logFormat: PushLogScenario.Format?
  @Option(help: .init("Format of times in a log.", valueName: "NAME"))
  var logTimes = PushLogScenario().times

  mutating func validate() throws {
    try checkRates([
      ("--invalidated", invalidated), ("--bad-tokens", badTokens), ("--throttled", throttled),
      ("--other-errors", otherErrors), ("--stream-resets", streamResets), ("--goaways", goaways),
    ])
  }

  /// Whether any option differs from its default.
  var isAnyGiven: Bool { rates != Self.standard || isAnyOfLogGiven }
  var isAnyOfLogGiven: Bool { logFormat != nil || logTimes != PushLogScenario().times }

  /// - Parameter fileExtension: of the output.
  func log(_ fileExtension: String) -> PushLogScenario {
    var log = PushLogScenario()
    log.format = logFormat ?? PushLogScenario.Format(rawValue: fileExtension) ?? .ndjson
    log.times = logTimes
    return log
  }

  var rates: PushRates {
    var rates = PushRates()
    rates.invalidated = invalidated
    rates.badTokens = badTokens
    rates.throttled = throttled
    rates.otherErrors = otherErrors
    rates.streamResets = streamResets
    rates.goaways = goaways
    return rates
  }
}

extension PushLogScenario.Format: ExpressibleByArgument {}
extension PushLogScenario.Times: ExpressibleByArgument {}
