import APNsWire
import ArgumentParser
import Generator
import WireBytes

/// What a generated server says.
struct GenerateTupleOptions: ParsableArguments {
  private static let standard = Scenario()

  @Option(help: "How many tuples, or requests, in all connections together.")
  var tuples = GenerateTupleOptions.standard.tuples

  @Option(
    help:
      "How many tokens are drawn for them; with fewer than tuples or requests, tokens repeat. Those of up to three bytes can be equal by chance. (default: one for each)"
  )
  var tokens: Int?

  @Option(help: "The earliest time of a tuple, as RFC 3339 or in seconds.")
  var earliest = TimeArgument(GenerateTupleOptions.standard.times.lowerBound)

  @Option(help: "The latest time of a tuple; at least a day later.")
  var latest = TimeArgument(GenerateTupleOptions.standard.times.upperBound)

  @Option(
    help:
      "Token lengths, each as likely as the others: 32, or 32,54, or 1-100. Others than 32 come out of export with a flag."
  )
  var tokenLength = TokenLengths.standard

  mutating func validate() throws {
    guard (1...1 << 40).contains(tuples) else {
      throw ValidationError("--tuples is \(tuples): 1 to \(1 << 40) are possible.")
    }
    if let tokens, !(1...tuples).contains(tokens) {
      throw ValidationError("--tokens is \(tokens): 1 to \(tuples), the number of tuples, are possible.")
    }
    try validateTimes()
    guard !tokenLength.contains(0), tokenLength.longest <= Scenario.longestToken else {
      throw ValidationError(
        "--token-length is \(tokenLength.text): 1 to \(Scenario.longestToken) bytes are possible.")
    }
  }

  private func validateTimes() throws {
    let plausible = Scenario.plausibleTimes
    guard plausible.contains(earliest.seconds), plausible.contains(latest.seconds) else {
      throw ValidationError(
        "--earliest and --latest are possible from \(UTCTime.text(plausible.lowerBound)) to "
          + "\(UTCTime.text(plausible.upperBound)): other times are no tuples' by the decoding rules.")
    }
    guard latest.seconds >= earliest.seconds, latest.seconds - earliest.seconds >= Scenario.shortestSpan
    else {
      throw ValidationError("--latest must be at least a day behind --earliest.")
    }
  }

  private var lengths: [Int] {
    (1...Scenario.longestToken).filter { tokenLength.contains(UInt16($0)) }
  }

  func apply(to scenario: inout Scenario) {
    scenario.tuples = tuples
    scenario.tokens = tokens
    scenario.times = earliest.seconds...latest.seconds
    scenario.tokenLengths = lengths
  }
}
