import ArgumentParser
import Platform

/// Whether output is coloured.
struct ColorOptions: ParsableArguments {
  @Option(help: .init("Colour the output.", valueName: "WHEN"))
  var color = OutputFile.Color.auto

  mutating func validate() throws { OutputFile.color = color }
}

extension OutputFile.Color: ExpressibleByArgument {}
