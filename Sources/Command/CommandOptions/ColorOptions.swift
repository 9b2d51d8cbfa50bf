import ArgumentParser
import Basics

package struct ColorOptions: ParsableArguments {
  @Option(help: .init("Colour the output.", valueName: "WHEN"))
  package var color = OutputFile.Color.auto

  package init() {}
  package mutating func validate() throws { OutputFile.color = color }
}

extension OutputFile.Color: ExpressibleByArgument {}
