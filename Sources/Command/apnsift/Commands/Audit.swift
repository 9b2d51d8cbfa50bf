import Analysis
import ArgumentParser
import Basics
import CommandOptions
import Conformance
import Reports

struct Audit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Compare with the results of five well-known faulty readers.",
    usage: "apnsift audit [<options>] <input> ...",
    discussion: """
      Each feedback stream is read with the algorithms of a cookbook in Objective-C (cookbook) and of articles in \
      C# (csharp), JavaScript (node) and Java (java); error responses with that of an article in PHP (php). Their \
      output is compared with the records. docs/spec/readers.md lists their faults. Chunks are the segments of a capture, \
      or the TLS records of decrypted streams, else 4096 bytes. Streams with gaps are skipped.

      Streams are buffered until they end: all open ones take at most --memory, and an audit of one up to twice its \
      size again.

      EXAMPLES
        apnsift audit capture.pcap                      chunks as captured
        apnsift audit feedback.bin --chunk-size 1460    chunks of one size
        apnsift audit feedback.bin --chunk-sizes sizes.txt
        apnsift audit feedback.bin --every-chunking     all sizes up to 80
        apnsift audit --json dumps/ > readers.json
        apnsift audit --requests sent.bin --responses got.bin
      """)

  @OptionGroup var chunking: ChunkOptions

  @Flag(help: "Print the results as JSON.")
  var json = false

  @OptionGroup var color: ColorOptions
  @OptionGroup var input: InputOptions

  mutating func validate() throws { try chunking.validate(with: input) }

  func run() throws {
    let chunks = try chunking.chunks()
    var examination = try input.examination(hashing: .possibleCopies)
    let buffer = OutputBuffer(OutputFile())
    let report = try report(buffer, chunks)
    let auditor = StreamAuditor(chunks, memory: input.memory, report: report)
    try examination.run([auditor.recorder()])
    try auditor.endInput()
    try report.end()
    try buffer.flush()

    let tally = auditor.tally
    if auditor.withPushes > 0 {
      Console.note(
        "\(Count.of(auditor.withPushes, "stream")) with pushes not judged: the readers read only the "
          + "binary protocols")
    }
    if tally.streams == 0 { Console.note("nothing to audit: no feedback stream and no error responses") }
    let done = Message(
      "audited \(Count.of(examination.readCount, "input")): \(Count.of(tally.streams, "stream")), "
        + "\(tally.message)")
    try input.end(examination, done)
  }

  private func report(_ buffer: OutputBuffer, _ chunks: StreamChunks) throws -> any ReaderReport {
    if json { return try ReaderJSON(buffer) }
    return ReaderText(
      buffer, style: TextStyle(isColoured: OutputFile.isColoured), chunks: chunks.text,
      triesEverySize: chunking.everyChunking)
  }
}
