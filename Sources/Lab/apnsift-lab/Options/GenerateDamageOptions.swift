import ArgumentParser
import CommandOptions
import Generator

/// Damage to the data of a stream, as rates per 1000 tuples or requests, and to the capture file, per 1000 packets.
struct GenerateDamageOptions: ParsableArguments {
  @Option(help: .init("Drop 1 to 20 bytes, in RATE of 1000 tuples or requests.", valueName: "RATE"))
  var lostBytes = 0
  @Option(help: .init("Change 1 to 3 bytes, in RATE of 1000.", valueName: "RATE"))
  var flippedBytes = 0
  @Option(help: .init("Drop 512 to 4096 bytes from RATE of 1000 on.", valueName: "RATE"))
  var lostBlocks = 0
  @Option(help: .init("Insert a reader's stale 38-byte buffer, in RATE of 1000.", valueName: "RATE"))
  var padding = 0
  @Flag(help: "Cut off the last tuple or request of each connection.")
  var cutTail = false
  @Option(help: .init("Drop 1 to 20 bytes of the file, in RATE of 1000 packets.", valueName: "RATE"))
  var fileLostBytes = 0
  @Option(help: .init("Change 1 to 3 bytes of the file, in RATE of 1000.", valueName: "RATE"))
  var fileFlippedBytes = 0
  @Flag(help: "End the capture file within its last packet.")
  var fileCutTail = false

  mutating func validate() throws {
    try checkRates([
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

func checkRates(_ options: [(name: String, value: Int)]) throws {
  for option in options { try checkRange(option.name, option.value, 0...1000) }
}
