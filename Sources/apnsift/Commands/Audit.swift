import Analysis
import ArgumentParser
import Platform
import Readers
import Reports
import WireBytes

/// `apnsift audit`: what well-known faulty readers would have made of the same bytes.
struct Audit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Say what five well-known faulty readers would have made of the same bytes.",
    discussion: """
      Each stream of feedback is read as a cookbook in Objective-C (cookbook) and articles in C# (csharp), \
      JavaScript (node) and Java (java) read it, each stream with error responses as one in PHP (php) does, and \
      what they report is held against the records. docs/readers.md has their faults. Where no option says how the \
      bytes come in chunks, a segment of a capture is a chunk, else 4096 bytes. A stream with gaps is not judged.

      A stream is kept until it ends: all open ones together take no more than --memory, and judging one takes \
      up to twice as much again.

      EXAMPLES
        apnsift audit capture.pcap                      chunks as they came
        apnsift audit feedback.bin --chunk-size 1460    chunks of one size
        apnsift audit feedback.bin --chunk-sizes sizes.txt
        apnsift audit feedback.bin --every-chunking     which sizes go well?
        apnsift audit --json dumps/ > readers.json
        apnsift audit --requests sent.bin --responses got.bin
      """)

  @OptionGroup var input: InputOptions

  @OptionGroup var chunking: ChunkOptions

  @Flag(help: "Print the readings as JSON.")
  var json = false

  mutating func validate() throws {
    try chunking.validate(beside: input)
  }

  func run() throws {
    let chunks = try chunking.chunks()
    var examination = input.examination(hashing: .possibleCopies)
    let buffer = OutputBuffer(OutputFile())
    let report = try report(buffer, chunks)
    let auditor = StreamAuditor(chunks, memory: input.memory.bytes, report: report)
    try examination.run([auditor.recorder()])
    try auditor.endInput()
    try report.end()
    try buffer.flush()

    let tally = auditor.tally
    if tally.streams == 0 {
      Messages.say("nothing to audit: no stream of feedback, and none with error responses")
    }
    let done =
      "audited \(Count.of(examination.inputs.count, "input")): \(Count.of(tally.streams, "stream")), \(tally.text)"
    Messages.say(examination.closingLine(done))
    try input.check(examination)
  }

  private func report(_ buffer: OutputBuffer, _ chunks: StreamChunks) throws -> any ReaderReport {
    guard json else {
      return ReaderText(
        buffer, style: TextStyle(isColoured: OutputFile.isColoured), chunks: chunks.text,
        triesEverySize: chunking.everyChunking)
    }
    let writer = ReaderJSON(buffer)
    try writer.begin()
    return writer
  }
}
