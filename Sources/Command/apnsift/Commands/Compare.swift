import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare the tokens of two files or directories.",
    usage: "apnsift compare [<options>] <a> <b>",
    discussion: """
      Finds tokens that only A or only B has, and those that both have with other times of invalidation, as export \
      --records tokens has them. Feedback, requests and pushes count, in files of any kind.

      EXAMPLES
        apnsift compare monday/ tuesday/               two days
        apnsift compare -t csv server1.bin server2.bin all differences
        apnsift compare before.pcap after.pcap -o differences.json

      EXIT CODES
        0 no difference   1 the tokens differ   2 an input or output failed
      """)

  @Option(
    name: [.short, .long], help: .init("Format. (default: extension of -o, else text)", valueName: "FORMAT"))
  var to: DifferenceWriter.Format?

  @OptionGroup var target: OutputOptions

  @OptionGroup var input: InputOptions

  private var format: DifferenceWriter.Format {
    to ?? target.output.flatMap { DifferenceWriter.Format(rawValue: OutputName.fileExtension($0)) } ?? .text
  }

  mutating func validate() throws {
    try OutputName.check("-o", target.output, is: format.rawValue, chosenBy: to.map { "-t \($0.rawValue)" })
    guard input.inputs.count == 2 else {
      throw ValidationError("compare takes two inputs: two files, or two directories")
    }
  }

  func run() throws {
    let outputs = OutputSet(force: target.force)
    // The inputs are listed before the output is made: it may be in their directory.
    let sides = input.inputs.map { input.alone($0) }
    var examinations = try sides.map { try $0.examination(hashing: .possibleCopies) }
    let buffer = try outputs.open("-o", target.output ?? "-")
    let sightings = input.sightings()
    for index in sides.indices {
      sightings.side = UInt8(index)
      try examinations[index].run([sightings])
    }
    let writer = try DifferenceWriter(format, buffer)
    try sightings.visitSides { try writer.add($0, $1, $2) }
    try writer.end((input.inputs[0], input.inputs[1]), version: Program.version)
    try outputs.finish(besides: [])
    for (side, examination) in zip(sides, examinations) {
      let name = side.inputs.joined()
      try side.end(examination, "\(name): compared \(Count.of(examination.readCount, "input"))")
    }
    if !writer.counts.isEmpty { throw ExitStatus.found }
  }
}

extension DifferenceWriter.Format: ExpressibleByArgument {}
