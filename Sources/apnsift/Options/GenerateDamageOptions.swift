import ArgumentParser
import Generator

/// What is wrong with what a side says, each as how many tuples or requests in 1000 have it; and with the capture
/// file, each as how many packets in 1000.
struct GenerateDamageOptions: ParsableArguments {
  @Option(help: "Of 1000 tuples or requests, in so many 1 to 20 bytes are missing.")
  var lostBytes = 0

  @Option(help: "In so many 1 to 3 bytes are others.")
  var flippedBytes = 0

  @Option(help: "In so many a block of 512 to 4096 bytes begins that is missing.")
  var lostBlocks = 0

  @Option(help: "In so many stands what a faulty reader's buffer of 38 bytes held behind a short read.")
  var padding = 0

  @Flag(help: "The last tuple or request, in a capture of each connection, is cut off.")
  var cutTail = false

  @Option(
    help:
      "Of 1000 packets with data of about every other connection, in so many 1 to 20 bytes of the capture file are missing."
  )
  var fileLostBytes = 0

  @Option(help: "In so many 1 to 3 bytes of the file are others.")
  var fileFlippedBytes = 0

  @Flag(help: "The capture file ends within its last packet.")
  var fileCutTail = false

  mutating func validate() throws {
    try PerMille.check([
      ("--lost-bytes", lostBytes), ("--flipped-bytes", flippedBytes), ("--lost-blocks", lostBlocks),
      ("--padding", padding), ("--file-lost-bytes", fileLostBytes),
      ("--file-flipped-bytes", fileFlippedBytes),
    ])
  }

  var fileRates: FileDamageRates {
    var rates = FileDamageRates()
    rates.lostBytes = fileLostBytes
    rates.flippedBytes = fileFlippedBytes
    rates.cutsTail = fileCutTail
    return rates
  }

  var rates: StreamDamageRates {
    var rates = StreamDamageRates()
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
