import APNsWire
import ArgumentParser
import Basics
import CommandOptions
import Generator

/// The generated tuples, requests or pushes.
struct GenerateTupleOptions: ParsableArguments {
  private static let standard = Scenario()

  @Option(help: .init("Tuples, requests or pushes in all connections.", valueName: "COUNT"))
  var tuples = GenerateTupleOptions.standard.tuples
  @Option(help: .init("Distinct tokens. (default: one for each tuple)", valueName: "COUNT"))
  var tokens: Int?
  @Option(help: .init("Earliest time, RFC 3339 or Unix seconds.", valueName: "TIME"))
  var earliest = TimeArgument(GenerateTupleOptions.standard.times.lowerBound)
  @Option(help: .init("Latest time, at least a day later.", valueName: "TIME"))
  var latest = TimeArgument(GenerateTupleOptions.standard.times.upperBound)
  @Option(help: .init("Token lengths, such as 32,54 or 1-100.", valueName: "LIST"))
  var tokenLength = TokenLengths.standard

  mutating func validate() throws {
    try checkRange("--tuples", tuples, 1...1 << 40)
    if let tokens { try checkRange("--tokens", tokens, 1...tuples) }
    let plausible = Scenario.plausibleTimes
    guard plausible.contains(earliest.seconds), plausible.contains(latest.seconds) else {
      throw ValidationError(
        "--earliest and --latest must be from \(UTCTime.text(plausible.lowerBound)) to "
          + "\(UTCTime.text(plausible.upperBound)), the plausible times of the decoding rules")
    }
    guard latest.seconds >= earliest.seconds, latest.seconds - earliest.seconds >= Scenario.shortestSpan
    else { throw ValidationError("--latest must be at least a day after --earliest") }
    guard !tokenLength.contains(0), tokenLength.longest <= Scenario.longestToken else {
      throw ValidationError(.outOfRange("--token-length", tokenLength.text, 1...Scenario.longestToken))
    }
  }

  func apply(to scenario: inout Scenario) {
    scenario.tuples = tuples
    scenario.tokens = tokens
    scenario.times = earliest.seconds...latest.seconds
    scenario.tokenLengths = (1...Scenario.longestToken).filter { tokenLength.contains(UInt16($0)) }
  }
}
