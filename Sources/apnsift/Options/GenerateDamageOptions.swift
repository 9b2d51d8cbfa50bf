import ArgumentParser
import Corpus

/// What is wrong with a generated dump, each as how many tuples in 1000 have it.
struct GenerateDamageOptions: ParsableArguments {
  @Option(help: "Of 1000 tuples, in so many 1 to 20 bytes are missing.")
  var lostBytes = 0

  @Option(help: "In so many 1 to 3 bytes are others.")
  var flippedBytes = 0

  @Option(help: "In so many a block of 512 to 4096 bytes begins that is missing.")
  var lostBlocks = 0

  @Option(help: "In so many stands what a faulty reader's buffer of 38 bytes held behind a short read.")
  var padding = 0

  @Flag(help: "The last tuple is cut off.")
  var cutTail = false

  mutating func validate() throws {
    try PerMille.check([
      ("--lost-bytes", lostBytes), ("--flipped-bytes", flippedBytes), ("--lost-blocks", lostBlocks),
      ("--padding", padding),
    ])
  }

  var rates: DumpDamageRates {
    var rates = DumpDamageRates()
    rates.lostBytes = lostBytes
    rates.flippedBytes = flippedBytes
    rates.lostBlocks = lostBlocks
    rates.padding = padding
    rates.cutsTail = cutTail
    return rates
  }
}

/// Options that say how many of 1000.
enum PerMille {
  static func check(_ options: [(name: String, value: Int)]) throws {
    for option in options where !(0...1000).contains(option.value) {
      throw ValidationError("\(option.name) is \(option.value): 0 to 1000 of 1000 are possible.")
    }
  }
}
