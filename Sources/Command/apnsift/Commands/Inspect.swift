import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Reports

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Summarise the inputs and list problems.",
    usage: "apnsift inspect [<options>] <input> ...",
    discussion: """
      EXAMPLES
        apnsift inspect feedback.bin
        apnsift inspect --json dumps/ > report.json
        apnsift inspect capture.pcapng --filter 'port 2196 or port 2195'
        apnsift inspect --requests sent.bin --responses got.bin
        apnsift inspect --join feedback.pcap00 feedback.pcap01   rotated capture
        xxd -p feedback.bin | apnsift
      """)

  @Flag(help: "Print streams, findings and summary as JSON.")
  var json = false

  @Flag(help: "Do not compute the SHA-256 of inputs.")
  var noHash = false

  @Flag(help: "Do not count tokens, nor what was sent to them after a 410.")
  var noDistinct = false

  @OptionGroup var local: LocalTimeOptions
  @OptionGroup var color: ColorOptions
  @OptionGroup var input: InputOptions

  func run() throws {
    var examination = try input.examination(hashing: noHash ? .none : .all)
    // Without both, a second thread does not pay for one input.
    if noHash, noDistinct, input.jobs == nil { examination.options.jobs = 1 }
    let table = noDistinct ? nil : TokenTable(memory: input.memory)
    let collector = table.map { TokenCollector($0, flaggedCount: true) }
    let tokens = noDistinct ? nil : input.sightings(takesAll: false)
    let buffer = OutputBuffer(OutputFile(isData: json))
    let overview = Overview()
    let evidence =
      json
      ? try RecordWriter(.json, .document([.streams, .findings]), clock: local.clock, output: buffer) : nil
    try evidence?.begin(version: Program.version, options: input.reported)

    try examination.run([evidence ?? overview, collector, tokens])

    var summary = examination.summary
    summary.distinctTokens = try table?.distinctCount()
    if summary.pushes.counts.all > 0 { summary.tokens = try tokens?.counts() }
    if let evidence {
      try evidence.end(summary, inputs: examination.inputs)
    } else {
      try buffer.append(
        OverviewText.text(
          summary, inputs: examination.inputs, overview: overview, clock: local.clock,
          style: TextStyle(isColoured: OutputFile.isColoured)))
    }
    try buffer.flush()
    try input.end(
      examination, "inspected \(Count.of(examination.readCount, "input")) with \(summary.recordText)")
  }
}
